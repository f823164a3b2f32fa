package org.spillway.scaler.bench;

import com.netflix.fenzo.SchedulingResult;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.NodeView;
import org.spillway.policy.Planner;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.FirstFitPlanner;
import org.spillway.scaler.plan.Plan;

/** JMH's view of the planner: a whole tick, a packing on nodes that are there, and Fenzo's of the same. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-XX:+UseSerialGC", "-Xmx2g"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PlanBenchmark {
    /** 2,000 jobs in 40 shapes, 500 equal nodes. */
    @State(Scope.Benchmark)
    public static class Fixed {
        List<NodeView> nodes = List.of();
        List<Demand> demands = List.of();

        @Setup
        public void make() {
            nodes = PlannerBench.fixedNodes();
            demands = PlannerBench.fixedJobs();
        }
    }

    /** Making tasks and leases is not what is measured. */
    @State(Scope.Benchmark)
    public static class FenzoRound {
        private FenzoPeer.Round round;

        @Setup(Level.Invocation)
        public void make(Fixed fixed) {
            round = new FenzoPeer.Round(fixed.demands, fixed.nodes);
        }

        @TearDown(Level.Invocation)
        public void end() {
            round.close();
        }
    }

    /** 10,000 jobs, 1,000 nodes, 400 offerings in 10 sites. */
    @State(Scope.Benchmark)
    public static class World {
        @Param({"100", "1000"})
        public int shapes;

        private ClusterSnapshot now;
        private Scaler<?> scaler;

        @Setup
        public void make() {
            now = Instances.cluster(10_000, shapes, 1_000, 400, 10, 1);
            scaler = PlannerBench.scaler(now);
        }
    }

    @Benchmark
    public Planner.Packing pack(Fixed fixed) {
        return new FirstFitPlanner(List.of()).pack(fixed.demands, fixed.nodes, List.of());
    }

    @Benchmark
    public SchedulingResult packFenzo(FenzoRound fenzo) {
        return fenzo.round.schedule();
    }

    @Benchmark
    public Plan tick(World world) {
        return world.scaler.plan(world.now);
    }

    /** All of them, by name; a parameter's value stands behind it. */
    static Map<String, Result<?>> run() {
        Map<String, Result<?>> results = new TreeMap<>();
        var options = new OptionsBuilder()
                .include("\\." + PlanBenchmark.class.getSimpleName() + "\\.")
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        // The forks' warnings come out as words of this program, and figures are all that may stand there.
        PrintStream figures = System.out;
        System.setOut(System.err);
        try {
            for (var run : new Runner(options).run()) {
                String shapes = run.getParams().getParam("shapes");
                Result<?> result = run.getPrimaryResult();
                results.put(result.getLabel() + (shapes == null ? "" : "." + shapes), result);
            }
        } catch (RunnerException failed) {
            throw new IllegalStateException("JMH: " + failed.getMessage(), failed);
        } finally {
            System.setOut(figures);
        }
        return results;
    }
}
