package org.spillway.head.loop.state;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.spillway.cloud.Instance;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.RecoveryRecord;
import org.spillway.head.journal.RecoveryRecord.State;
import org.spillway.head.past.Standing;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;

/**
 * Instances of this cluster that no node owns and that are not ended all the same: the journal does not know its whole
 * past, their tag says that another has bought them, or an administrator keeps them. They count against the budget. Loop
 * thread only.
 */
public final class Unknowns {
    private final Journal journal;
    private final Map<String, List<Unknown>> bySite = new TreeMap<>();

    Unknowns(Journal journal) {
        this.journal = journal;
    }

    /** @param pricePerHour of its offering; the highest of its site where that is not offered */
    public record Unknown(String site, Instance instance, Money pricePerHour) {}

    public boolean isQuarantined() {
        return journal.store().standing().quarantined();
    }

    /** Of this start of a head; empty when nobody keeps the past. */
    public String tag() {
        return journal.store().standing().tag();
    }

    /** Whether the head that bought it is none of those of which the journal knows. */
    public boolean isStrange(Instance instance) {
        return journal.store().standing().isStrange(instance.tags().getOrDefault(Instance.TAG_STATE, ""));
    }

    /** Whether it must not be ended, although no node owns it. */
    public boolean keeps(String site, Instance instance) {
        State chosen = journal.recovery(RecoveryRecord.id(site, instance.id()))
                .map(RecoveryRecord::found)
                .orElse(State.FOUND);
        Standing now = journal.store().standing();
        return chosen == State.KEPT || (chosen != State.ENDING && (now.quarantined() || isStrange(instance)));
    }

    /** Whether nodes that the journal does not know may live below that site's director. */
    public boolean mayServe(String site) {
        return isQuarantined()
                || journal.recoveries().stream()
                        .anyMatch(one -> one.isLive() && one.machine().site().equals(site));
    }

    /** Takes over what a whole listing of that site shows without an owner. */
    public void see(SiteState site) {
        var listing = site.listing;
        if (listing == null) {
            return;
        }
        String name = site.plan.name();
        Set<String> seen = new HashSet<>();
        List<Unknown> kept = new ArrayList<>();
        for (Instance instance : listing.instances()) {
            if (instance.state().isLive()
                    && site.fleet.strays().containsKey(instance.id())
                    && keeps(name, instance)
                    && seen.add(instance.id())) {
                kept.add(new Unknown(name, instance, price(site.offerings(), instance)));
            }
        }
        bySite.put(name, List.copyOf(kept));
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

    /** As it was last listed; empty for one that is not kept. */
    public Optional<Instance> listed(String site, String instance) {
        return bySite.getOrDefault(site, List.of()).stream()
                .map(Unknown::instance)
                .filter(one -> one.id().equals(instance))
                .findFirst();
    }

    public boolean isAny(String site) {
        return !bySite.getOrDefault(site, List.of()).isEmpty();
    }

    /** Whether each of these sites was listed since this head was started, and nothing is left that nobody chose to keep. */
    public boolean isCleared(Set<String> sites) {
        return bySite.keySet().containsAll(sites)
                && journal.recoveries().stream().noneMatch(one -> one.found() == State.FOUND);
    }
}
