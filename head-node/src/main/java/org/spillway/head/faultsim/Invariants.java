package org.spillway.head.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.spillway.policy.Money;

/** What must hold at every moment, judged by what is true in the world and not by what the head believes. */
final class Invariants {
    /** A sweep: the longest pause between listings, the window, and the longest listing outage that is drawn. */
    private static final Duration SWEEP = Duration.ofSeconds(120);

    private final SimWorld world;
    private final Money budget;
    private final Map<String, Instant> tooMany = new HashMap<>();

    Invariants(SimWorld world, Money budget) {
        this.world = world;
        this.budget = budget;
    }

    void check() {
        Money spent = Money.ZERO;
        Map<String, Integer> live = new HashMap<>();
        Map<String, Integer> asked = new HashMap<>();
        for (SimSite site : world.sites.values()) {
            spent = spent.plus(site.provider.cost());
            for (SimProvider.Machine machine : site.provider.machines.values()) {
                if (machine.isLive()) {
                    live.merge(machine.request.intent(), 1, Integer::sum);
                    asked.put(machine.request.intent(), machine.request.count());
                    if (!world.disk.holds("intent", machine.request.intent())) {
                        throw new Broken("instance " + machine.id + " was launched under an intent that no disk knows");
                    }
                }
            }
        }
        if (spent.isMoreThan(budget)) {
            throw new Broken("spent " + spent + " of a budget of " + budget);
        }
        twins(live, asked);
    }

    private void twins(Map<String, Integer> live, Map<String, Integer> asked) {
        Set<String> over = new HashSet<>();
        live.forEach((intent, count) -> {
            if (count > asked.getOrDefault(intent, 0)) {
                over.add(intent);
                Instant since = tooMany.computeIfAbsent(intent, key -> world.clock.now());
                if (world.clock.now().isAfter(since.plus(SWEEP))) {
                    throw new Broken("intent " + intent + " has " + count + " live instances for longer than a sweep");
                }
            }
        });
        tooMany.keySet().retainAll(over);
    }
}
