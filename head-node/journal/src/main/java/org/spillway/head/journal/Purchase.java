package org.spillway.head.journal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/**
 * A node's purchase, and for how long its price counts.
 *
 * @param from when its price may have begun to run; null while nothing was asked of a provider
 * @param to when it was known to be gone; null before
 * @param committedFor how long, from {@code from}, its price is reserved in the budget
 * @param stretches for whom it was there, the earliest first; none for nobody in particular, and in what earlier
 *     releases have journalled
 * @param takenBack its provider ended it while it served, and the head had not asked for that
 * @param stops when it was stopped and cost less, oldest first; the last one's end is null while it is. What it was
 *     stopped for at a price that nobody knows is not among them, and counts in full
 */
public record Purchase(
        OfferingId offering,
        Resources resources,
        Money pricePerHour,
        @Nullable Instant from,
        @Nullable Instant to,
        Duration committedFor,
        List<Stretch> stretches,
        boolean takenBack,
        List<Stop> stops) {
    /** A node that serves many in turn must not grow without bound. */
    static final int MOST_STRETCHES = 32;

    /** More are forgotten, the oldest first, and then count in full. */
    private static final int MOST_STOPS = 100;

    static final Purchase NOTHING = of(draft -> {});

    public Purchase {
        stretches = stretches == null ? List.of() : List.copyOf(stretches);
        // Absent in what earlier releases have journalled.
        stops = stops == null
                ? List.of()
                : List.copyOf(stops.subList(Math.max(0, stops.size() - MOST_STOPS), stops.size()));
    }

    /**
     * For whom a node is there: those it was bought for, then those whose jobs it has or had last.
     *
     * @param from when that began; it lasts until the next stretch, the last one until the node's end
     */
    public record Stretch(Instant from, Holders holders) {}

    /**
     * A time in which it was stopped.
     *
     * @param pricePerHour of what it keeps meanwhile, such as its disk
     * @param until when it was started again; null before
     */
    public record Stop(
            Money pricePerHour, Instant from, @Nullable Instant until) {}

    /** A purchase by the names of its parts; those that {@code made} leaves alone are as {@link Draft} has them. */
    public static Purchase of(Consumer<Draft> made) {
        Draft draft = new Draft();
        made.accept(draft);
        return draft.made();
    }

    /** The same but for what {@code changed} sets. */
    public Purchase with(Consumer<Draft> changed) {
        Draft draft = new Draft();
        draft.offering = offering;
        draft.resources = resources;
        draft.pricePerHour = pricePerHour;
        draft.from = from;
        draft.to = to;
        draft.committedFor = committedFor;
        draft.stretches = stretches;
        draft.takenBack = takenBack;
        draft.stops = stops;
        changed.accept(draft);
        return draft.made();
    }

    /** From now on it costs that much, until it is started. */
    Purchase stoppedAt(Money stoppedPricePerHour, Instant now) {
        List<Stop> more = new ArrayList<>(stops);
        more.add(new Stop(stoppedPricePerHour, now, null));
        return with(draft -> draft.stops = more);
    }

    /** The full price again. */
    Purchase startedAt(Instant now) {
        List<Stop> ended = stops.stream()
                .map(stop -> stop.until() == null ? new Stop(stop.pricePerHour(), stop.from(), now) : stop)
                .toList();
        return with(draft -> draft.stops = ended);
    }

    /** From now on it is there for these. */
    Purchase heldBy(Holders holders, Instant now) {
        List<Stretch> longer = new ArrayList<>(stretches);
        longer.add(new Stretch(now, holders));
        if (longer.size() > MOST_STRETCHES) {
            // Nobody's part becomes smaller: those two count for all who were in either.
            Stretch first = longer.removeFirst();
            longer.set(
                    0,
                    new Stretch(
                            first.from(), first.holders().and(longer.getFirst().holders())));
        }
        return with(draft -> draft.stretches = longer);
    }

    /** Parts of one that is being made. */
    public static final class Draft {
        public OfferingId offering = new OfferingId("", "", "", Market.ON_DEMAND);
        public Resources resources = Resources.NONE;
        public Money pricePerHour = Money.ZERO;
        public @Nullable Instant from;
        public @Nullable Instant to;
        public Duration committedFor = Duration.ZERO;
        public List<Stretch> stretches = List.of();
        public boolean takenBack;
        public List<Stop> stops = List.of();

        private Draft() {}

        /** The offering, what it has and its price. */
        public void sold(Offering sold) {
            offering = sold.id();
            resources = sold.resources();
            pricePerHour = sold.pricePerHour();
        }

        private Purchase made() {
            return new Purchase(offering, resources, pricePerHour, from, to, committedFor, stretches, takenBack, stops);
        }
    }
}
