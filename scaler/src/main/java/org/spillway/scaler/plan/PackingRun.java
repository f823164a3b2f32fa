package org.spillway.scaler.plan;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.spillway.policy.Demand;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.policy.Resources;

/** A packing while it is made; see {@link FirstFitPlanner}. Lives within one call. */
final class PackingRun {
    private static final double TIGHT = 1.02;

    private final List<Offering> offerings;
    private final List<Offering> byPrice;
    private final Map<String, Integer> onExisting = new HashMap<>();
    private final Set<String> nodesUsed = new HashSet<>();
    private final Map<String, String> unplaced = new HashMap<>();
    private List<Room> rooms;
    private final Reach reach;
    private long missing;

    PackingRun(List<Room> existing, List<Offering> offerings, Reach reach) {
        this.reach = reach;
        this.rooms = existing;
        this.offerings = offerings;
        byPrice = offerings.stream()
                .sorted(Comparator.comparing(Offering::pricePerHour)
                        .thenComparing(one -> one.id().market(), Market.PAID_ANYWAY_FIRST))
                .toList();
    }

    void place(Demand demand) {
        if (demand.nodes() == 1) {
            placeSingles(demand);
        } else {
            placeGangs(demand);
        }
    }

    /**
     * Gangs as {@link #place} does, then the others by patterns, and what finds none as {@code place} does.
     *
     * @param largestFirst sorted
     * @param worthLess a price that patterns must come clearly below
     * @return false when there is too much to be worth it; nothing is of use then
     */
    boolean placeByPatterns(List<Demand> largestFirst, BigInteger worthLess) {
        largestFirst.stream().filter(demand -> demand.nodes() > 1).forEach(this::place);
        List<Demand> singles =
                largestFirst.stream().filter(demand -> demand.nodes() == 1).toList();
        List<Room> before = rooms;
        List<PatternPacking.Placed> patterns = PatternPacking.of(
                singles, before, offerings, worthLess.subtract(price()).doubleValue());
        if (patterns == null) {
            return false;
        }
        Map<String, Integer> left = new HashMap<>();
        singles.forEach(demand -> left.put(demand.shape(), demand.jobs()));
        int[] usedOf = new int[before.size()];
        List<Room> after = new ArrayList<>();
        for (PatternPacking.Placed one : patterns) {
            Room room = one.room() < 0
                    ? boughtFor(one)
                    : before.get(one.room()).part(usedOf[one.room()], one.count(), one.demands(), one.slots());
            if (one.room() >= 0) {
                usedOf[one.room()] += one.count();
            }
            after.add(taken(room));
            for (int shape = 0; shape < one.slots().length; shape++) {
                int slots = one.slots()[shape] * one.count();
                if (slots > 0) {
                    String name = one.demands().get(shape).shape();
                    left.merge(name, -slots, Integer::sum);
                    if (room.exists()) {
                        onExisting.merge(name, slots, Integer::sum);
                    }
                }
            }
        }
        for (int i = 0; i < usedOf.length; i++) {
            if (usedOf[i] < before.get(i).count()) {
                after.add(before.get(i).rest(usedOf[i]));
            }
        }
        rooms = after;
        for (Demand demand : singles) {
            int jobs = left.getOrDefault(demand.shape(), 0);
            if (jobs > 0) {
                place(demand.withJobs(jobs));
            }
        }
        return true;
    }

    private Room boughtFor(PatternPacking.Placed one) {
        List<Demand> on = new ArrayList<>();
        Resources used = Resources.NONE;
        for (int shape = 0; shape < one.slots().length; shape++) {
            if (one.slots()[shape] > 0) {
                on.add(one.demands().get(shape));
                used = used.plus(Slots.times(one.demands().get(shape).perNode(), one.slots()[shape]));
            }
        }
        Resources total = used;
        Demand oldest = on.stream()
                .min(Comparator.comparing(Demand::oldestSubmit).thenComparing(Demand::shape))
                .orElseThrow();
        List<Offering> acceptable = offerings.stream()
                .filter(offering -> total.fitsIn(offering.resources())
                        && on.stream().allMatch(demand -> Room.permits(demand, offering)))
                .sorted(Comparator.comparing(Offering::pricePerHour).thenComparing(Cheapest.preference(oldest)))
                .toList();
        return Room.bought(on.stream().map(Demand::shape).toList(), acceptable, one.count(), total);
    }

    /** Places on what exists alone, on nodes that nothing else was placed on. */
    void placeApart(Demand demand) {
        place(demand);
        rooms = rooms.stream().filter(room -> room.shapes().isEmpty()).collect(Collectors.toCollection(ArrayList::new));
    }

    /** Price of an hour of all that is bought. */
    BigInteger price() {
        BigInteger sum = BigInteger.ZERO;
        for (Room room : rooms) {
            if (!room.exists()) {
                sum = sum.add(Cheapest.priceOf(room.acceptable().get(0), room.count()));
            }
        }
        return sum;
    }

    /** Also what a later look found missing. */
    void alsoBuys(List<Room> more) {
        List<Room> all = new ArrayList<>(rooms);
        more.stream().filter(room -> !room.exists()).forEach(all::add);
        rooms = all;
    }

    long nodesBought() {
        return rooms.stream()
                .filter(room -> !room.exists())
                .mapToLong(Room::count)
                .sum();
    }

    boolean buys() {
        return rooms.stream().anyMatch(room -> !room.exists());
    }

    /**
     * Whether all found a place and what is bought costs hardly more than the scarcest of its resources would alone,
     * wherever that is cheapest: then no other packing is cheaper by more than 2 %.
     */
    boolean isTight() {
        double[] used = new double[3];
        double[] cheapest = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
        for (Room room : rooms) {
            if (!room.exists()) {
                used[0] += (double) room.used().cpus() * room.count();
                used[1] += (double) room.used().memoryBytes() * room.count();
                used[2] += (double) room.used().gpus() * room.count();
            }
        }
        for (Offering offering : offerings) {
            double price = (double) offering.pricePerHour().micros();
            Resources has = offering.resources();
            double[] sizes = {has.cpus(), (double) has.memoryBytes(), has.gpus()};
            for (int size = 0; size < sizes.length; size++) {
                cheapest[size] = sizes[size] == 0 ? cheapest[size] : Math.min(cheapest[size], price / sizes[size]);
            }
        }
        double bound = 0;
        for (int size = 0; size < used.length; size++) {
            bound = used[size] == 0 ? bound : Math.max(bound, used[size] * cheapest[size]);
        }
        return missing == 0 && price().doubleValue() <= bound * TIGHT;
    }

    /** Node slots that found no place. */
    long missing() {
        return missing;
    }

    private void placeSingles(Demand demand) {
        int left = demand.jobs();
        List<Offering> fitting = fitting(demand);
        left -= (int) fill(demand, worthIt(demand, fitting), left, left);
        while (left > 0) {
            int jobs = left;
            Optional<Offering> best = fitting.stream().min(Cheapest.cheapestPerSlot(demand, jobs));
            if (best.isEmpty()) {
                unplaced.put(demand.shape(), Unplaced.reason(demand, offerings));
                missing += left;
                return;
            }
            int slots = Slots.fit(demand.perNode(), best.get().resources(), jobs);
            add(Room.bought(demand, Cheapest.acceptable(demand, fitting, best.get(), slots), jobs / slots, slots, ""));
            // The remainder is less than a node of this offering holds, so each offering is met at most twice.
            left = jobs % slots;
        }
    }

    private void placeGangs(Demand demand) {
        int left = demand.jobs();
        for (Map.Entry<GangPlace, List<Room>> place : byPlace(demand)) {
            int jobs = Slots.wholeGangs(left, demand.nodes(), most -> slots(demand, place.getValue(), most));
            if (jobs > 0) {
                fill(demand, in(place.getKey()), (long) jobs * demand.nodes(), jobs);
            }
            left -= jobs;
        }
        if (left == 0) {
            return;
        }
        int jobs = left;
        List<Offering> fitting = fitting(demand);
        Partners partners = partners(demand, jobs);
        Optional<Offering> best = fitting.stream().min(cheapestForGangs(demand, jobs, partners));
        if (best.isEmpty()) {
            unplaced.put(demand.shape(), Unplaced.reason(demand, offerings));
            missing += (long) jobs * demand.nodes();
            return;
        }
        buyGangs(demand, fitting, best.get(), jobs, partners);
    }

    /**
     * Nodes beside which new ones would make a gang whole.
     *
     * @param nodes of one gang that would find room
     * @param slots of all gangs that would
     */
    private record Partial(GangPlace place, long nodes, long slots) {
        /** By what {@link GangParts} sees too. */
        static final Comparator<Partial> LEAST =
                Comparator.comparingLong(Partial::nodes).thenComparing(Partial::place, GangPlace.BY_NAME.reversed());
    }

    /** By the place of an offering without a group: the most that there is of the gangs in one group of it. */
    private record Partners(Map<GangPlace, Partial> byPlace) {
        Optional<Partial> of(Offering offering) {
            return Optional.ofNullable(byPlace.get(GangPlace.of(offering, "")));
        }

        long slots(Offering offering) {
            return of(offering).map(Partial::slots).orElse(0L);
        }
    }

    private Partners partners(Demand demand, int jobs) {
        Map<GangPlace, Partial> best = new HashMap<>();
        for (Map.Entry<GangPlace, List<Room>> one : byPlace(demand)) {
            GangPlace place = one.getKey();
            best.merge(
                    new GangPlace(place.site(), place.zone(), place.fabric(), ""),
                    new Partial(place, slots(demand, one.getValue(), 1), slots(demand, one.getValue(), jobs)),
                    (a, b) -> Partial.LEAST.compare(a, b) >= 0 ? a : b);
        }
        return new Partners(best);
    }

    /** The rooms that exist with room for the demand, the site that it prefers first. */
    private List<Map.Entry<GangPlace, List<Room>>> byPlace(Demand demand) {
        Map<GangPlace, List<Room>> places = new LinkedHashMap<>();
        for (Room room : rooms) {
            if (room.exists() && room.slotsPerNode(demand, 1) > 0) {
                places.computeIfAbsent(room.place(), place -> new ArrayList<>()).add(room);
            }
        }
        return places.entrySet().stream()
                .sorted(Comparator.comparingInt(
                        place -> demand.sites().indexOf(place.getKey().site())))
                .toList();
    }

    private static long slots(Demand demand, List<Room> rooms, int mostPerNode) {
        long slots = 0;
        for (Room room : rooms) {
            slots += (long) room.slotsPerNode(demand, mostPerNode) * room.count();
        }
        return slots;
    }

    private void buyGangs(Demand demand, List<Offering> fitting, Offering offering, int jobs, Partners partners) {
        Partial partial = partners.of(offering).orElse(null);
        long there = partial == null ? 0 : partial.slots();
        long slots = (long) jobs * demand.nodes() - there;
        int nodes = clamp(newNodes(demand, offering, jobs, partners));
        int perNode = (int) ((slots + nodes - 1) / nodes);
        List<Offering> acceptable = Cheapest.acceptable(demand, fitting, offering, perNode);
        if (partial == null) {
            add(Room.bought(demand, acceptable, nodes, perNode, "~" + demand.shape()));
            return;
        }
        List<Room> others = rooms;
        int completing = Math.min(nodes, demand.nodes() - (int) partial.nodes());
        fill(demand, in(partial.place()), there, jobs);
        if (!reach.has(demand, offering, completing)) {
            // A part of a gang waits there, and others may have the room until the rest can be had.
            rooms = others;
        }
        // With partners among existing nodes, the few nodes that complete one gang come first and on their own:
        // they may be affordable where the rest is not.
        List<Offering> choice = acceptable.stream()
                .filter(other -> GangPlace.of(other, "").isBeside(partial.place()))
                .toList();
        String group = partial.place().group();
        add(Room.bought(demand, choice, completing, perNode, group));
        if (nodes > completing) {
            add(Room.bought(demand, choice, nodes - completing, perNode, group));
        }
    }

    private static long newNodes(Demand demand, Offering offering, int jobs, Partners partners) {
        int slots = Slots.fit(demand.perNode(), offering.resources(), jobs);
        long missing = (long) jobs * demand.nodes() - partners.slots(offering);
        return (missing + slots - 1) / slots;
    }

    private static int clamp(long count) {
        return (int) Math.min(Integer.MAX_VALUE, count);
    }

    private static Predicate<Room> in(GangPlace place) {
        return room -> room.exists() && room.place().equals(place);
    }

    /** Places up to {@code wanted} slots, on each node at most {@code mostPerNode}; returns how many found room. */
    private long fill(Demand demand, Predicate<Room> where, long wanted, int mostPerNode) {
        int first = firstWithRoom(demand, where, mostPerNode);
        if (first == rooms.size() || wanted == 0) {
            return 0;
        }
        List<Room> after = new ArrayList<>(rooms.size() + 2);
        after.addAll(rooms.subList(0, first));
        long placed = 0;
        for (Room room : rooms.subList(first, rooms.size())) {
            int slots = placed < wanted && where.test(room) ? room.slotsPerNode(demand, mostPerNode) : 0;
            if (slots == 0) {
                after.add(room);
                continue;
            }
            long here = Math.min(wanted - placed, (long) slots * room.count());
            int full = (int) (here / slots);
            int rest = (int) (here % slots);
            if (full > 0) {
                after.add(taken(room.take(demand, 0, full, slots)));
            }
            if (rest > 0) {
                after.add(taken(room.take(demand, full, 1, rest)));
            }
            int touched = full + (rest > 0 ? 1 : 0);
            if (touched < room.count()) {
                after.add(room.rest(touched));
            }
            if (room.exists()) {
                onExisting.merge(demand.shape(), clamp(here), Integer::sum);
            }
            placed += here;
        }
        rooms = after;
        return placed;
    }

    private int firstWithRoom(Demand demand, Predicate<Room> where, int mostPerNode) {
        for (int i = 0; i < rooms.size(); i++) {
            if (rooms.get(i).slotsPerNode(demand, mostPerNode) > 0 && where.test(rooms.get(i))) {
                return i;
            }
        }
        return rooms.size();
    }

    private Room taken(Room room) {
        nodesUsed.addAll(room.nodes());
        return room;
    }

    private void add(Room room) {
        // A list that was given is not ours to change.
        if (!(rooms instanceof ArrayList<Room>)) {
            rooms = new ArrayList<>(rooms);
        }
        rooms.add(room);
    }

    private List<Offering> fitting(Demand demand) {
        return byPrice.stream()
                .filter(offering -> Room.permits(demand, offering))
                .toList();
    }

    /** Rooms that exist or are bought cost nothing more, but moving a job there may cost more than a new node. */
    private static Predicate<Room> worthIt(Demand demand, List<Offering> fitting) {
        Optional<Offering> best = TransferPrice.differs(demand)
                ? fitting.stream().min(Cheapest.cheapestPerSlot(demand, demand.jobs()))
                : Optional.empty();
        if (best.isEmpty()) {
            return room -> true;
        }
        int slots = Slots.fit(demand.perNode(), best.get().resources(), demand.jobs());
        BigInteger onNew = TransferPrice.cost(demand, best.get(), 1, slots);
        return room ->
                room.exists() || TransferPrice.of(demand, room.site(), slots).compareTo(onNew) <= 0;
    }

    private static Comparator<Offering> cheapestForGangs(Demand demand, int jobs, Partners partners) {
        boolean moves = TransferPrice.differs(demand);
        return Comparator.<Offering, BigInteger>comparing(offering -> {
                    long nodes = newNodes(demand, offering, jobs, partners);
                    return moves
                            ? TransferPrice.cost(demand, offering, nodes, jobs)
                            : Cheapest.priceOf(offering, nodes);
                })
                .thenComparing(Cheapest.preference(demand));
    }

    List<Room> rooms() {
        return rooms;
    }

    Map<String, Integer> onExisting() {
        return onExisting;
    }

    Set<String> nodesUsed() {
        return nodesUsed;
    }

    Map<String, String> unplaced() {
        return unplaced;
    }
}
