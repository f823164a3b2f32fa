package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cost for jobs of being kept apart: the same job by turns on a node whose jobs are in cgroups and rooms and on one whose jobs
 * are in none, both on the local cloud. As root, on a kernel that lets a node isolate.
 */
final class IsolationBench {
    private static final double MOST_MILLIS = 30;
    /** Nothing, as far as two medians of one machine can be told apart. */
    private static final double MOST_RATIO = 1.05;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final List<String> MEASURES = List.of("start", "cpu", "disk");
    /** From the file that the node writes first for a job to the script's first line; then work on a core, and on the disk. */
    private static final String SCRIPT = """
            #!/bin/sh
            first=$(date +%%s%%N)
            made=$(stat -c %%.9Y .spillway/script | tr -d .)
            LC_ALL=C awk 'BEGIN { for (i = 0; i < 8000000; i++) x += i %% 7; print x }' >sum
            worked=$(date +%%s%%N)
            dd if=/dev/zero of=written bs=1M count=128 conv=fsync 2>/dev/null
            wrote=$(date +%%s%%N)
            echo "$((first - made)) $((worked - first)) $((wrote - worked))" >'%s'
            """;

    private final Path launcher;
    private final int rounds;

    IsolationBench(Path launcher, int rounds) {
        this.launcher = launcher;
        this.rounds = rounds;
    }

    List<Figure> measure() throws IOException, InterruptedException {
        if (!"root".equals(System.getProperty("user.name"))) {
            throw new IOException("only root's nodes isolate: run it as root");
        }
        Map<String, List<Double>> apart = new LinkedHashMap<>();
        Map<String, List<Double>> together = new LinkedHashMap<>();
        try (var isolating = HeadUnderTest.start(launcher, configuration("required"), state -> {});
                var plain = HeadUnderTest.start(launcher, configuration("'off'"), state -> {})) {
            Benchmarks.run(isolating);
            Benchmarks.run(plain);
            for (int round = 0; round < rounds; round++) {
                System.err.println("isolation: round " + (round + 1) + " of " + rounds + " ...");
                // Whoever is second finds a warmer machine.
                boolean first = round % 2 == 0;
                keep(first ? isolating : plain, first ? apart : together);
                keep(first ? plain : isolating, first ? together : apart);
            }
        }
        return figures(apart, together);
    }

    private static String configuration(String isolation) throws IOException {
        return HeadUnderTest.configuration()
                .replace("maxNodes: 2", "maxNodes: 2\n    nodes: { isolation: " + isolation + " }");
    }

    private static void keep(HeadUnderTest head, Map<String, List<Double>> measured)
            throws IOException, InterruptedException {
        HeadUnderTest.await("the node is idle", Benchmarks.JOB_LIMIT, () -> Benchmarks.isIdleWithNode(head));
        Path told = head.state().resolveSibling("told");
        Files.deleteIfExists(told);
        String script = SCRIPT.formatted(told);
        var ended = head.untilEnd(head.submit(script).id(), Benchmarks.JOB_LIMIT);
        if (!Files.isRegularFile(told)) {
            throw new IOException("the job did not tell its times: " + ended.job());
        }
        String[] words = Files.readString(told).strip().split(" ", -1);
        for (int i = 0; i < MEASURES.size(); i++) {
            measured.computeIfAbsent(MEASURES.get(i), name -> new ArrayList<>())
                    .add(Long.parseLong(words[i]) / NANOS_PER_MILLI);
        }
    }

    /** @param apart for each measure, milliseconds in a room; {@code together}, the same without */
    static List<Figure> figures(Map<String, List<Double>> apart, Map<String, List<Double>> together) {
        List<Figure> figures = new ArrayList<>();
        for (String measure : MEASURES) {
            double with = Samples.of(apart.getOrDefault(measure, List.of())).median();
            double without =
                    Samples.of(together.getOrDefault(measure, List.of())).median();
            String how = "median of " + apart.getOrDefault(measure, List.of()).size() + ", " + what(measure);
            figures.add(Figure.plain("isolation." + measure + ".without", without, "ms", how));
            figures.add(Figure.plain("isolation." + measure + ".with", with, "ms", how));
            figures.add(
                    measure.equals("start")
                            ? Figure.below(
                                    MOST_MILLIS, "isolation.start.more", with - without, "ms", "with less without")
                            : Figure.below(
                                    MOST_RATIO,
                                    "isolation." + measure + ".ratio",
                                    with / without,
                                    "x",
                                    "with to without"));
        }
        return figures;
    }

    private static String what(String measure) {
        return switch (measure) {
            case "start" -> "from the first file of a job on its node to its script's first line";
            case "cpu" -> "8,000,000 rounds of awk";
            default -> "128 MiB written and synced";
        };
    }
}
