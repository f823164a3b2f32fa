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
    private static final long MOST_STEPS = 3_000_000;

    /** A pattern that is worth this much more than the best one found is not looked for; the bound allows for it. */
    private static final double NEAR = 1.0005;

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
        return new Knapsack(
                exact.best,
                exact.bestWorth,
                exact.steps < MOST_STEPS ? Math.min(exact.first, exact.bestWorth * NEAR) : exact.first);
    }

    /**
     * Depth first, bounded by the linear relaxation's prices of the sizes: what fits into a room is worth no more than the
     * room at those prices, times the best that a shape still to come makes of them. Exact to {@link #NEAR}, unless it is
     * broken off.
     */
    private final class Exact {
        private final double[] room;
        private final double[][] needs;
        private final int[] order;
        private final double[] duals;
        private final double[] prices;
        private final double[] bestToCome;
        private final int[] slots;
        private final double first;
        private int[] best;
        private double bestWorth;
        private long steps;

        Exact(Resources has, double[] duals) {
            this.duals = duals;
            room = new double[] {1, 1, 1};
            needs = new double[duals.length][];
            for (int shape = 0; shape < duals.length; shape++) {
                needs[shape] = shares(demands.get(shape).perNode(), has);
            }
            int[] fitting = IntStream.range(0, duals.length)
                    .filter(shape ->
                            duals[shape] > 1e-9 && demands.get(shape).perNode().fitsIn(has))
                    .toArray();
            prices = prices(fitting);
            order = IntStream.of(fitting)
                    .boxed()
                    .sorted(Comparator.comparingDouble((Integer shape) -> -duals[shape] / at(needs[shape])))
                    .mapToInt(shape -> shape)
                    .toArray();
            bestToCome = new double[order.length + 1];
            for (int place = order.length - 1; place >= 0; place--) {
                bestToCome[place] = Math.max(bestToCome[place + 1], duals[order[place]] / at(needs[order[place]]));
            }
            slots = new int[duals.length];
            best = new int[duals.length];
            first = bestToCome[0] * at(room);
        }

        /** Of a full room of each size, such that no shape is worth more than what it takes: the cheapest such prices. */
        private double[] prices(int[] fitting) {
            ExpressionsBasedModel model = new ExpressionsBasedModel();
            List<Variable> sizes = new ArrayList<>();
            for (int size = 0; size < room.length; size++) {
                sizes.add(model.newVariable("s" + size).lower(0).weight(1));
            }
            for (int shape : fitting) {
                Expression row = model.newExpression("d" + shape).lower(duals[shape] / 1e6);
                for (int size = 0; size < room.length; size++) {
                    row.set(sizes.get(size), needs[shape][size]);
                }
            }
            Optimisation.Result result = model.minimise();
            double[] found = new double[room.length];
            for (int size = 0; size < room.length; size++) {
                // Never nothing: every shape is then worth a finite part of what it takes.
                found[size] = Math.max(1e-6, result.doubleValue(size)) * 1e6;
            }
            return found;
        }

        private double at(double[] shares) {
            double sum = 0;
            for (int size = 0; size < shares.length; size++) {
                sum += prices[size] * shares[size];
            }
            return sum;
        }

        void descend(int place, double[] left, double sum) {
            if (sum > bestWorth) {
                bestWorth = sum;
                best = slots.clone();
            }
            if (place == order.length
                    || ++steps >= MOST_STEPS
                    || sum + bestToCome[place] * at(left) <= bestWorth * NEAR) {
                return;
            }
            int shape = order[place];
            double[] need = needs[shape];
            double count = demands.get(shape).jobs();
            for (int size = 0; size < left.length; size++) {
                count = need[size] > 0 ? Math.min(count, Math.floor(left[size] / need[size] + 1e-9)) : count;
            }
            for (int here = (int) count; here >= 0; here--) {
                double[] then = left.clone();
                for (int size = 0; size < left.length; size++) {
                    then[size] = Math.max(0, then[size] - need[size] * here);
                }
                slots[shape] = here;
                descend(place + 1, then, sum + here * duals[shape]);
            }
            slots[shape] = 0;
        }

        private static double[] shares(Resources need, Resources has) {
            return new double[] {
                (double) need.cpus() / has.cpus(),
                (double) need.memoryBytes() / has.memoryBytes(),
                has.gpus() == 0 ? 0 : (double) need.gpus() / has.gpus()
            };
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
