package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import org.spillway.cli.CliFailure;
import org.spillway.head.loop.Loop;
import org.spillway.proof.faultsim.Campaign;

/** The measurements. Each starts what it needs and ends it. */
final class Benchmarks {
    private static final int STARTS = 20;
    private static final int PATHS = 3;
    static final Duration JOB_LIMIT = Duration.ofMinutes(2);
    private static final Duration SETTLING = Duration.ofSeconds(5);
    private static final Duration WATCHED = Duration.ofSeconds(20);
    private static final double NANOS = 1e9;
    private static final double MEBI = 1 << 20;
    /** The kernel's USER_HZ: 100 on every Linux that has a JDK 25. */
    private static final double TICKS_PER_SECOND = 100;

    private final Path launcher;

    Benchmarks(Path launcher) {
        this.launcher = launcher;
    }

    List<Figure> start() throws IOException, InterruptedException {
        List<Double> seconds = new ArrayList<>();
        timedVersion();
        for (int i = 0; i < STARTS; i++) {
            seconds.add(timedVersion());
        }
        var samples = Samples.of(seconds);
        String how = "wall time of 'spillway --version', " + STARTS + " runs after one";
        return List.of(
                Figure.below(0.5, "start.median", samples.median(), "s", how),
                Figure.below(0.5, "start.p95", samples.p95(), "s", how));
    }

    private double timedVersion() throws IOException, InterruptedException {
        var builder = new ProcessBuilder(launcher.toString(), "--version")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("SPILLWAY_NO_BUILD", "1");
        long begin = System.nanoTime();
        Process process = builder.start();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("'spillway --version' does not end");
        }
        double took = (System.nanoTime() - begin) / NANOS;
        if (process.exitValue() != 0) {
            throw new IOException("'spillway --version' ended with " + process.exitValue());
        }
        return took;
    }

    List<Figure> idle() throws IOException, InterruptedException {
        List<Figure> figures = new ArrayList<>();
        try (var head = HeadUnderTest.start(launcher)) {
            figures.addAll(watch(head, "idle.empty", "nothing bought"));
            run(head);
            HeadUnderTest.await("the director and a node are idle", JOB_LIMIT, () -> isIdleWithNode(head));
            figures.addAll(watch(head, "idle.node", "a director and an idle node"));
        }
        return figures;
    }

    static boolean isIdleWithNode(HeadUnderTest head) {
        List<NodeView> live = head.liveNodes();
        return live.size() == 2 && live.stream().allMatch(node -> node.state() == NodeState.READY);
    }

    private static List<Figure> watch(HeadUnderTest head, String name, String with)
            throws IOException, InterruptedException {
        return watch(head, name, with, 250);
    }

    static List<Figure> watch(HeadUnderTest head, String name, String with, double mebi)
            throws IOException, InterruptedException {
        Thread.sleep(SETTLING);
        Path process = Path.of("/proc", String.valueOf(head.pid()));
        long ticks = cpuTicks(Files.readString(process.resolve("stat")));
        long begin = System.nanoTime();
        Thread.sleep(WATCHED);
        double used = (cpuTicks(Files.readString(process.resolve("stat"))) - ticks) / TICKS_PER_SECOND;
        double percent = 100 * used / ((System.nanoTime() - begin) / NANOS);
        long resident = resident(head);
        String how = "the head over " + WATCHED.toSeconds() + " s, " + with;
        return List.of(
                Figure.below(2, name + ".cpu", percent, "% of a core", how),
                Figure.below(mebi, name + ".resident", resident / MEBI, "MiB", how));
    }

    static long resident(HeadUnderTest head) throws IOException {
        return Machine.memoryBytes(Files.readString(Path.of("/proc", String.valueOf(head.pid()), "status")), "VmRSS");
    }

    /** User and system time from /proc/PID/stat; the name in its second field may hold anything. */
    static long cpuTicks(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    List<Figure> seeds(long seeds) throws InterruptedException {
        int threads = Runtime.getRuntime().availableProcessors();
        var result = Campaign.run(1, seeds, threads, Loop::new, done -> {});
        if (result.brokenCount() > 0) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    result.brokenCount() + " seeds broke an invariant, so their time says nothing",
                    "'spillway simulate-faults' names them");
        }
        double took = result.took().toNanos() / NANOS;
        String how = seeds + " seeds on " + threads + " threads";
        // The promise is for 10,000; another number is held to its share.
        return List.of(
                Figure.below(120 * seeds / 10_000.0, "seeds.time", took, "s", how),
                Figure.plain("seeds.rate", seeds / took, "seeds/s", how));
    }

    List<Figure> path() throws IOException, InterruptedException {
        List<JobDetail> cold = new ArrayList<>();
        List<JobDetail> warm = new ArrayList<>();
        for (int i = 0; i < PATHS; i++) {
            try (var head = HeadUnderTest.start(launcher)) {
                cold.add(run(head));
                HeadUnderTest.await("the node is idle", JOB_LIMIT, () -> isIdleWithNode(head));
                warm.add(run(head));
            }
        }
        List<Figure> figures = new ArrayList<>(
                timeline("path.cold", cold, "true(1) on a site without a director, median of " + PATHS));
        figures.addAll(timeline("path.warm", warm, "true(1) with director and node there, median of " + PATHS));
        return figures;
    }

    /** A tiny job, to its end. */
    static JobDetail run(HeadUnderTest head) throws IOException, InterruptedException {
        JobDetail job = head.untilEnd(head.submit("#!/bin/sh\ntrue\n").id(), JOB_LIMIT);
        if (job.job().state() != JobState.DONE) {
            throw new IOException(
                    "the job ended as " + job.job().state() + ": " + job.job().reason());
        }
        return job;
    }

    /** How long each state took, in the order of the first job's life, and all together. */
    static List<Figure> timeline(String name, List<JobDetail> jobs, String how) {
        Map<JobState, List<Double>> inState = new LinkedHashMap<>();
        List<Double> whole = new ArrayList<>();
        for (JobDetail job : jobs) {
            List<JobDetail.Moment> moments = job.timeline();
            for (int i = 0; i + 1 < moments.size(); i++) {
                inState.computeIfAbsent(moments.get(i).state(), state -> new ArrayList<>())
                        .add(seconds(moments.get(i), moments.get(i + 1)));
            }
            whole.add(seconds(moments.getFirst(), moments.getLast()));
        }
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.plain(name, Samples.of(whole).median(), "s", how));
        inState.forEach((state, values) -> figures.add(
                Figure.plain(name + "." + state, Samples.of(values).median(), "s", "of which in this state")));
        return figures;
    }

    private static double seconds(JobDetail.Moment from, JobDetail.Moment to) {
        return Duration.between(from.at(), to.at()).toNanos() / NANOS;
    }
}
