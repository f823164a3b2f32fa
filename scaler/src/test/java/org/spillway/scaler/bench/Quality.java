package org.spillway.scaler.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.ojalgo.optimisation.Expression;
import org.ojalgo.optimisation.ExpressionsBasedModel;
import org.ojalgo.optimisation.Optimisation;
import org.ojalgo.optimisation.Variable;
import org.spillway.policy.Demand;
import org.spillway.policy.Offering;
import org.spillway.policy.Planner;
import org.spillway.policy.Resources;
import org.spillway.scaler.plan.FirstFitPlanner;

/**
 * The price of a plan against the linear bound of the cutting-stock formulation (Gilmore and Gomory), with ojAlgo as the
 * solver. The bound's dual is solved by cutting planes; a cut is the most valuable pattern of an offering, found by
 * branch and bound. Duals that are not yet feasible are scaled until they are (A. A. Farley, 1990), so that the bound is
 * a bound whenever it is stopped.
 */
final class Quality {
    private static final int MOST_CUTS = 400;
    private static final double CLOSE = 1.002;
    private static final long MOST_STEPS = 20_000_000;

    private final List<Demand> demands;
    private final List<Offering> offerings;
    private final List<Pattern> patterns = new ArrayList<>();

    private record Pattern(double price, int[] slots) {}

    record Result(double bound, double price, int nodes, double seconds) {
        double ratio() {
            return price / bound;
        }
    }

    Quality(List<Demand> demands, List<Offering> offerings) {
        this.demands = demands;
        Map<Object, Offering> cheapest = new HashMap<>();
        offerings.forEach(one -> cheapest.merge(
                one.resources(), one, (a, b) -> a.pricePerHour().compareTo(b.pricePerHour()) <= 0 ? a : b));
        this.offerings = List.copyOf(cheapest.values());
    }

    static Result plan(List<Demand> demands, List<Offering> offerings, double bound) {
        long begin = System.nanoTime();
        Planner.Packing packing = new FirstFitPlanner(offerings).pack(demands, List.of(), offerings);
        double seconds = (System.nanoTime() - begin) / 1e9;
        Map<Object, Offering> byId = new HashMap<>();
        offerings.forEach(one -> byId.put(one.id(), one));
        double price = 0;
        int nodes = 0;
        for (Planner.Bought bought : packing.bought()) {
            price += bought.count()
                    * (double)
                            byId.get(bought.offerings().get(0)).pricePerHour().micros();
            nodes += bought.count();
        }
        if (!packing.unplaced().isEmpty()) {
            throw new IllegalStateException("not placed: " + packing.unplaced());
        }
        return new Result(bound, price, nodes, seconds);
    }

    double bound() {
        double best = 0;
        for (int cut = 0; cut < MOST_CUTS; cut++) {
            double[] duals = duals();
            double value = 0;
            for (int shape = 0; shape < duals.length; shape++) {
                value += duals[shape] * demands.get(shape).jobs();
            }
            double scale = 1;
            for (Offering offering : offerings) {
                double price = offering.pricePerHour().micros();
                Knapsack found = knapsack(offering, duals);
                scale = Math.max(scale, found.atMost() / price);
                if (found.worth() > price * (1 + 1e-9)) {
                    patterns.add(new Pattern(price, found.slots()));
                }
            }
            best = Math.max(best, value / scale);
            if (scale < CLOSE) {
                break;
            }
        }
        return best;
    }

    private double[] duals() {
        ExpressionsBasedModel model = new ExpressionsBasedModel();
        List<Variable> worths = new ArrayList<>();
        for (Demand demand : demands) {
            // No job is worth more than a node for itself.
            double alone = offerings.stream()
                    .filter(one -> demand.perNode().fitsIn(one.resources()))
                    .mapToDouble(one -> one.pricePerHour().micros())
                    .min()
                    .orElseThrow();
            worths.add(model.newVariable(demand.shape())
                    .lower(0)
                    .upper(alone / 1e6)
                    .weight(demand.jobs()));
        }
        int number = 0;
        for (Pattern pattern : patterns) {
            Expression row = model.newExpression("p" + number++).upper(pattern.price() / 1e6);
            for (int shape = 0; shape < pattern.slots().length; shape++) {
                if (pattern.slots()[shape] > 0) {
                    row.set(worths.get(shape), pattern.slots()[shape]);
                }
            }
        }
        Optimisation.Result result = model.maximise();
        double[] duals = new double[demands.size()];
        for (int shape = 0; shape < duals.length; shape++) {
            duals[shape] = Math.max(0, result.doubleValue(shape)) * 1e6;
        }
        return duals;
    }

    /** @param atMost no pattern is worth more: equal to {@code worth} when the solver has proved it */
    private record Knapsack(int[] slots, double worth, double atMost) {}

    private Knapsack knapsack(Offering offering, double[] duals) {
        Exact exact = new Exact(offering.resources(), duals);
        exact.descend(0, exact.room, 0);
        return new Knapsack(exact.best, exact.bestWorth, exact.steps < MOST_STEPS ? exact.bestWorth : exact.first);
    }

    /** Depth first with the bound of each size alone; exact unless it is broken off. */
    private final class Exact {
        private final long[] room;
        private final long[][] needs;
        private final int[] order;
        private final double[] duals;
        private final double[][] perUnit;
        private final int[] slots;
        private final double first;
        private int[] best;
        private double bestWorth;
        private long steps;

        Exact(Resources has, double[] duals) {
            this.duals = duals;
            room = sizes(has);
            needs = new long[duals.length][];
            for (int shape = 0; shape < duals.length; shape++) {
                needs[shape] = sizes(demands.get(shape).perNode());
            }
            order = IntStream.range(0, duals.length)
                    .filter(shape ->
                            duals[shape] > 1e-9 && demands.get(shape).perNode().fitsIn(has))
                    .boxed()
                    .sorted(Comparator.comparingDouble(shape -> -duals[shape] / share(needs[shape])))
                    .mapToInt(shape -> shape)
                    .toArray();
            perUnit = new double[order.length + 1][room.length];
            for (int place = order.length - 1; place >= 0; place--) {
                for (int size = 0; size < room.length; size++) {
                    long need = needs[order[place]][size];
                    perUnit[place][size] = Math.max(
                            perUnit[place + 1][size],
                            need == 0 ? Double.POSITIVE_INFINITY : duals[order[place]] / need);
                }
            }
            slots = new int[duals.length];
            best = new int[duals.length];
            first = atMost(0, room);
        }

        private double share(long[] need) {
            double sum = 0;
            for (int size = 0; size < room.length; size++) {
                sum += room[size] == 0 ? 0 : (double) need[size] / room[size];
            }
            return Math.max(sum, 1e-9);
        }

        private double atMost(int place, long[] left) {
            double least = Double.POSITIVE_INFINITY;
            for (int size = 0; size < left.length; size++) {
                double by = perUnit[place][size];
                least = by < Double.POSITIVE_INFINITY ? Math.min(least, by * left[size]) : least;
            }
            return least;
        }

        void descend(int place, long[] left, double sum) {
            if (sum > bestWorth + 1e-6) {
                bestWorth = sum;
                best = slots.clone();
            }
            if (place == order.length || ++steps >= MOST_STEPS || sum + atMost(place, left) <= bestWorth + 1e-6) {
                return;
            }
            int shape = order[place];
            long[] need = needs[shape];
            long count = demands.get(shape).jobs();
            for (int size = 0; size < left.length; size++) {
                count = need[size] > 0 ? Math.min(count, left[size] / need[size]) : count;
            }
            for (int here = (int) count; here >= 0; here--) {
                long[] then = left.clone();
                for (int size = 0; size < left.length; size++) {
                    then[size] -= need[size] * here;
                }
                slots[shape] = here;
                descend(place + 1, then, sum + here * duals[shape]);
            }
            slots[shape] = 0;
        }

        private static long[] sizes(Resources resources) {
            return new long[] {resources.cpus(), resources.memoryBytes() >> 20, resources.gpus()};
        }
    }

    /** The best whole solution over all patterns found, after at most this long: what an exact solver would buy. */
    double integral(long millis) {
        ExpressionsBasedModel model = new ExpressionsBasedModel();
        model.options.time_abort = millis;
        model.options.time_suffice = millis;
        List<Variable> times = new ArrayList<>();
        for (Pattern pattern : patterns) {
            times.add(
                    model.newVariable("x" + times.size()).lower(0).integer(true).weight(pattern.price() / 1e6));
        }
        for (int shape = 0; shape < demands.size(); shape++) {
            Expression row =
                    model.newExpression("d" + shape).lower(demands.get(shape).jobs());
            for (int i = 0; i < patterns.size(); i++) {
                if (patterns.get(i).slots()[shape] > 0) {
                    row.set(times.get(i), patterns.get(i).slots()[shape]);
                }
            }
        }
        Optimisation.Result result = model.minimise();
        return result.getState().isFeasible() ? result.getValue() * 1e6 : Double.POSITIVE_INFINITY;
    }
}
