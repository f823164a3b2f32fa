package org.spillway.scaler.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;

/**
 * How offerings are doing, folded from the launches so far; nothing is remembered between two calls.
 *
 * <p>A shortage takes an offering out for a while. The first refusal for capacity costs 180 s, the length of Karpenter's
 * cache of unavailable offerings; each further one without a full success in between doubles that, up to 600 s, for which
 * AWS ParallelCluster takes an instance type out. A quota, bad credentials and an invalid request do not heal by
 * themselves and cost 600 s at once. A place that others of the same buyer hold is free as soon as one of them ends, which
 * is told: without a word it is asked for again after 5 s, then twice as long, up to 60 s. Throttling costs 30 s, an unknown answer 60 s, in which a listing may find it.
 *
 * <p>Afterwards one instance is asked for as a probe; each full success doubles what may be asked for, a new shortage
 * sets it back to one, and a partial success is a shortage. Throttling is about calls and leaves the number as it is.
 */
public final class OfferingHealth {
    /** The launches that a healthy offering may be asked for in one tick: EC2's default launch bucket. */
    public static final int HEALTHY_LAUNCH_BUDGET = 1000;
    /** From launch to a usable node where nothing has been measured. */
    public static final Duration DEFAULT_BOOT = Duration.ofSeconds(60);

    static final Duration FIRST_SHORTAGE = Duration.ofSeconds(180);
    static final Duration LONGEST_SHORTAGE = Duration.ofSeconds(600);
    static final Duration FIRST_OCCUPIED = Duration.ofSeconds(5);
    static final Duration LONGEST_OCCUPIED = Duration.ofSeconds(60);
    static final Duration THROTTLED = Duration.ofSeconds(30);
    static final Duration UNKNOWN = Duration.ofSeconds(60);
    private static final int MESSAGE_CHARACTERS = 200;

    private OfferingHealth() {}

    /** As {@link #fold(List, Instant, Map)} with the default boot estimate for all. */
    public static List<OfferingStatus> fold(List<LaunchRecord> records, Instant now) {
        return fold(records, now, Map.of());
    }

    /** As {@link #fold(List, Instant, Map, Map)} of offerings that were never taken back. */
    public static List<OfferingStatus> fold(
            List<LaunchRecord> records, Instant now, Map<OfferingId, Duration> bootEstimates) {
        return fold(records, now, bootEstimates, Map.of());
    }

    /**
     * @param records launch calls in any order of time, equal times oldest first; those after {@code now} are ignored
     * @param bootEstimates measured boot times; an offering in it gets a status even if it was never asked
     * @param reclaimsPerHour how often an instance was taken back; an offering in it gets a status as well
     * @return sorted by offering
     */
    public static List<OfferingStatus> fold(
            List<LaunchRecord> records,
            Instant now,
            Map<OfferingId, Duration> bootEstimates,
            Map<OfferingId, Double> reclaimsPerHour) {
        SortedMap<OfferingId, State> states = new TreeMap<>();
        bootEstimates.keySet().forEach(id -> states.put(id, new State()));
        reclaimsPerHour.keySet().forEach(id -> states.computeIfAbsent(id, any -> new State()));
        records.stream()
                .filter(record -> !record.at().isAfter(now))
                .sorted(Comparator.comparing(LaunchRecord::at))
                .forEach(record -> states.computeIfAbsent(record.offering(), id -> new State())
                        .add(record));
        List<OfferingStatus> statuses = new ArrayList<>(states.size());
        states.forEach((id, state) -> statuses.add(state.status(
                id, now, bootEstimates.getOrDefault(id, DEFAULT_BOOT), reclaimsPerHour.getOrDefault(id, 0.0))));
        return List.copyOf(statuses);
    }

    private static final class State {
        private int launchBudget = HEALTHY_LAUNCH_BUDGET;
        private Duration nextShortage = FIRST_SHORTAGE;
        private Duration nextOccupied = FIRST_OCCUPIED;
        private @Nullable Instant outUntil;
        private String reason = "";

        void add(LaunchRecord record) {
            switch (record.outcome()) {
                case LaunchOutcome.Launched launched -> {
                    if (launched.count() >= record.asked()) {
                        succeed();
                    }
                }
                case LaunchOutcome.Partial partial -> fail(record.at(), partial.reason(), partial.message());
                case LaunchOutcome.Refused refused -> fail(record.at(), refused.reason(), refused.message());
                case LaunchOutcome.Unknown unknown -> {
                    launchBudget = 1;
                    out(record.at().plus(UNKNOWN), "did not answer a launch clearly");
                }
            }
        }

        private void succeed() {
            launchBudget = Math.min(HEALTHY_LAUNCH_BUDGET, launchBudget * 2);
            nextShortage = FIRST_SHORTAGE;
            nextOccupied = FIRST_OCCUPIED;
            outUntil = null;
            reason = "";
        }

        private void fail(Instant at, LaunchOutcome.Reason why, String message) {
            switch (why) {
                case CAPACITY -> {
                    launchBudget = 1;
                    out(at.plus(nextShortage), "refused for capacity");
                    Duration doubled = nextShortage.multipliedBy(2);
                    nextShortage = doubled.compareTo(LONGEST_SHORTAGE) > 0 ? LONGEST_SHORTAGE : doubled;
                }
                case QUOTA -> {
                    launchBudget = 1;
                    out(at.plus(LONGEST_SHORTAGE), "refused for quota: " + plain(message));
                }
                case OCCUPIED -> {
                    launchBudget = 1;
                    out(at.plus(nextOccupied), "full for now: " + plain(message));
                    Duration doubled = nextOccupied.multipliedBy(2);
                    nextOccupied = doubled.compareTo(LONGEST_OCCUPIED) > 0 ? LONGEST_OCCUPIED : doubled;
                }
                case CREDENTIALS -> {
                    launchBudget = 1;
                    out(at.plus(LONGEST_SHORTAGE), "refused for credentials: " + plain(message));
                }
                case INVALID -> {
                    launchBudget = 1;
                    out(at.plus(LONGEST_SHORTAGE), "refused as invalid: " + plain(message));
                }
                case THROTTLED -> out(at.plus(THROTTLED), "throttled");
            }
        }

        /** The longer of two absences counts, with its own reason. */
        private void out(Instant until, String why) {
            if (outUntil == null || until.isAfter(outUntil)) {
                outUntil = until;
                reason = why;
            }
        }

        OfferingStatus status(OfferingId id, Instant now, Duration bootEstimate, double reclaimsPerHour) {
            boolean out = outUntil != null && outUntil.isAfter(now);
            return new OfferingStatus(
                    id, out ? outUntil : null, launchBudget, bootEstimate, out ? reason : "", reclaimsPerHour);
        }
    }

    /** A provider's text goes to users' terminals: one line, bounded, no control characters. */
    private static String plain(String message) {
        String line = message.replaceAll("\\p{Cntrl}+", " ").strip();
        return line.length() <= MESSAGE_CHARACTERS ? line : line.substring(0, MESSAGE_CHARACTERS) + "...";
    }
}
