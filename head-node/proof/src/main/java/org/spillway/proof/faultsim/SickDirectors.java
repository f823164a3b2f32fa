package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.BreakerEntry;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.policy.ClusterSnapshot.Breaker;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.BreakerSight;
import org.spillway.scaler.plan.Breakers;

/**
 * Directors that do not come up, in some worlds: nobody can log in, an installation fails, or their zone has no room. Drawn
 * apart from all other draws. The invariant is that those which never served cost no more than they may, and an
 * administrator who has mended the cause closes the breaker: then their site heals.
 */
final class SickDirectors {
    /** Of the price of a director. */
    static final Duration TRIALS = Duration.ofMinutes(3);
    /** A head that is dead for a minute ends nothing, and an end takes until the provider has heard of it. */
    private static final Duration SLACK = Duration.ofMinutes(3);

    private final SimWorld world;
    private final Draw draw;
    private final Map<String, Instant> wellAt = new HashMap<>();
    private final boolean there;
    private @Nullable Instant longUntil;

    /** @param certain and one of the sites will be sick for half an hour and longer */
    SickDirectors(SimWorld world, Draw draw, boolean certain) {
        this.world = world;
        this.draw = draw;
        this.there = draw.chance(0.2) || certain;
        if (certain) {
            List<SimSite> all = List.copyOf(world.sites.values());
            Instant until = world.clock.now().plusSeconds(draw.between(40 * 60, 60 * 60));
            longUntil = until;
            SimSite site = all.get(draw.between(0, all.size() - 1));
            wellAt.put(site.name, until);
            site.uninstallable = draw.chance(0.5) ? "connection refused" : "java: not found";
            world.drew("no director for half an hour and longer");
        }
        world.directorTrials = there ? TRIALS : null;
    }

    /** Whether a site's directors do not come up, although all else is calm. */
    boolean isLong() {
        return longUntil != null && world.clock.now().isBefore(longUntil);
    }

    /** When all is well. */
    Instant last(Instant calmAt) {
        return longUntil == null || calmAt.isAfter(longUntil) ? calmAt : longUntil;
    }

    void step(boolean faulty) {
        for (SimSite site : world.sites.values()) {
            Instant until = wellAt.get(site.name);
            boolean lasts = until != null && until.equals(longUntil);
            if (until != null && ((!faulty && !lasts) || !world.clock.now().isBefore(until))) {
                wellAt.remove(site.name);
                site.uninstallable = "";
                site.provider.shutZones.clear();
            } else if (there && faulty && until == null && draw.chance(0.01)) {
                wellAt.put(site.name, world.clock.now().plusMillis(draw.between(1_000, 120_000)));
                world.drew("directors do not come up");
                switch (draw.between(0, 2)) {
                    case 0 -> site.uninstallable = "connection refused";
                    case 1 -> site.uninstallable = "java: not found";
                    default -> site.provider.shutZones.add("a");
                }
            }
        }
    }

    /** When all is well again an administrator closes what only time would close. */
    void mend(Journal journal, boolean faulty) {
        if (!there || faulty || isLong()) {
            return;
        }
        Instant now = world.headNow();
        List<BreakerEntry> closed = journal.breakers().stream()
                .filter(state -> state.open() && state.kind() == Breaker.Kind.DIRECTOR)
                .map(state -> new BreakerEntry(state.closedBy("ada", now)))
                .toList();
        if (!closed.isEmpty()) {
            journal.commit(now, closed);
        }
    }

    /** Whatever the head believes: the machines' own times count. */
    void check(Collection<Entry> disk) {
        if (!there) {
            return;
        }
        Set<String> served = new HashSet<>();
        Map<String, Instant> forgiven = new HashMap<>();
        for (Entry entry : disk) {
            if (entry instanceof NodeRecord node && node.servedFrom() != null) {
                served.add(node.intent());
            } else if (entry instanceof BreakerEntry(Breakers.State state)
                    && state.seen() instanceof BreakerSight.ClosedByHand) {
                forgiven.put(state.name(), state.since());
            }
        }
        for (SimSite site : world.sites.values()) {
            Instant from = forgiven.getOrDefault(site.name, Instant.MIN);
            Duration lost = Duration.ZERO;
            for (SimProvider.Machine machine : site.provider.machines.values()) {
                if (Faults.isDirector(machine)
                        && (site.restored == null || !site.restored.isUnknown(machine))
                        && !served.contains(machine.request.intent())
                        && machine.launchedAt.isAfter(from)) {
                    Instant end = machine.endedAt == null ? world.clock.now() : machine.endedAt;
                    lost = lost.plus(Duration.between(machine.launchedAt, end));
                }
            }
            if (lost.compareTo(TRIALS.plus(SLACK)) > 0) {
                throw new Broken("site " + site.name + " has paid " + lost + " for directors that never served");
            }
        }
    }

    /** The money that directors may cost in vain; null for the usual. */
    static @Nullable Money budget(SimWorld world, SimSite site) {
        Duration time = world.directorTrials;
        return time == null ? null : site.provider.pricePerHour().perHourFor(time);
    }
}
