package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report;

/** The program that runs in a node's instance. */
final class SimNode {
    /** The finding of nodes in a sick zone. */
    static final String SICK = "xids: NVRM: Xid 79, GPU has fallen off the bus";

    final SimProvider.Machine machine;

    @Nullable
    String id;

    @Nullable
    Instant joinedAt;

    @Nullable
    Instant readyAt;

    @Nullable
    Instant leaseUntil;

    @Nullable
    Instant cutUntil;

    Instant nextContact;

    /** On its disk: what it passed its gate as last, and in which turn; null before, and where nodes have no turns. */
    @Nullable
    String image;

    int turn;

    /** The version in which its jobs live; empty for its own root. */
    String root = "";

    /** The turn that it is about to pass. */
    @Nullable
    Integer turning;

    Instant turnsAt = Instant.MAX;

    /** For which start of the manager, and for which of the head's reminders, its daemon registered last; empty for none. */
    String registered = "";

    final Map<String, Run> runs = new HashMap<>();

    /** Of its provider; null before. */
    Report.@Nullable Notice notice;

    /** The finding of its checks of health; empty for a fit machine. */
    String sickness;

    /** The word on a root that is not its version, or could not be compared; empty for none. */
    String drift = "";

    /** A node that tells of its notice, and whose jobs hear nothing of it. */
    boolean endsNothing;

    /** An attempt of one job here. */
    static final class Run {
        final String job;
        final int attempt;
        final int cpus;
        final Instant startedAt;
        final Instant endsAt;
        boolean ended;
        /** Why the node would not run it; empty when it did. */
        String refused = "";

        int exitCode;

        /** Told to end, as the node's provider gave notice. */
        boolean taken;

        /** The last round of outputs, and when the next one is due; null before the first. */
        Report.@Nullable Synced synced;

        @Nullable
        Instant nextRound;

        /** A byte a second on standard output; null when nothing more comes. */
        Report.@Nullable Written written;

        /** Of a job that another than the node itself runs; null for any other. */
        JobOrder.@Nullable Foreign foreign;

        /** The run is of a time that the journal may not know. */
        boolean earlier;

        /** Null where it reads nothing of its user's home. */
        @Nullable
        SimReads reads;

        /** Which of its runs there. */
        int foreignRun;

        Run(String job, int attempt, int cpus, Instant startedAt, Instant endsAt) {
            this.job = job;
            this.attempt = attempt;
            this.cpus = cpus;
            this.startedAt = startedAt;
            this.endsAt = endsAt;
        }
    }

    SimNode(SimProvider.Machine machine, Instant now, Set<String> sickZones) {
        this.sickness = sickZones.contains(machine.offering.zone()) ? SICK : "";
        this.machine = machine;
        this.nextContact = now;
    }

    boolean runsOther(String job, int attempt) {
        return machine.isLive()
                && runs.values().stream()
                        .anyMatch(run -> run.job.equals(job)
                                && run.attempt != attempt
                                && !run.ended
                                && !run.earlier
                                && run.refused.isEmpty());
    }

    /** Whether it is what it is to be; where it is not, it becomes that while time passes. */
    boolean hasPassed(
            Directive.@Nullable NodeProfile profile, Instant now, Draw draw, boolean neverTurns, boolean turnsWell) {
        if (profile == null) {
            return true;
        }
        if (image != null && turn == profile.turn()) {
            return true;
        }
        if (turning == null || turning != profile.turn()) {
            turning = profile.turn();
            // A hook of an overlay may hang.
            boolean hangs = neverTurns || (profile.turn() > 0 && draw.chance(0.05) && !turnsWell);
            turnsAt = hangs ? Instant.MAX : now.plusMillis(draw.between(100, 5_000));
        }
        if (now.isBefore(turnsAt) || profile.image().sha256().isEmpty()) {
            return false;
        }
        if (runs.values().stream().anyMatch(run -> !run.ended)) {
            throw new Broken("node " + id + " became another while a job ran on it");
        }
        image = profile.image().name()
                + profile.overlays().stream()
                        .map(overlay -> "+" + overlay.name())
                        .collect(Collectors.joining());
        turn = profile.turn();
        root = profile.image().version();
        turning = null;
        return true;
    }

    int cpusUsed() {
        return runs.values().stream()
                .filter(run -> !run.ended && !run.earlier)
                .mapToInt(run -> run.cpus)
                .sum();
    }
}
