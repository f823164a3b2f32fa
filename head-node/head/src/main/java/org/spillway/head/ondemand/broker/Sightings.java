package org.spillway.head.ondemand.broker;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.fleet.Listing;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.LaunchCause;
import org.spillway.head.cause.LaunchCause.LaunchFact;
import org.spillway.head.journal.DelegatedRecord;
import org.spillway.head.journal.DelegatedRecord.Machine;
import org.spillway.head.journal.DelegatedRecord.State;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * The words of answers and listings about launches. Pure. Absence counts only in a listing that was started at least
 * the provider's consistency window after the answer was given up, or the instance named. What comes late or twice is
 * written down, since it costs, and ended.
 */
final class Sightings {
    private Sightings() {}

    /**
     * @param changed records as they are now; each takes one step at most
     * @param surplus ids of instances that nobody is to have
     */
    record Seen(List<DelegatedRecord> changed, List<String> surplus) {}

    static boolean isOf(DelegatedRecord record, Instance instance) {
        return instance.intent().equals(record.request().intent())
                && instance.tags()
                        .getOrDefault(Instance.TAG_ATTEMPT, "")
                        .equals(Integer.toString(record.request().attempt()));
    }

    /** The record with what the provider has answered. */
    static DelegatedRecord answered(DelegatedRecord record, LaunchAnswer answer, Instant now) {
        Map<String, Machine> named = new LinkedHashMap<>();
        answer.instances().forEach(instance -> named.put(instance.id(), machine(record, instance)));
        DelegatedRecord told =
                record.withAnswer(answer.outcome(), answer.parts()).withMachines(List.copyOf(named.values()));
        Cause why = LaunchCause.of(answer.outcome());
        return switch (answer.outcome()) {
            case LaunchOutcome.Refused refused -> told.to(State.REFUSED, why, now);
            case LaunchOutcome.Unknown unknown -> record.to(State.UNKNOWN, why, now);
            case LaunchOutcome.Partial partial -> settled(told, partial.count(), why, now);
            case LaunchOutcome.Launched launched -> settled(told, launched.count(), why, now);
        };
    }

    private static DelegatedRecord settled(DelegatedRecord told, int count, Cause why, Instant now) {
        return told.machines().size() < count
                ? told.to(State.UNKNOWN, LaunchFact.NOT_ALL_NAMED, now)
                : told.to(State.SETTLED, why, now);
    }

    private static Machine machine(DelegatedRecord record, Instance instance) {
        return new Machine(instance.id(), instance.offering(), record.priceOf(instance.offering()), null);
    }

    /**
     * @param records of the child in that site
     * @param isUnderWay whether this head still waits for that record's answer
     */
    static Seen in(
            Collection<DelegatedRecord> records,
            Listing listing,
            Duration window,
            Predicate<DelegatedRecord> isUnderWay,
            Instant now) {
        Map<String, Instance> byId = new LinkedHashMap<>();
        listing.instances().forEach(instance -> byId.put(instance.id(), instance));
        List<DelegatedRecord> changed = new ArrayList<>();
        List<String> surplus = new ArrayList<>();
        for (DelegatedRecord record : records) {
            if (record.status() == State.CLOSED || isUnderWay.test(record)) {
                continue;
            }
            DelegatedRecord next = record.status() == State.CALLED
                    ? record.to(State.UNKNOWN, LaunchFact.ANSWER_LOST_WITH_HEAD, now)
                    : judged(record, byId, listing.startedAt(), window, surplus, now);
            if (!next.equals(record)) {
                changed.add(next);
            }
        }
        return new Seen(changed, surplus);
    }

    private static DelegatedRecord judged(
            DelegatedRecord record,
            Map<String, Instance> byId,
            Instant startedAt,
            Duration window,
            List<String> surplus,
            Instant now) {
        boolean proves = !startedAt.isBefore(record.since().plus(window));
        List<Machine> machines = new ArrayList<>();
        Set<String> known = new HashSet<>();
        for (Machine machine : record.machines()) {
            known.add(machine.id());
            Instance there = byId.get(machine.id());
            boolean gone = there == null ? proves : there.state() == Instance.State.TERMINATED;
            // The books believe one look, since they can take it back.
            boolean back =
                    machine.goneAt() != null && there != null && there.state().isLive();
            machines.add(gone && machine.goneAt() == null ? machine.goneAt(now) : back ? machine.back() : machine);
        }
        boolean late = false;
        for (Instance instance : byId.values()) {
            if (!isOf(record, instance)
                    || known.contains(instance.id())
                    || !instance.state().isLive()) {
                continue;
            }
            boolean wanted = record.status() == State.UNKNOWN
                    && machines.size() < record.request().count();
            if (!wanted) {
                surplus.add(instance.id());
                late = true;
            }
            machines.add(machine(record, instance));
        }
        return step(record.withMachines(machines), proves, late, now);
    }

    private static DelegatedRecord step(DelegatedRecord seen, boolean proves, boolean late, Instant now) {
        int named = seen.machines().size();
        int asked = seen.request().count();
        return switch (seen.status()) {
            case UNKNOWN -> {
                if (named >= asked) {
                    yield found(seen, new LaunchOutcome.Launched(asked)).to(State.SETTLED, Cause.NONE, now);
                }
                if (!proves) {
                    yield seen;
                }
                Cause fewer = new LaunchCause.FewerSeen(named, asked);
                yield named == 0
                        ? found(seen, new LaunchOutcome.Refused(Reason.CAPACITY, fewer.text()))
                                .to(State.REFUSED, fewer, now)
                        : found(seen, new LaunchOutcome.Partial(named, Reason.CAPACITY, fewer.text()))
                                .to(State.SETTLED, fewer, now);
            }
            case SETTLED ->
                seen.machines().stream().allMatch(machine -> machine.goneAt() != null)
                        ? seen.to(State.ENDED, seen.cause(), now)
                        : seen;
            case REFUSED, ENDED ->
                late || seen.machines().stream().anyMatch(machine -> machine.goneAt() == null)
                        ? seen.to(State.SETTLED, LaunchFact.CAME_LATE, now)
                        : seen;
            case CALLED, CLOSED -> seen;
        };
    }

    /** An outcome that was answered in words stays; otherwise what was found says it. */
    private static DelegatedRecord found(DelegatedRecord seen, LaunchOutcome outcome) {
        return seen.withAnswer(outcome, seen.parts());
    }
}
