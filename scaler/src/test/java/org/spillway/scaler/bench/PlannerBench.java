package org.spillway.scaler.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.results.Result;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Planner;
import org.spillway.policy.Resources;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.scaler.Fleet;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.FirstFitPlanner;
import org.spillway.scaler.plan.Plan;

/**
 * The program behind {@code spillway bench planner}: {@code tick}, {@code quality}, {@code peer} or {@code jmh}, one
 * JVM each. Prints a line for each figure: name, value, unit, target (empty for none), how; separated by tabs.
 */
public final class PlannerBench {
    private static final int JOBS = 100_000;
    private static final int SHAPES = 1_000;
    private static final int NODES = 10_000;
    private static final int OFFERINGS = 400;
    private static final int SITES = 10;
    private static final long GIB = 1L << 30;
    private static final double NANOS = 1e9;

    private PlannerBench() {}

    public static void main(String[] arguments) {
        long exactMillis = arguments.length > 1 ? Long.parseLong(arguments[1]) : 60_000;
        switch (arguments.length == 0 ? "" : arguments[0]) {
            case "tick" -> tick();
            case "quality" -> quality(exactMillis);
            case "peer" -> peer();
            case "jmh" -> jmh();
            default -> throw new IllegalArgumentException("tick, quality [MILLIS], peer or jmh");
        }
    }

    private static void figure(String name, double value, String unit, String target, String how) {
        System.out.println(String.join("\t", name, String.format(Locale.ROOT, "%.6g", value), unit, target, how));
    }

    private static void tick() {
        double[] full = sorted(ticks(JOBS, SHAPES, NODES, 10, 40));
        String how = JOBS + " jobs in " + SHAPES + " shapes, " + NODES + " nodes, " + OFFERINGS + " offerings, " + SITES
                + " sites; policy queue-depth, 40 ticks after 10, one core";
        figure("planner.tick.median", full[full.length / 2], "s", "", how);
        figure("planner.tick.p95", full[(int) Math.ceil(full.length * 0.95) - 1], "s", "1", how);
        double heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getPeakUsage)
                .mapToDouble(usage -> usage.getUsed())
                .sum();
        figure("planner.tick.heap", heap / (1 << 20), "MiB", "1024", "peak of all heap pools, of -Xmx950m");
        double[] parts = {0.125, 0.25, 0.5, 1};
        String fit = "slope of log time over log size, sizes 1/8, 1/4, 1/2 and 1, median of 9 ticks";
        figure("planner.growth.jobs", slope(parts, part -> median((int) (JOBS * part), SHAPES, NODES)), "", "", fit);
        figure("planner.growth.shapes", slope(parts, part -> median(JOBS, (int) (SHAPES * part), NODES)), "", "", fit);
        figure("planner.growth.nodes", slope(parts, part -> median(JOBS, SHAPES, (int) (NODES * part))), "", "", fit);
    }

    private interface Timed {
        double seconds(double part);
    }

    private static double slope(double[] parts, Timed timed) {
        double sumX = 0;
        double sumY = 0;
        double sumXx = 0;
        double sumXy = 0;
        for (double part : parts) {
            double x = Math.log(part);
            double y = Math.log(timed.seconds(part));
            sumX += x;
            sumY += y;
            sumXx += x * x;
            sumXy += x * y;
        }
        return (parts.length * sumXy - sumX * sumY) / (parts.length * sumXx - sumX * sumX);
    }

    private static double median(int jobs, int shapes, int nodes) {
        double[] sorted = sorted(ticks(jobs, shapes, nodes, 3, 9));
        return sorted[sorted.length / 2];
    }

    private static double[] sorted(double[] values) {
        double[] copy = values.clone();
        Arrays.sort(copy);
        return copy;
    }

    private static double[] ticks(int jobs, int shapes, int nodes, int warm, int count) {
        ClusterSnapshot now = Instances.cluster(jobs, shapes, nodes, OFFERINGS, SITES, 1);
        Scaler<?> scaler = scaler(now);
        double[] seconds = new double[count];
        int steps = 0;
        for (int i = -warm; i < count; i++) {
            long begin = System.nanoTime();
            Plan plan = scaler.plan(now);
            if (i >= 0) {
                seconds[i] = (System.nanoTime() - begin) / NANOS;
            }
            steps += plan.steps().size();
        }
        if (steps == 0) {
            throw new IllegalStateException("a plan without a step measures nothing");
        }
        return seconds;
    }

    /** The production scaler with its default policy over a world that stands still. */
    static Scaler<?> scaler(ClusterSnapshot now) {
        QueueDepthPolicy policy = new QueueDepthPolicy();
        return new Scaler<>(
                at -> now.demands(), new Parts(now), at -> Money.ZERO, policy, policy.defaults(), ZoneOffset.UTC);
    }

    private record Parts(ClusterSnapshot now) implements Fleet {
        @Override
        public List<NodeView> nodes() {
            return now.nodes();
        }

        @Override
        public List<Offering> offerings() {
            return now.offerings();
        }

        @Override
        public List<LaunchRecord> launches() {
            return List.of();
        }

        @Override
        public Map<String, Integer> maxNodes() {
            return now.limits().maxNodesBySite();
        }
    }

    private static void quality(long exactMillis) {
        for (Instances.Kind kind : Instances.Kind.values()) {
            double worst = 0;
            double slowest = 0;
            int fewest = Integer.MAX_VALUE;
            for (long seed = 1; seed <= 3; seed++) {
                List<Offering> offerings = Instances.offerings(1, 400);
                List<Demand> demands = Instances.demands(kind, 20, 4_000, 1, seed);
                Quality.Result result = Quality.plan(demands, offerings, new Quality(demands, offerings).bound());
                worst = Math.max(worst, result.ratio());
                slowest = Math.max(slowest, result.seconds());
                fewest = Math.min(fewest, result.nodes());
            }
            String name = "planner.cost." + kind.name().toLowerCase(Locale.ROOT);
            figure(
                    name,
                    worst,
                    "x bound",
                    "1.05",
                    "price against the linear bound (Gilmore-Gomory, ojAlgo 57.1.0), worst of seeds 1 to 3: 4,000 jobs"
                            + " in 20 shapes, "
                            + fewest + " nodes or more, slowest plan "
                            + Duration.ofMillis((long) (slowest * 1000)).toMillis() + " ms");
        }
        double worst = 0;
        for (long seed = 1; seed <= 2; seed++) {
            List<Offering> offerings = Instances.offerings(1, 400);
            List<Demand> demands = Instances.demands(Instances.Kind.MIXED, 12, 120, 1, seed);
            Quality quality = new Quality(demands, offerings);
            double bound = quality.bound();
            double exact = quality.integral(exactMillis);
            Quality.Result result = Quality.plan(demands, offerings, bound);
            worst = Math.max(worst, result.price() / exact);
        }
        figure(
                "planner.cost.small",
                worst,
                "x exact",
                "1.05",
                "price against the integer programme after " + exactMillis / 1000
                        + " s (ojAlgo 57.1.0), worst of 2: 120 mixed jobs in 12 shapes");
    }

    /** Equal nodes without a job. */
    static List<NodeView> fixedNodes() {
        List<NodeView> nodes = new ArrayList<>();
        Resources has = new Resources(32, 128 * GIB, 0, "", 0);
        for (int i = 0; i < 500; i++) {
            nodes.add(new NodeView(
                    String.format(Locale.ROOT, "node%04d", i),
                    "site0",
                    new OfferingId("site0", "a", "m.32", Market.ON_DEMAND),
                    NodeView.Phase.IDLE,
                    has,
                    has,
                    Instances.NOW,
                    Money.parse("1.60"),
                    false,
                    NodeView.Duty.NONE));
        }
        return nodes;
    }

    static List<Demand> fixedJobs() {
        return Instances.demands(Instances.Kind.CPU, 40, 2_000, 1, 7);
    }

    private static void peer() {
        List<NodeView> nodes = fixedNodes();
        List<Demand> demands = fixedJobs();
        Planner.Packing ours = new FirstFitPlanner(List.of()).pack(demands, nodes, List.of());
        FenzoPeer.Result fenzo = FenzoPeer.place(demands, nodes);
        double best = Double.MAX_VALUE;
        double bestFenzo = Double.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long begin = System.nanoTime();
            ours = new FirstFitPlanner(List.of()).pack(demands, nodes, List.of());
            best = Math.min(best, (System.nanoTime() - begin) / NANOS);
            FenzoPeer.Result again = FenzoPeer.place(demands, nodes);
            bestFenzo = Math.min(bestFenzo, again.seconds());
            fenzo = again;
        }
        int placed =
                ours.onExisting().values().stream().mapToInt(count -> count).sum();
        String how = "2,000 jobs in 40 shapes on 500 nodes, best of 5 after one; Netflix Fenzo 1.0.1, cpuMemBinPacker";
        figure("planner.placements", placed / best, "/s", "", how);
        figure("planner.placements.fenzo", fenzo.placed() / bestFenzo, "/s", "", how);
        figure(
                "planner.placements.share",
                fenzo.placed() / bestFenzo / (placed / best),
                "of ours",
                "0.1",
                "Fenzo's placements per second as a part of ours");
        figure(
                "planner.placements.missing",
                Math.max(0, fenzo.placed() - placed),
                "jobs",
                "1",
                "that Fenzo placed and we did not");
        figure(
                "planner.nodes",
                ours.nodesUsed().size(),
                "nodes",
                Integer.toString(fenzo.nodesUsed() + 1),
                "used by us; Fenzo used " + fenzo.nodesUsed());
    }

    /** JMH, for who trusts no other clock: mean time of an operation with its 99.9 % error, and Fenzo in the same run. */
    private static void jmh() {
        Map<String, Result<?>> results = PlanBenchmark.run();
        String how = "JMH 1.37, mean of 5 iterations of 1 s after 3 in one fork; ± %.2g (99.9 %%)";
        results.forEach((name, result) -> figure(
                "planner.jmh." + name,
                result.getScore(),
                result.getScoreUnit(),
                "",
                String.format(Locale.ROOT, how, result.getScoreError())));
        figure(
                "planner.jmh.share",
                results.get("pack").getScore() / results.get("packFenzo").getScore(),
                "of Fenzo's",
                "0.1",
                "time of our packing of 2,000 jobs on 500 nodes as a part of Fenzo's");
    }
}
