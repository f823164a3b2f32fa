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
import org.spillway.policy.Resources;

/**
 * Packs shapes of one-node jobs by patterns: the whole parts of the fractional solution of {@link PatternMaster}, then the
 * same for what is left, and one pattern at a time where nothing is whole. Lives within one call.
 *
 * <p>Bounded: at most {@link #MOST_SHAPES} shapes and kinds of room, and {@link #MOST_ROUNDS} solutions.
 */
final class PatternPacking {
    static final int MOST_SHAPES = 48;
    static final int MOST_ROOMS = 48;
    private static final int MOST_ROUNDS = 16;
    /** Patterns on nodes that exist are to be tight, too, but any of them is cheaper than a new node. */
    private static final double EXISTING = 0.02;
    /** The fractional solution must be cheaper than first fit by this before it is made whole. */
    private static final double WORTH_IT = 0.99;

    private static final double GIB_32 = 32.0 * (1L << 30);
    private static final double ALMOST_WHOLE = 1e-6;

    /** Existing or new nodes that get the same slots; {@code room} is an index of the rooms given, or -1 for new ones. */
    record Placed(int room, List<Demand> demands, int[] slots, int count) {}

    private final List<Demand> demands;
    private final List<Integer> roomOfBin = new ArrayList<>();
    private final Knapsack[] bins;
    private final double[] prices;
    private final double dearest;
    private double worthLess;
    private boolean hopeless;
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
        dearest = Math.max(1, micros.stream().mapToDouble(price -> price).max().orElse(1));
        prices = new double[bins.length];
        for (int bin = 0; bin < prices.length; bin++) {
            prices[bin] = roomOfBin.get(bin) < 0
                    ? micros.get(bin) / dearest
                    : EXISTING * worth(rooms.get(roomOfBin.get(bin)).free(), offerings) / dearest;
        }
        left = demands.stream().mapToInt(Demand::jobs).toArray();
    }

    /** The least that a node with this room would cost by its scarcest resource alone; its size where nothing is offered. */
    private static double worth(Resources free, List<Offering> offerings) {
        double cpu = Double.MAX_VALUE;
        double memory = Double.MAX_VALUE;
        double gpu = Double.MAX_VALUE;
        for (Offering offering : offerings) {
            double price = (double) offering.pricePerHour().micros();
            Resources has = offering.resources();
            cpu = has.cpus() > 0 ? Math.min(cpu, price / has.cpus()) : cpu;
            memory = has.memoryBytes() > 0 ? Math.min(memory, price / has.memoryBytes()) : memory;
            gpu = has.gpus() > 0 ? Math.min(gpu, price / has.gpus()) : gpu;
        }
        if (offerings.isEmpty()) {
            return (free.cpus() / 8.0 + (double) free.memoryBytes() / GIB_32 + free.gpus()) / 1e4;
        }
        return Math.max(
                part(free.cpus(), cpu), Math.max(part((double) free.memoryBytes(), memory), part(free.gpus(), gpu)));
    }

    private static double part(double amount, double price) {
        return amount == 0 || price == Double.MAX_VALUE ? 0 : amount * price;
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

    private static final Comparator<Offering> BY_PRICE = Offering.CHEAPEST_FIRST;

    /**
     * @param demands of one node each, at most {@link #MOST_SHAPES}
     * @return what goes where; null when there are too many kinds of room. What is not in it found no pattern
     */
    static @Nullable List<Placed> of(
            List<Demand> demands, List<Room> rooms, List<Offering> offerings, double worthLess) {
        PatternPacking packing = new PatternPacking(demands, rooms, offerings);
        long limited = packing.roomOfBin.stream().filter(room -> room >= 0).count();
        if (demands.isEmpty() || demands.size() > MOST_SHAPES || limited > MOST_ROOMS || packing.bins.length == 0) {
            return null;
        }
        packing.worthLess = worthLess / packing.dearest * WORTH_IT;
        for (int round = 0; round < MOST_ROUNDS && packing.round(); round++) {
            // Until nothing is left, or nothing more can be placed.
        }
        return packing.hopeless ? null : packing.placed;
    }

    private boolean round() {
        boolean waits = false;
        for (int count : left) {
            waits |= count > 0;
        }
        if (!waits) {
            return false;
        }
        PatternMaster master = new PatternMaster(bins, prices, limits, left, pool);
        List<PatternMaster.Use> solution = master.solve(left);
        if (placed.isEmpty() && worthLess > 0 && master.price() > worthLess) {
            hopeless = true;
            return false;
        }
        List<PatternMaster.Use> uses = solution.stream()
                .sorted(Comparator.comparingDouble(PatternMaster.Use::times).reversed())
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
