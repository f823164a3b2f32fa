package org.spillway.proof.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.spillway.api.Json;

/** The demo again and again, each time with something killed or cut; what comes out must be the same each time. */
final class ChaosBench {
    static final List<String> KINDS = List.of("head", "director", "node", "link");

    private static final Duration LIMIT = Duration.ofMinutes(6);
    private static final Duration ENDING = Duration.ofSeconds(60);
    private static final double NANOS = 1e9;

    private final Path launcher;

    ChaosBench(Path launcher) {
        this.launcher = launcher;
    }

    /** A demo's result. @param told what it hit, or what was not as promised */
    record Run(String kind, long seed, boolean passed, double seconds, String told) {
        String line() {
            return String.format(
                    Locale.ROOT,
                    "%-9s seed %-4d %-6s %6.1f s  %s",
                    kind,
                    seed,
                    passed ? "passed" : "FAILED",
                    seconds,
                    told);
        }
    }

    /** Each run is told to standard error when it is over. @param seeds of each kind, from 1 */
    List<Figure> run(long seeds) throws IOException, InterruptedException {
        List<Run> runs = new ArrayList<>();
        for (long seed = 1; seed <= seeds; seed++) {
            for (String kind : KINDS) {
                Run run = run(kind, seed);
                System.err.println(run.line());
                runs.add(run);
            }
        }
        return figures(runs);
    }

    static List<Figure> figures(List<Run> runs) {
        long failed = runs.stream().filter(run -> !run.passed).count();
        var seconds = Samples.of(runs.stream().map(Run::seconds).toList());
        String how = runs.size() + " demos, in each of which one thing was killed or cut";
        return List.of(
                Figure.below(1, "chaos.failed", (double) failed, "runs", how),
                Figure.plain("chaos.median", seconds.median(), "s", how),
                Figure.plain("chaos.p95", seconds.p95(), "s", how));
    }

    private Run run(String kind, long seed) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("spillway-chaos");
        Path json = folder.resolve("report.json");
        Path out = folder.resolve("out");
        try {
            var builder = new ProcessBuilder(
                            launcher.toString(),
                            "demo",
                            "--chaos",
                            kind,
                            "--seed",
                            Long.toString(seed),
                            "--json",
                            json.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile());
            builder.environment().put("SPILLWAY_NO_BUILD", "1");
            long begin = System.nanoTime();
            Process process = builder.start();
            boolean ended = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
            if (!ended) {
                // The demo ends everything that it has started.
                process.destroy();
                process.waitFor(ENDING.toSeconds(), TimeUnit.SECONDS);
            }
            double seconds = (System.nanoTime() - begin) / NANOS;
            boolean passed = ended && process.exitValue() == 0;
            return new Run(kind, seed, passed, seconds, passed ? struck(json) : broken(Files.readString(out)));
        } finally {
            Files.deleteIfExists(json);
            Files.deleteIfExists(out);
            Files.deleteIfExists(folder);
        }
    }

    private static String struck(Path json) throws IOException {
        JsonNode chaos = Json.tree(Files.readAllBytes(json)).path("chaos");
        return chaos.path("what").asText() + " at " + chaos.path("at").asText() + " s";
    }

    /** The promises that were broken, or else the last thing said. */
    static String broken(String out) {
        List<String> lines = out.lines().filter(line -> !line.isBlank()).toList();
        List<String> broken =
                lines.stream().filter(line -> line.startsWith("BROKEN: ")).toList();
        return broken.isEmpty() ? (lines.isEmpty() ? "it said nothing" : lines.getLast()) : String.join("; ", broken);
    }
}
