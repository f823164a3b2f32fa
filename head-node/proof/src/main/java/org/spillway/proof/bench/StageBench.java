package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.Submitted;
import org.spillway.cli.HeadClient;

/**
 * From a submission to the job's first read of its input, and from the end of its script to its results at home, beside
 * {@code rsync -a} over ssh in the same run. Director and node are there before; each round has data of its own.
 */
final class StageBench {
    private static final Duration LIMIT = Duration.ofMinutes(30);
    /** Length of the large file, for each of the small ones: 2 GB beside 20,000. */
    static final long LARGE_BYTES_FOR_A_FILE = 100_000;

    static final String CHANGED = "changed";
    static final String UNCHANGED = "unchanged";
    static final String ALIKE = "alike";
    /** Jobs that have one input, submitted at once. */
    static final int ALIKE_JOBS = 10;

    private static final int FOUR = 4;

    private final Path launcher;
    private final int files;
    private final int rounds;
    private final @Nullable LinkShape shape;
    private final Map<String, List<Double>> measured = new LinkedHashMap<>();

    /**
     * @param files of the tree; the large file has as many times 100 kB
     * @param shape of the line between head and region, and between rsync and its server; null for the loopback
     */
    StageBench(Path launcher, int files, int rounds, @Nullable LinkShape shape) {
        this.launcher = launcher;
        this.files = files;
        this.rounds = rounds;
        this.shape = shape;
    }

    List<Figure> measure() throws IOException, InterruptedException {
        Optional<String> missing = RsyncPeer.missing();
        try (SlowLink link = shape == null ? null : SlowLink.start(shape);
                var head = HeadUnderTest.start(launcher, configuration(link), state -> {});
                DirectorGates gates = link == null ? null : DirectorGates.open(head, link)) {
            Benchmarks.run(head);
            Path work = Files.createDirectories(head.state().resolveSibling("work"));
            try (RsyncPeer peer = missing.isEmpty() ? RsyncPeer.start(work.resolve("peer"), link) : null) {
                for (int round = 1; round <= rounds; round++) {
                    System.err.println("stage: round " + round + " of " + rounds + " ...");
                    round(new Between(head, peer, link), work.resolve("round"), round);
                    StageTree.delete(work.resolve("round"));
                }
                // Last, since it may bring a second node: rounds want one.
                alike(head, work.resolve("alike"));
            }
            if (gates != null) {
                gates.check();
            }
        }
        return new StageFigures(measured, files, shape)
                .all(missing.isEmpty() ? RsyncPeer.versions() : "", missing.orElse(""));
    }

    /** @param link between them; null for the loopback */
    private record Between(
            HeadUnderTest head,
            @Nullable RsyncPeer peer,
            @Nullable SlowLink link) {
        double carried() {
            return link == null ? 0 : link.carriedBytes() / 1e6;
        }
    }

    private static String configuration(@Nullable SlowLink link) throws IOException {
        String usual = HeadUnderTest.configuration().replace("maxWalltime: 1h", "maxWalltime: 2h");
        return link == null
                ? usual
                : usual.replace("state: ./cloud }", "state: ./cloud, sshPort: \"" + DirectorGates.PORT + "\" }");
    }

    private void round(Between between, Path place, long seed) throws IOException, InterruptedException {
        HeadUnderTest head = between.head;
        var tree = new StageTree(Files.createDirectories(place.resolve("tree")), files);
        Path copy = Files.createDirectories(place.resolve("there/tree"));
        long bytes = tree.write(seed);
        if (between.link != null && between.peer != null) {
            HeadUnderTest.await("the node is idle", LIMIT, () -> Benchmarks.isIdleWithNode(head));
            Path four = Files.createDirectories(place.resolve("there/four"));
            keep("files.four", between.peer.push(tree.parts(FOUR), four));
        }
        Cpu before = Cpu.of(head);
        step("files", between, tree.folder(), copy);
        Cpu after = Cpu.of(head);
        keep("director.resident", after.directorMebi());
        keepCpu("cpu.", before, after, bytes);
        tree.change(seed);
        step(CHANGED, between, tree.folder(), copy);
        step(UNCHANGED, between, tree.folder(), copy);
        back(between, tree, copy, place);
        StageTree.delete(tree.folder());
        Path large = place.resolve("large");
        long largeBytes = files * LARGE_BYTES_FOR_A_FILE;
        StageTree.writeLarge(large.resolve("file"), largeBytes, seed);
        Path there = Files.createDirectories(place.resolve("there/large"));
        Cpu beforeLarge = Cpu.of(head);
        step("large", between, large, there);
        keepCpu("large.cpu.", beforeLarge, Cpu.of(head), largeBytes);
    }

    private void keepCpu(String name, Cpu before, Cpu after, long bytes) {
        double gigabytes = bytes / 1e9;
        keep(name + "head", (after.head() - before.head()) / gigabytes);
        keep(name + "workers", (after.workers() - before.workers()) / gigabytes);
        keep(name + "director", (after.director() - before.director()) / gigabytes);
        keep(name + "sshd", (after.cloud() - before.cloud()) / gigabytes);
    }

    private void step(String name, Between between, Path from, Path to) throws IOException, InterruptedException {
        HeadUnderTest head = between.head;
        HeadUnderTest.await("the node is idle", LIMIT, () -> Benchmarks.isIdleWithNode(head));
        if (between.peer != null) {
            keep(name + ".rsync", between.peer.push(from, to));
        }
        Path stamp = from.resolveSibling("stamp");
        double carried = between.carried();
        Instant begin = Instant.now();
        String job = submit(head, from, stamp, "", List.of());
        keep(name + ".answered", seconds(begin, Instant.now()));
        JobDetail ended = read(head, job, stamp);
        keep(name, seconds(begin, stamp(stamp)));
        keep(name + ".carried", between.carried() - carried);
        Instant sending = began(ended, JobState.STAGING_IN);
        Instant sent = began(ended, JobState.QUEUED);
        keep(name + ".found", seconds(begin, sending));
        keep(name + ".sent", seconds(sending, sent));
        keep(name + ".node", seconds(sent, stamp(stamp)));
    }

    /** The job gives its input back. */
    private void back(Between between, StageTree tree, Path copy, Path place) throws IOException, InterruptedException {
        if (between.peer != null) {
            keep("results.rsync", between.peer.pull(copy, Files.createDirectories(place.resolve("pulled"))));
            StageTree.delete(place.resolve("pulled"));
        }
        Path stamp = place.resolve("stamp");
        Path home = place.resolve("home");
        var output = new JobSubmission.Output("out", home.toString(), true, true);
        JobDetail ended = job(
                between.head, tree.folder(), stamp, "cp -a tree out && date +%s%N >'" + stamp + "'", List.of(output));
        Instant there = Optional.ofNullable(ended.timings().stagedOut()).orElseThrow();
        keep("results", seconds(stamp(stamp), there));
        Path arrived = Files.isDirectory(home.resolve("out")) ? home.resolve("out") : home;
        if (!StageTree.areSame(tree.folder(), arrived)) {
            throw new IOException("the results at home are not what the job was given");
        }
    }

    /** Jobs with one input, at once: the bytes that came to their nodes, as a share of once to each node. */
    private void alike(HeadUnderTest head, Path place) throws IOException, InterruptedException {
        Path from = Files.createDirectories(place.resolve("tree"));
        new StageTree(from, files).write(rounds + 1);
        List<String> jobs = new ArrayList<>();
        for (int i = 0; i < ALIKE_JOBS; i++) {
            jobs.add(submit(head, from, from.resolveSibling("stamp-" + i), "", List.of()));
        }
        Set<String> nodes = new HashSet<>();
        double came = 0;
        for (String job : jobs) {
            JobDetail ended = done(head, job);
            for (JobDetail.RankView rank : ended.ranks()) {
                Long bytes = rank.inputBytes();
                if (bytes == null) {
                    throw new IOException("node " + rank.node() + " has not said what came to it for job " + job);
                }
                nodes.add(rank.node());
                came += bytes / (double) ended.job().bytesIn();
            }
        }
        StageTree.delete(place);
        keep(ALIKE, came / nodes.size());
    }

    private static JobDetail job(
            HeadUnderTest head, Path from, Path stamp, String more, List<JobSubmission.Output> outputs)
            throws IOException, InterruptedException {
        return read(head, submit(head, from, stamp, more, outputs), stamp);
    }

    private static JobDetail read(HeadUnderTest head, String job, Path stamp) throws IOException, InterruptedException {
        JobDetail ended = done(head, job);
        if (!Files.exists(stamp)) {
            throw new IOException("a job has not read its input");
        }
        return ended;
    }

    private static JobDetail done(HeadUnderTest head, String id) throws IOException, InterruptedException {
        JobDetail ended = head.untilEndUnhurried(id, LIMIT);
        if (ended.job().state() != JobState.DONE) {
            throw new IOException(
                    "a job ended as " + ended.job().state() + ": " + ended.job().reason());
        }
        return ended;
    }

    private static String submit(
            HeadUnderTest head, Path from, Path stamp, String more, List<JobSubmission.Output> outputs)
            throws IOException {
        Files.deleteIfExists(stamp);
        Path folder = Objects.requireNonNull(from.getParent());
        String one;
        try (Stream<Path> all = Files.walk(from)) {
            one = folder.relativize(all.filter(Files::isRegularFile).findFirst().orElseThrow())
                    .toString();
        }
        var submission = JobSubmission.of(job -> {
            job.name = "bench-stage";
            job.script = "#!/bin/sh\nhead -c 1 '" + one + "' >first && date +%s%N >'" + stamp + "'\n" + more + "\n";
            job.scriptName = "stage.sh";
            job.walltimeSeconds = 3600;
            job.folder = folder.toString();
            job.inputs = List.of(new JobSubmission.Input(from.toString(), ""));
            job.outputs = outputs;
        });
        return HeadClient.read(head.client().post("/jobs", UUID.randomUUID().toString(), submission), Submitted.class)
                .jobs()
                .getFirst()
                .id();
    }

    private static Instant stamp(Path stamp) throws IOException {
        return Instant.ofEpochSecond(
                0,
                Long.parseLong(
                        Files.readString(stamp, StandardCharsets.US_ASCII).strip()));
    }

    private static Instant began(JobDetail job, JobState state) throws IOException {
        return job.timeline().stream()
                .filter(moment -> moment.state() == state)
                .map(JobDetail.Moment::at)
                .findFirst()
                .orElseThrow(() -> new IOException("job " + job.job().id() + " was never " + state));
    }

    private static double seconds(Instant from, Instant to) {
        return Duration.between(from, to).toNanos() / 1e9;
    }

    private void keep(String name, double value) {
        measured.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    }
}
