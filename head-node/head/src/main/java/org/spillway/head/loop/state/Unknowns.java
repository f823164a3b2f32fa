package org.spillway.head.loop.state;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.cloud.Instance;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;
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
    /** Name of a launch that a head decided. */
    private static final Pattern LAUNCH = Pattern.compile("i([0-9]{1,18})");

    private final Journal journal;
    private final long firstNumber;
    private final Map<String, List<Unknown>> bySite = new TreeMap<>();

    /** @param firstNumber of this start: whatever an earlier one launched has a smaller one */
    Unknowns(Journal journal, long firstNumber) {
        this.journal = journal;
        this.firstNumber = firstNumber;
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

    /** Whether the head that bought it is none of those of which the journal knows, or has bought it since they parted. */
    public boolean isStrange(Instance instance) {
        return journal.store().standing().isStrange(boughtBy(instance)) || isOfTwin(instance);
    }

    private static String boughtBy(Instance instance) {
        return instance.tags().getOrDefault(Instance.TAG_STATE, "");
    }

    private boolean isOfTwin(Instance instance) {
        return journal.store().standing().isOfTwin(boughtBy(instance), () -> isRecorded(instance.intent()));
    }

    /** Of a launch by an earlier start of this head: it was written before the provider was called. */
    private boolean isRecorded(String intent) {
        Matcher number = LAUNCH.matcher(intent);
        boolean isEarlier = !number.matches() || Long.parseLong(number.group(1)) < firstNumber;
        return isEarlier && !journal.store().timeline("intent", intent).isEmpty();
    }

    /**
     * Whether another head of this state buys at that site, as last listed: some of its machines are there, and nobody has
     * chosen yet what becomes of them.
     */
    public Cause twin(String site) {
        long machines = bySite.getOrDefault(site, List.of()).stream()
                .map(Unknown::instance)
                .filter(one -> isOfTwin(one)
                        && journal.recovery(RecoveryRecord.id(site, one.id()))
                                .map(record -> record.found() == State.FOUND)
                                .orElse(true))
                .count();
        return machines == 0 ? Cause.NONE : new SiteCause.TwinBuys(Math.toIntExact(machines));
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
