package org.spillway.head.loop.state;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.spillway.cloud.Instance;
import org.spillway.head.past.Standing;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;

/**
 * Instances of this cluster that no node owns and that are not ended all the same: the journal does not know its whole
 * past, or their tag says that another has bought them. They count against the budget. Loop thread only.
 */
public final class Unknowns {
    private final Supplier<Standing> standing;
    private final Map<String, List<Unknown>> bySite = new TreeMap<>();
    private final Set<String> given = new HashSet<>();

    Unknowns(Supplier<Standing> standing) {
        this.standing = standing;
    }

    /** @param pricePerHour of its offering; the highest of its site where that is not offered */
    public record Unknown(String site, Instance instance, Money pricePerHour) {
        /** The amount that it has cost since then, or since its launch. */
        public Money costSince(Instant start, Instant now) {
            Instant from = instance.launchedAt().isAfter(start) ? instance.launchedAt() : start;
            return now.isAfter(from) ? pricePerHour.perHourFor(Duration.between(from, now)) : Money.ZERO;
        }
    }

    public boolean isQuarantined() {
        return standing.get().quarantined();
    }

    /** Whether it must not be ended, although no node owns it. */
    public boolean keeps(Instance instance) {
        Standing now = standing.get();
        boolean strange = now.isStrange(instance.tags().getOrDefault(Instance.TAG_STATE, ""));
        return (now.quarantined() || strange) && !given.contains(instance.id());
    }

    /** Takes over what a whole listing of that site shows without an owner. */
    public void see(SiteState site) {
        var listing = site.listing;
        if (listing == null) {
            return;
        }
        Set<String> seen = new HashSet<>();
        List<Unknown> kept = new ArrayList<>();
        for (Instance instance : listing.instances()) {
            if (instance.state().isLive()
                    && site.fleet.strays().containsKey(instance.id())
                    && keeps(instance)
                    && seen.add(instance.id())) {
                kept.add(new Unknown(site.plan.name(), instance, price(site.offerings(), instance)));
            }
        }
        bySite.put(site.plan.name(), List.copyOf(kept));
    }

    private static Money price(List<Offering> offerings, Instance instance) {
        return offerings.stream()
                .filter(one -> one.id().equals(instance.offering()))
                .findFirst()
                .or(() -> offerings.stream().max(Comparator.comparing(Offering::pricePerHour)))
                .map(Offering::pricePerHour)
                .orElse(Money.ZERO);
    }

    /** By site, then as they were listed. */
    public List<Unknown> all() {
        return bySite.values().stream().flatMap(List::stream).toList();
    }

    public boolean isAny(String site) {
        return !bySite.getOrDefault(site, List.of()).isEmpty();
    }

    /** Whether each of these sites was listed since this head was started, and nothing unknown is left. */
    public boolean isCleared(Set<String> sites) {
        return bySite.keySet().containsAll(sites) && all().isEmpty();
    }

    /** An administrator has it ended: the next listings do so. Idempotent. */
    public void giveUp(String instance) {
        given.add(instance);
        bySite.replaceAll((site, kept) -> kept.stream()
                .filter(one -> !one.instance().id().equals(instance))
                .toList());
    }

    /** The amount that they have cost since then. */
    public Money costSince(Instant start, Instant now) {
        Money sum = Money.ZERO;
        for (Unknown one : all()) {
            sum = sum.plus(one.costSince(start, now));
        }
        return sum;
    }
}
