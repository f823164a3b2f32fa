package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.MemoryJournalStore;

/** Everything that outlives the head: the disk at home, the regions, the time. */
final class SimWorld {
    static final Duration LEASE = Duration.ofSeconds(20);

    final SimClock clock = new SimClock();
    final MemoryJournalStore disk = new MemoryJournalStore();
    final Map<String, SimSite> sites = new TreeMap<>();
    final Home home = new Home(disk, this::runsOther);

    /** A workload manager with a queue of its own; null where the head's is the only one. */
    @Nullable
    SimSlurm slurm;

    /** Null where runs have no homes within reach. */
    @Nullable
    SimReach reach;

    /** The root file system that {@link SimImages#OTHER} wants, as 64 hex digits; empty for the machines' own. */
    String version = "";

    /** So long a time of its price a site's directors may cost that never serve; null for the usual. */
    @Nullable
    Duration directorTrials;

    /** No room for results. */
    @Nullable
    Instant homeFullUntil;

    /** Inputs that went over a link, whole or in part. */
    int bundlesCopied;

    /** Null where the clock of the head's machine is right. */
    @Nullable
    ClockSteps clockSteps;

    /** Faults that were drawn, by their names. */
    final Map<String, Integer> drawn = new TreeMap<>();

    private boolean faulty = true;

    /**
     * A site as a world begins with it; one that keeps nodes is home.
     *
     * @param maxNodes that it may have
     * @param keepCount of those, always there
     */
    record Spec(String name, int maxNodes, int keepCount, String price) {}

    /** The time as the head takes it. */
    Instant headNow() {
        return clockSteps == null ? clock.now() : clockSteps.now();
    }

    void drew(String fault) {
        drawn.merge(fault, 1, Integer::sum);
    }

    SimWorld(Draw draw) {
        this(draw, true);
    }

    /** @param keeps whether a site may keep nodes */
    SimWorld(Draw draw, boolean keeps) {
        this(draw, drawn(draw, keeps));
        if (sites.size() > 1 && draw.chance(0.1)) {
            SimSite last = site("site" + (sites.size() - 1));
            last.mute = true;
            last.provider.mute = draw.chance(0.5);
        }
    }

    SimWorld(Draw draw, List<Spec> specs) {
        for (Spec spec : specs) {
            SimSite site = new SimSite(spec, clock, draw, home, LEASE);
            site.provider.faulty = true;
            sites.put(spec.name, site);
        }
    }

    private static List<Spec> drawn(Draw draw, boolean mayKeep) {
        int count = draw.between(1, 3);
        int most = draw.chance(0.3) ? 1 : 3;
        boolean keeps = draw.chance(0.5) && mayKeep;
        List<Spec> specs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean home = keeps && i == 0;
            int keep = home ? draw.between(1, most) : 0;
            specs.add(new Spec("site" + i, home ? keep : most, keep, home ? "0.36" : i == 1 ? "3.60" : "2.40"));
        }
        return specs;
    }

    /** Calm from the beginning: sites that are alike, with up to that many nodes each. */
    SimWorld(Draw draw, int count, int nodes) {
        for (int i = 0; i < count; i++) {
            String name = "site" + i;
            sites.put(name, new SimSite(new Spec(name, nodes, 0, "3.60"), clock, draw, home, LEASE));
        }
        calm();
    }

    /** From now on users have a queue of its own kind to submit to. */
    SimSlurm withSlurm(Draw own) {
        SimSlurm made = new SimSlurm(clock, own, disk);
        made.over(node -> sites.values().stream().anyMatch(site -> site.isReachable(node)));
        sites.values().forEach(site -> site.slurm = made);
        slurm = made;
        return made;
    }

    /** From now on some runs read their user's home. */
    void withReach(SimReach made) {
        sites.values().forEach(site -> site.reach = made);
        reach = made;
    }

    private boolean runsOther(String job, int attempt) {
        return sites.values().stream()
                .flatMap(site -> site.nodes.values().stream())
                .anyMatch(node -> node.runsOther(job, attempt));
    }

    SimSite site(String name) {
        SimSite site = sites.get(name);
        if (site == null) {
            throw new IllegalStateException("no such site: " + name);
        }
        return site;
    }

    boolean isFaulty() {
        return faulty;
    }

    void calm() {
        faulty = false;
        if (slurm != null) {
            slurm.calm();
        }
        homeFullUntil = null;
        if (clockSteps != null) {
            clockSteps.calm();
        }
        home.unlock();
        sites.values().forEach(site -> {
            site.provider.faulty = false;
            site.provider.refusesUntil = null;
            site.provider.listingFailsUntil = null;
            site.provider.lies(Lies.Lie.EMPTY, Instant.MIN);
            site.linkCutUntil = null;
            site.nodes.values().forEach(node -> node.cutUntil = null);
        });
    }

    void step(long millis) {
        clock.advanceMillis(millis);
        if (slurm != null) {
            slurm.step();
        }
        sites.values().forEach(SimSite::step);
        if (reach != null) {
            reach.step();
        }
    }
}
