package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/**
 * The planner: its tick on one core, the price of its plans against the linear bound, Netflix Fenzo on the same nodes and
 * jobs, and all of it once more by JMH. Each runs in a JVM of its own, with the peers of the distribution's folder {@code bench}, which no other command
 * has on its class path.
 */
final class PlannerBench {
    private static final String MAIN = "org.spillway.scaler.bench.PlannerBench";
    private static final long LONGEST_MINUTES = 30;
    private static final int COLUMNS = 5;

    private final Path home;

    PlannerBench(Path launcher) {
        Path folder = launcher.toAbsolutePath().getParent();
        home = folder == null ? Path.of(".") : folder;
    }

    List<Figure> measure() throws IOException, InterruptedException {
        List<Figure> figures = new ArrayList<>();
        // A tick's allowance: less than 1 GB of heap and one core.
        figures.addAll(run("tick", "-Xmx950m", "-XX:ActiveProcessorCount=1"));
        figures.addAll(run("quality", "-Xmx2g"));
        figures.addAll(run("peer", "-Xmx2g"));
        figures.addAll(run("jmh", "-Xmx256m"));
        return figures;
    }

    private List<Figure> run(String part, String... options) throws IOException, InterruptedException {
        Path dist = Files.isDirectory(home.resolve("lib")) ? home : home.resolve("head-node/target/dist");
        Path peers = dist.resolve("bench");
        if (!Files.isDirectory(peers)) {
            throw new IOException("no folder " + peers + ": build with 'mvn -DskipTests package'");
        }
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", peers + "/*:" + dist.resolve("lib") + "/*", MAIN, part));
        Path answer = Files.createTempFile("spillway-bench-planner", ".tsv");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectOutput(answer.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new IOException("planner " + part + " takes longer than " + LONGEST_MINUTES + " min");
            }
            if (process.exitValue() != 0) {
                throw new IOException("planner " + part + " ended with " + process.exitValue());
            }
            return figures(Files.readAllLines(answer));
        } finally {
            Files.deleteIfExists(answer);
        }
    }

    /** A line each: name, value, unit, target or nothing, how; separated by tabs. */
    static List<Figure> figures(List<String> lines) throws IOException {
        List<Figure> figures = new ArrayList<>();
        for (String line : lines) {
            List<String> cells = List.of(line.split("\t", -1));
            if (cells.size() != COLUMNS) {
                throw new IOException("not a figure: " + line);
            }
            String target = cells.get(3);
            figures.add(new Figure(
                    cells.get(0),
                    Double.parseDouble(cells.get(1)),
                    cells.get(2),
                    target.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(target)),
                    cells.get(4)));
        }
        if (figures.isEmpty()) {
            throw new IOException("nothing was measured");
        }
        return figures;
    }
}
