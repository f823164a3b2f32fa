package org.spillway.head.journal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.LaunchRequest;
import org.spillway.policy.Money;

/**
 * The machine of a cluster's head.
 *
 * @param request as it is, or will be, called; null before
 * @param pricePerHour of the offering
 * @param calledAt before the call; null before
 * @param instance the provider's id; null until one is named
 * @param goneAt when it was proven gone; null before
 * @param stops when it was off and cost less, oldest first; the last one's end is null while it is. What it was off
 *     for at a price that nobody knows is not among them, and counts in full
 */
public record ClusterMachine(
        @Nullable LaunchRequest request,
        Money pricePerHour,
        @Nullable Instant calledAt,
        @Nullable String instance,
        String address,
        int sshPort,
        String inside,
        @Nullable Instant goneAt,
        List<Purchase.Stop> stops) {
    public static final ClusterMachine NONE =
            new ClusterMachine(null, Money.ZERO, null, null, "", 0, "", null, List.of());

    public ClusterMachine {
        // Absent in what earlier releases have journalled.
        stops = stops == null ? List.of() : List.copyOf(stops);
    }

    public ClusterMachine planned(LaunchRequest next, Money price) {
        return new ClusterMachine(next, price, null, null, "", 0, "", null, List.of());
    }

    public ClusterMachine called(Instant at) {
        return new ClusterMachine(request, pricePerHour, at, instance, address, sshPort, inside, goneAt, stops);
    }

    /** The machine is listed, so that it costs, whatever was proven before. */
    public ClusterMachine named(String id, String where, int port, String within) {
        return new ClusterMachine(request, pricePerHour, calledAt, id, where, port, within, null, stops);
    }

    /** The machine costs nothing any more; what is proven twice counts from the first time. */
    public ClusterMachine gone(Instant at) {
        Instant first = goneAt == null ? at : goneAt;
        return new ClusterMachine(request, pricePerHour, calledAt, instance, address, sshPort, inside, first, stops);
    }

    /** The machine is off, and costs that from now on. */
    public ClusterMachine off(Money price, Instant now) {
        List<Purchase.Stop> all = new ArrayList<>(stops);
        all.add(new Purchase.Stop(price, now, null));
        return stopped(all);
    }

    /** The machine is switched on: its whole price counts again. */
    public ClusterMachine on(Instant now) {
        List<Purchase.Stop> all = new ArrayList<>();
        for (Purchase.Stop stop : stops) {
            all.add(
                    stop.until() == null
                            ? new Purchase.Stop(
                                    stop.pricePerHour(), stop.from(), now.isAfter(stop.from()) ? now : stop.from())
                            : stop);
        }
        return stopped(all);
    }

    private ClusterMachine stopped(List<Purchase.Stop> all) {
        return new ClusterMachine(request, pricePerHour, calledAt, instance, address, sshPort, inside, goneAt, all);
    }

    /** The price of an hour of the machine as it is now. */
    public Money priceNow() {
        if (calledAt == null || goneAt != null) {
            return Money.ZERO;
        }
        return !stops.isEmpty() && stops.getLast().until() == null
                ? stops.getLast().pricePerHour()
                : pricePerHour;
    }

    /** The machine's cost so far, from the moment before its call. */
    public Money cost(Instant now) {
        if (calledAt == null) {
            return Money.ZERO;
        }
        Instant end = goneAt == null ? now : goneAt;
        if (!end.isAfter(calledAt)) {
            return Money.ZERO;
        }
        Duration on = Duration.between(calledAt, end);
        Money off = Money.ZERO;
        for (Purchase.Stop stop : stops) {
            Instant until = stop.until() == null || stop.until().isAfter(end) ? end : stop.until();
            if (until.isAfter(stop.from())) {
                Duration length = Duration.between(stop.from(), until);
                on = on.minus(length);
                off = off.plus(stop.pricePerHour().perHourFor(length));
            }
        }
        return pricePerHour.perHourFor(on).plus(off);
    }
}
