package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The waiting of a user at a terminal, a script and a program, beside a real Slurm in the same run where there can be one:
 * a listing, a shell loop of submissions, a file of them, and the socket.
 */
final class ClientBench {
    private static final int LISTED = 20;
    private static final int LISTINGS = 40;
    private static final int WARMING = 5;
    /** The loops take turns, so that what else the machine does falls on both. */
    private static final int TURNS = 4;

    private static final int WARMING_TURNS = 2;
    private static final int OF_A_TURN = 25;
    private static final int LINES_PER_COUNT = 4;
    private static final int WARM_SUBMISSIONS = 2000;
    private static final List<Integer> CLIENTS = List.of(1, 4, 8);
    private static final long PATIENCE_MINUTES = 5;

    private static final String SPILLWAY_LOOP =
            "for i in $(seq " + OF_A_TURN + "); do \"$LAUNCHER\" submit --time 1m job.sh || exit; done";
    /** For tomorrow: neither side has anything to do for a job but to take it. */
    private static final String SLURM_LOOP = "for i in $(seq " + OF_A_TURN
            + "); do sbatch -Q --parsable --begin=now+1day -t 1 -o /dev/null job.sh || exit; done";

    private final Path launcher;
    private final int count;

    /** @param count of jobs for each number of clients; the file has four times as many */
    ClientBench(Path launcher, int count) {
        this.launcher = launcher;
        this.count = count;
    }

    List<Figure> measure() throws IOException, InterruptedException {
        List<Figure> figures = new ArrayList<>();
        Optional<String> missing = SlurmLab.missing(launcher);
        // Without money it buys nothing: what is measured is the taking of jobs.
        try (var head = HeadUnderTest.start(launcher, false, state -> {})) {
            if (missing.isEmpty()) {
                try (var lab = SlurmLab.start(launcher)) {
                    figures.addAll(commands(head, lab));
                }
            } else {
                System.err.println("bench: " + missing.get() + ": nothing is compared with Slurm");
                figures.addAll(commands(head, null));
                figures.add(Figure.plain("client.slurm", 0, "", "NOT COMPARED with Slurm: " + missing.get()));
            }
            figures.addAll(socket(head));
            figures.addAll(file(head));
        }
        return figures;
    }

    /** By the launcher, as at a terminal. */
    private List<Figure> commands(HeadUnderTest head, @Nullable SlurmLab lab) throws IOException, InterruptedException {
        Path folder = head.state().resolveSibling("work");
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("job.sh"), "#!/bin/sh\nsleep 30\n");
        Map<String, String> ours = environment(head);
        List<String> queue = List.of(launcher.toString(), "queue");
        List<String> squeue = List.of("squeue");
        for (int i = 0; i < LISTED; i++) {
            head.submit("#!/bin/sh\nsleep 30\n");
            if (lab != null) {
                timed(
                        folder,
                        lab.environment(),
                        List.of("sbatch", "-Q", "--begin=now+1day", "-t", "1", "-o", "/dev/null", "job.sh"));
            }
        }
        List<Double> listed = new ArrayList<>();
        List<Double> listedThere = new ArrayList<>();
        for (int i = 0; i < WARMING + LISTINGS; i++) {
            double here = 1000 * timed(folder, ours, queue);
            double there = lab == null ? 0 : 1000 * timed(folder, lab.environment(), squeue);
            if (i >= WARMING) {
                listed.add(here);
                listedThere.add(there);
            }
        }
        double loop = 0;
        double loopThere = 0;
        for (int turn = 0; turn < TURNS + WARMING_TURNS; turn++) {
            double here = timed(folder, ours, List.of("sh", "-c", SPILLWAY_LOOP));
            double there = lab == null ? 0 : timed(folder, lab.environment(), List.of("sh", "-c", SLURM_LOOP));
            if (turn >= WARMING_TURNS) {
                loop += here;
                loopThere += there;
            }
        }
        List<Figure> figures = new ArrayList<>(listings("client.queue", Samples.of(listed), "'spillway queue'"));
        int loops = TURNS * OF_A_TURN;
        figures.addAll(loop("client.loop", loop, loops, 50, "a shell loop of 'spillway submit'"));
        if (lab != null) {
            figures.addAll(listings("client.squeue", Samples.of(listedThere), "'squeue'"));
            figures.addAll(loop("client.sbatch", loopThere, loops, 0, "a shell loop of 'sbatch'"));
            figures.add(Figure.below(
                    3,
                    "client.queue.ratio",
                    Samples.of(listed).median() / Samples.of(listedThere).median(),
                    "x squeue",
                    "medians of the same run, which took turns"));
            figures.add(Figure.plain("client.loop.ratio", loop / loopThere, "x sbatch", "of the same run, in turns"));
        }
        return figures;
    }

    private static List<Figure> listings(String name, Samples millis, String what) {
        String how = what + " of " + LISTED + " jobs, " + LISTINGS + " runs after " + WARMING;
        return List.of(
                Figure.plain(name + ".median", millis.median(), "ms", how),
                Figure.plain(name + ".p95", millis.p95(), "ms", how));
    }

    /** @param most milliseconds for a job; 0 where nothing was promised */
    private static List<Figure> loop(String name, double seconds, int jobs, double most, String what) {
        double each = 1000 * seconds / jobs;
        String how = jobs + " times in " + what + ", after " + WARMING_TURNS * OF_A_TURN;
        return List.of(
                most == 0
                        ? Figure.plain(name + ".each", each, "ms", how)
                        : Figure.below(most, name + ".each", each, "ms", how),
                Figure.plain(name + ".rate", jobs / seconds, "jobs/s", how));
    }

    private List<Figure> socket(HeadUnderTest head) throws IOException, InterruptedException {
        var submitters = new SocketSubmitters(head.state().resolve("spillway.sock"));
        submitters.run(CLIENTS.getLast(), WARM_SUBMISSIONS);
        List<Figure> figures = new ArrayList<>();
        for (int clients : CLIENTS) {
            var run = submitters.run(clients, count);
            String name = "client.socket" + clients;
            String how = count + " jobs by " + clients + (clients == 1 ? " client" : " clients")
                    + " over the socket, each on disk before its answer, after " + WARM_SUBMISSIONS + " others";
            double each = 1000 * run.seconds() / count;
            figures.add(
                    clients == 4
                            ? Figure.below(1, name + ".each", each, "ms", how)
                            : Figure.plain(name + ".each", each, "ms", how));
            figures.add(Figure.plain(name + ".rate", count / run.seconds(), "jobs/s", how));
            figures.add(Figure.plain(name + ".median", run.millis().median(), "ms", how));
            figures.add(Figure.plain(name + ".p95", run.millis().p95(), "ms", how));
        }
        return figures;
    }

    private List<Figure> file(HeadUnderTest head) throws IOException, InterruptedException {
        int lines = LINES_PER_COUNT * count;
        Path folder = head.state().resolveSibling("work");
        // The first writes the client's archive of classes.
        submitFile(head, folder, 1);
        double seconds = submitFile(head, folder, lines);
        String how = lines + " lines by 'submit --many', with the client's start and the check of all";
        return List.of(
                Figure.below(0.5, "client.many.each", 1000 * seconds / lines, "ms", how),
                Figure.plain("client.many.rate", lines / seconds, "jobs/s", how));
    }

    private double submitFile(HeadUnderTest head, Path folder, int lines) throws IOException, InterruptedException {
        Files.writeString(
                folder.resolve("jobs.txt"),
                IntStream.range(0, lines)
                        .mapToObj(i -> "--name j" + i + " --time 1m job.sh " + i)
                        .collect(Collectors.joining("\n", "", "\n")));
        double seconds = timed(folder, environment(head), List.of(launcher.toString(), "submit", "--many", "jobs.txt"));
        try (Stream<String> ids = Files.lines(folder.resolve("shown.txt"))) {
            long printed = ids.count();
            if (printed != lines) {
                throw new IOException(printed + " of " + lines + " lines have become jobs");
            }
        }
        return seconds;
    }

    private Map<String, String> environment(HeadUnderTest head) {
        return Map.of(
                "LAUNCHER",
                launcher.toString(),
                "SPILLWAY_SOCKET",
                head.state().resolve("spillway.sock").toString(),
                "SPILLWAY_NO_BUILD",
                "1");
    }

    /** Seconds of a command that goes well. */
    private static double timed(Path folder, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path said = folder.resolve("said.txt");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(folder.resolve("shown.txt").toFile())
                .redirectError(said.toFile());
        builder.environment().remove("SPILLWAY_CLIENT");
        builder.environment().remove("SPILLWAY_JAVA_OPTS");
        builder.environment().putAll(environment);
        long begin = System.nanoTime();
        Process process = builder.start();
        process.getOutputStream().close();
        try {
            if (!process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
                throw new IOException(String.join(" ", command) + " does not end");
            }
        } finally {
            process.destroyForcibly();
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        if (process.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + process.exitValue() + ": "
                    + Files.readString(said).lines().findFirst().orElse(""));
        }
        return seconds;
    }
}
