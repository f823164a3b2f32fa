package org.spillway.localcloud;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A page of a listing that is not the truth, though its status is good. What is asked for by id is told as it is. */
public final class Lie {
    private static final List<Fault.Kind> KINDS = List.of(
            Fault.Kind.LISTING_EMPTY,
            Fault.Kind.LISTING_HALF,
            Fault.Kind.LISTING_MOVED,
            Fault.Kind.LISTING_STALE,
            Fault.Kind.LISTING_ENDED);

    private final @Nullable Fault fault;

    private Lie(@Nullable Fault fault) {
        this.fault = fault;
    }

    /** The one that strikes here and now; its count goes down by one. */
    public static Lie strikes(CloudBehind cloud) {
        return new Lie(KINDS.stream()
                .map(kind -> cloud.strikes(kind, "", ""))
                .flatMap(Optional::stream)
                .findFirst()
                .orElse(null));
    }

    /** The page as it is told. @param lives whether that one has not ended: of others nobody lies */
    public <T> List<T> told(List<T> truth, Predicate<T> lives, Function<T, Instant> launchedAt, Instant now) {
        if (fault == null) {
            return truth;
        }
        return switch (fault.kind()) {
            case LISTING_EMPTY -> List.of();
            case LISTING_HALF -> truth.subList(0, secondHalf(truth, lives));
            case LISTING_MOVED -> {
                int last = lastOf(truth, lives);
                yield IntStream.range(0, truth.size())
                        .filter(i -> i != last)
                        .mapToObj(truth::get)
                        .toList();
            }
            case LISTING_STALE -> {
                Instant asOf = now.minus(Duration.ofMillis((long) (fault.seconds() * 1000)));
                yield truth.stream()
                        .filter(each -> !launchedAt.apply(each).isAfter(asOf))
                        .toList();
            }
            default -> truth;
        };
    }

    /** Whether the page says that none follows: a lie is one page long, and what is new would stand on the next one. */
    public boolean isLast() {
        return fault != null
                && switch (fault.kind()) {
                    case LISTING_EMPTY, LISTING_HALF, LISTING_STALE -> true;
                    default -> false;
                };
    }

    /** The place in the page of the one that is said to have ended; below 0 for none. */
    public <T> int ended(List<T> told, Predicate<T> lives) {
        return fault != null && fault.kind() == Fault.Kind.LISTING_ENDED ? lastOf(told, lives) : -1;
    }

    /** Where the second half of those that live begins: what has ended is missed by nobody. */
    private static <T> int secondHalf(List<T> page, Predicate<T> lives) {
        long left = page.stream().filter(lives).count() / 2;
        for (int i = 0; i < page.size(); i++) {
            if (lives.test(page.get(i)) && left-- == 0) {
                return i;
            }
        }
        return page.size() / 2;
    }

    private static <T> int lastOf(List<T> page, Predicate<T> lives) {
        for (int i = page.size() - 1; i >= 0; i--) {
            if (lives.test(page.get(i))) {
                return i;
            }
        }
        return -1;
    }
}
