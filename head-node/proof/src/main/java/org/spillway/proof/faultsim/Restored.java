package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.RecoveryRecord;
import org.spillway.head.journal.RecoveryRecord.State;
import org.spillway.head.loop.Loop;
import org.spillway.policy.Money;

/**
 * The moment at which the journal is put back from an older copy, or lost, and what must hold from then on: no machine of which
 * the journal does not know is ended unless somebody has chosen it, nothing that ran is stopped, and all of it counts against
 * the budget. Drawn apart from all other draws.
 */
final class Restored {
    /** A listing, and a site that could not be listed for a while. */
    private static final Duration KNOWN_BY = Duration.ofSeconds(90);
    /** A listing, and the call that comes before it. */
    private static final Duration NOT_COUNTED_YET = Duration.ofMinutes(1);

    private final SimWorld world;
    private final Draw draw;
    private final SimPast past;
    private final Instant copyAt;
    private final Instant putBackAt;
    private final boolean empty;
    private final Set<SimProvider.Machine> unknown = new HashSet<>();
    private final Set<String> intents = new HashSet<>();
    private @Nullable Instant newEpochAt;
    private boolean isPutBack;
    private boolean isBegun;
    /** The copy lacks so little that nobody can tell: commits of the last five seconds, none of them a launch. */
    private boolean isTakenForItsOwn;

    Restored(SimWorld world, SimPast past, Draw draw) {
        this.world = world;
        this.past = past;
        this.draw = draw;
        this.empty = draw.chance(0.3);
        this.copyAt = world.clock.now().plusSeconds(draw.between(3, 60));
        this.putBackAt = copyAt.plusSeconds(draw.between(2, 60));
    }

    /** Whether the moment is there; the head must be dead before {@link #putBack}. */
    boolean isDue() {
        Instant now = world.clock.now();
        if (!past.hasCopy() && !now.isBefore(copyAt)) {
            past.copyNow();
        }
        return !isPutBack && past.hasCopy() && !now.isBefore(putBackAt);
    }

    boolean isPutBack() {
        return isPutBack;
    }

    Instant putBackAt() {
        return putBackAt;
    }

    void putBack() {
        isPutBack = true;
        world.drew(empty ? "journal lost" : "journal put back from a copy");
        past.putBack(empty);
        for (SimSite site : world.sites.values()) {
            site.restored = this;
            // Orders of the time that is lost.
            site.provider.toldToEnd.clear();
            for (SimProvider.Machine machine : site.provider.machines.values()) {
                intents.add(machine.request.intent());
                if (!world.disk.holds("intent", machine.request.intent())) {
                    unknown.add(machine);
                }
            }
            site.directors.values().forEach(director -> director.earlier = director.directive);
            site.nodes.values().forEach(node -> node.runs.values().forEach(run -> run.earlier = true));
        }
        world.home.putBack();
    }

    /** A head has started. */
    void begun() {
        if (isPutBack && !isBegun) {
            isBegun = true;
            isTakenForItsOwn = !world.disk.standing().quarantined();
            if (isTakenForItsOwn) {
                world.drew("copy of the last seconds");
                world.home.forgetAttempts();
            }
        }
    }

    /** @return whether an administrator says by now that a head may begin anew */
    boolean isNewEpochSaid() {
        Instant now = world.clock.now();
        if (newEpochAt == null) {
            newEpochAt = now.plusSeconds(draw.between(2, 120));
            world.drew("start refused beside old secrets");
        }
        return !now.isBefore(newEpochAt);
    }

    boolean isUnknown(SimProvider.Machine machine) {
        return unknown.contains(machine);
    }

    /** Whether it was ever written, if not in the journal that there is now. */
    boolean wasIntended(String intent) {
        return intents.contains(intent);
    }

    /** Whether anything runs on that the journal may not know: nobody tells a head to end all its nodes meanwhile. */
    boolean isAnyBusy() {
        return world.sites.values().stream()
                .anyMatch(site -> site.provider.machines.values().stream().anyMatch(machine -> isBusy(site, machine)));
    }

    /** Under way when the journal was put back. */
    boolean isBusy(SimSite site, SimProvider.Machine machine) {
        SimNode node = site.nodes.get(machine.id);
        return node != null
                && machine.isLive()
                && node.runs.values().stream().anyMatch(run -> run.earlier && !run.ended);
    }

    void stopped(SimNode.Run run, String node) {
        boolean cancelled =
                world.disk.job(run.job).filter(job -> job.run().cancelled()).isPresent();
        if (!cancelled && !isTakenForItsOwn) {
            throw new Broken("job " + run.job + ", which ran when the journal was put back, was stopped on " + node);
        }
    }

    /** Looks at all that was told to end since the last look. */
    void check(SimSite site) {
        if (!isPutBack) {
            return;
        }
        for (SimProvider.Machine machine : site.provider.toldToEnd) {
            State chosen = chosen(site, machine);
            boolean quarantined = world.disk.standing().quarantined();
            if (unknown.contains(machine) && (chosen == null || chosen == State.FOUND || chosen == State.KEPT)) {
                if (quarantined || chosen == State.KEPT) {
                    throw new Broken("machine " + machine.id + ", of which the journal does not know, was ended, and "
                            + (chosen == null ? "nobody has chosen" : "it is " + chosen));
                }
            } else if (!unknown.contains(machine) && quarantined && isBusy(site, machine)) {
                throw new Broken("machine " + machine.id
                        + " was ended while a job ran on it, which the journal that was put back may not know");
            }
        }
    }

    private @Nullable State chosen(SimSite site, SimProvider.Machine machine) {
        for (Entry entry : world.disk.load(Instant.MIN)) {
            if (entry instanceof RecoveryRecord record
                    && record.id().equals(RecoveryRecord.id(site.name, machine.id))) {
                return record.found();
            }
        }
        return null;
    }

    /**
     * Machines that live and are nobody's are in the books.
     *
     * @param lives since when this head does
     * @param calm since when nothing fails
     */
    void checkMoney(Loop loop, Money budget, Instant lives, Instant calm) {
        Instant now = world.clock.now();
        Instant since = lives.isAfter(calm) ? lives : calm;
        if (!isPutBack
                || now.isBefore(since.plus(KNOWN_BY))
                || !world.disk.standing().quarantined()) {
            return;
        }
        Set<String> owned = new HashSet<>();
        for (Entry entry : world.disk.load(Instant.MIN)) {
            if (entry instanceof NodeRecord node && node.isLive()) {
                owned.add(node.site() + "/" + node.instance());
            }
        }
        List<String> states = new ArrayList<>();
        Money cost = Money.ZERO;
        for (SimSite site : world.sites.values()) {
            for (SimProvider.Machine machine : site.provider.machines.values()) {
                if (machine.isLive()
                        && unknown.contains(machine)
                        && !site.provider.mute
                        && !owned.contains(site.name + "/" + machine.id)) {
                    if (chosen(site, machine) == null) {
                        throw new Broken(
                                "machine " + machine.id + ", of which the journal does not know, is on no list ("
                                        + machine.request.intent() + ", " + machine.failed + machine.endsAt + ")");
                    }
                    Duration time = Duration.between(machine.launchedAt, now).minus(NOT_COUNTED_YET);
                    states.add(machine.id + " " + chosen(site, machine));
                    cost = cost.plus(site.provider.pricePerHour().perHourFor(time));
                }
            }
        }
        if (loop.budgetLeft(now).isMoreThan(budget.minus(cost))) {
            throw new Broken("machines of which the journal does not know have cost " + cost + ", and of the budget of "
                    + budget + " there are " + loop.budgetLeft(now) + " left: " + states);
        }
    }
}
