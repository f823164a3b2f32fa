package org.spillway.head.faultsim;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.head.journal.MemoryJournalStore;

/** Everything that outlives the head: the disk at home, the regions, the time. */
final class SimWorld {
    static final Duration LEASE = Duration.ofSeconds(20);

    final SimClock clock = new SimClock();
    final MemoryJournalStore disk = new MemoryJournalStore();
    final Home home = new Home();
    final Map<String, SimSite> sites = new TreeMap<>();
    private boolean faulty = true;

    SimWorld(Draw draw) {
        int count = draw.between(1, 2);
        for (int i = 0; i < count; i++) {
            String name = "site" + i;
            sites.put(name, new SimSite(name, clock, draw, home, LEASE));
        }
        home.watch(
                job -> sites.values().stream()
                        .flatMap(site -> site.nodes.values().stream())
                        .anyMatch(node -> node.runsNow(job)),
                job -> disk.job(job).filter(found -> !found.isLive()).isPresent());
        sites.values().forEach(site -> site.provider.faulty = true);
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
        sites.values().forEach(site -> {
            site.provider.faulty = false;
            site.provider.refusesUntil = null;
            site.provider.listingFailsUntil = null;
            site.linkCutUntil = null;
            site.nodes.values().forEach(node -> node.cutUntil = null);
        });
    }

    void step(long millis) {
        clock.advanceMillis(millis);
        sites.values().forEach(SimSite::step);
    }
}
