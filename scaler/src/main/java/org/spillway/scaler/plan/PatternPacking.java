package org.spillway.scaler.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Demand;
import org.spillway.policy.Offering;

/**
 * Packs shapes of one-node jobs by patterns: the whole parts of the fractional solution of {@link PatternMaster}, then the
 * same for what is left, and one pattern at a time where nothing is whole. Lives within one call.
 *
 * <p>Bounded: at most {@link #MOST_SHAPES} shapes and kinds of room, and {@link #MOST_ROUNDS} solutions.
 */
final class PatternPacking {
    static final int MOST_SHAPES = 48;
    static final int MOST_ROOMS = 48;
    private static final int MOST_ROUNDS = 32;
    private static final double ALMOST_WHOLE = 1e-6;

    /** Existing or new nodes that get the same slots; {@code room} is an index of the rooms given, or -1 for new ones. */
    record Placed(int room, List<Demand> demands, int[] slots, int count) {}

    private final List<Demand> demands;
    private final List<Integer> roomOfBin = new ArrayList<>();
    private final Knapsack[] bins;
    private final double[] prices;
    private final int[] limits;
    private final int[] left;
    private final List<PatternMaster.Pattern> pool = new ArrayList<>();
    private final List<Placed> placed = new ArrayList<>();

    private PatternPacking(List<Demand> demands, List<Room> rooms, List<Offering> offerings) {
        this.demands = demands;
        List<Knapsack> all = new ArrayList<>();
        List<Integer> counts = new ArrayList<>();
        List<Double> micros = new ArrayList<>();
        for (int i = 0; i < rooms.size(); i++) {
            Room room = rooms.get(i);
            boolean[] permitted = new boolean[demands.size()];
            boolean any = false;
            for (int shape = 0; shape < permitted.length; shape++) {
                permitted[shape] = room.exists() && room.slotsPerNode(demands.get(shape), 1) > 0;
                any |= permitted[shape];
            }
            if (any) {
                roomOfBin.add(i);
                all.add(new Knapsack(room.free(), demands, permitted));
                counts.add(room.count());
                micros.add(0.0);
            }
        }
        for (Offering offering : cheapestOfAlike(demands, offerings)) {
            boolean[] permitted = new boolean[demands.size()];
            for (int shape = 0; shape < permitted.length; shape++) {
                permitted[shape] = Room.permits(demands.get(shape), offering);
            }
            roomOfBin.add(-1);
            all.add(new Knapsack(offering.resources(), demands, permitted));
            counts.add(-1);
            micros.add((double) offering.pricePerHour().micros());
        }
        bins = all.toArray(Knapsack[]::new);
        limits = counts.stream().mapToInt(count -> count).toArray();
        double dearest =
                Math.max(1, micros.stream().mapToDouble(price -> price).max().orElse(1));
        prices = micros.stream().mapToDouble(price -> price / dearest).toArray();
        left = demands.stream().mapToInt(Demand::jobs).toArray();
    }

    /** Of offerings that hold the same shapes in the same resources, only the cheapest matters here. */
    private static List<Offering> cheapestOfAlike(List<Demand> demands, List<Offering> offerings) {
        record Kind(Object resources, BitSet shapes) {}
        Map<Kind, Offering> cheapest = new HashMap<>();
        for (Offering offering : offerings) {
            BitSet shapes = new BitSet();
            for (int shape = 0; shape < demands.size(); shape++) {
                shapes.set(shape, Room.permits(demands.get(shape), offering));
            }
            if (!shapes.isEmpty()) {
                cheapest.merge(
                        new Kind(offering.resources(), shapes),
                        offering,
                        (a, b) -> BY_PRICE.compare(a, b) <= 0 ? a : b);
            }
        }
        return cheapest.values().stream().sorted(BY_PRICE).toList();
    }

    private static final Comparator<Offering> BY_PRICE =
            Comparator.comparing(Offering::pricePerHour).thenComparing(Offering::id);

    /**
     * @param demands of one node each, at most {@link #MOST_SHAPES}
     * @return what goes where; null when there are too many kinds of room. What is not in it found no pattern
     */
    static @Nullable List<Placed> of(List<Demand> demands, List<Room> rooms, List<Offering> offerings) {
        PatternPacking packing = new PatternPacking(demands, rooms, offerings);
        long limited = packing.roomOfBin.stream().filter(room -> room >= 0).count();
        if (demands.isEmpty() || demands.size() > MOST_SHAPES || limited > MOST_ROOMS || packing.bins.length == 0) {
            return null;
        }
        for (int round = 0; round < MOST_ROUNDS && packing.round(); round++) {
            // Until nothing is left, or nothing more can be placed.
        }
        return packing.placed;
    }

    private boolean round() {
        boolean waits = false;
        for (int count : left) {
            waits |= count > 0;
        }
        if (!waits) {
            return false;
        }
        List<PatternMaster.Use> uses = new PatternMaster(bins, prices, limits, left, pool)
                .solve(left).stream()
                        .sorted(Comparator.comparingDouble(PatternMaster.Use::times)
                                .reversed())
                        .toList();
        boolean any = false;
        for (PatternMaster.Use use : uses) {
            any |= put(use.pattern(), (int) Math.min(Integer.MAX_VALUE, use.times() + ALMOST_WHOLE));
        }
        return any || (!uses.isEmpty() && put(uses.get(0).pattern(), 1));
    }

    private boolean put(PatternMaster.Pattern pattern, int times) {
        int bin = pattern.bin();
        int count = limits[bin] < 0 ? times : Math.min(times, limits[bin]);
        boolean any = false;
        for (int shape = 0; shape < left.length; shape++) {
            if (pattern.slots()[shape] > 0) {
                count = Math.min(count, left[shape] / pattern.slots()[shape]);
                any = true;
            }
        }
        if (count <= 0 || !any) {
            return false;
        }
        for (int shape = 0; shape < left.length; shape++) {
            left[shape] -= pattern.slots()[shape] * count;
        }
        limits[bin] -= limits[bin] < 0 ? 0 : count;
        placed.add(new Placed(roomOfBin.get(bin), demands, pattern.slots().clone(), count));
        return true;
    }
}
