package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.Submitted;
import org.spillway.cli.HeadClient;

/**
 * Jobs that read their user's home without having named it, behind a line, beside the same with declared inputs and beside
 * sshfs. Director and nodes are there before; each round has data of its own, as old as data in a home are.
 */
final class ReachBench {
    /** Length of the large file, for each of the small ones: 1 GB beside 2,000. */
    static final long LARGE_BYTES_FOR_A_FILE = 500_000;
    /** For each of so many small files sshfs has one: it takes minutes for all. */
    static final int PEER_PART = 10;

    private static final Duration LIMIT = Duration.ofMinutes(15);
    /** From a change until what was changed is kept (ADR 70), and a little more. */
    private static final Duration SETTLED = Duration.ofSeconds(62);
    /** All of a machine of the local cloud. */
    private static final int WHOLE_NODE = 2;

    private static final String LARGE = "dd if='%1$s/large/file' of=/dev/null bs=1M 2>/dev/null";
    private static final String BUILD = "cd '%1$s/src' && for each in *.c; do"
            + " cc -O0 -I../include -c \"$each\" -o \"${each%%.c}.o\" || exit 9; done";
    private static final String READ = "tar cf - -C '%1$s' src include | cat >/dev/null";
    private static final String EXTRACT = "tar xf '%1$s/many.tar' -C ~";

    private final Path launcher;
    private final int files;
    private final int rounds;
    private final LinkShape shape;
    private final Map<String, List<Double>> measured = new LinkedHashMap<>();

    /** @param files of each tree; the large file has as many times 500 kB */
    ReachBench(Path launcher, int files, int rounds, LinkShape shape) {
        this.launcher = launcher;
        this.files = files;
        this.rounds = rounds;
        this.shape = shape;
    }

    List<Figure> measure() throws IOException, InterruptedException {
        if (!"root".equals(System.getProperty("user.name"))) {
            throw new IOException("only root's nodes mount homes: run it as root");
        }
        if (!Files.exists(Path.of("/dev/fuse"))) {
            throw new IOException("there is no /dev/fuse, so nodes mount no homes");
        }
        String missing = SshfsPeer.missing().orElse("");
        try (SlowLink link = SlowLink.start(shape);
                var head = HeadUnderTest.start(launcher, configuration(), ReachBench::prepare);
                DirectorGates gates = DirectorGates.open(head, link)) {
            Benchmarks.run(head);
            Path home = home(head.state());
            Path work = Files.createDirectories(head.state().resolveSibling("work"));
            for (int round = 1; round <= rounds; round++) {
                System.err.println("reach: round " + round + " of " + rounds + " ...");
                Path place = home.resolve("round");
                var bed = new Bed(head, link, place, work);
                String sum = write(place, work, round);
                Thread.sleep(SETTLED);
                round(bed, sum);
                if (missing.isEmpty()) {
                    peer(bed);
                }
                StageTree.delete(place);
                StageTree.delete(work);
                Files.createDirectories(work);
            }
            gates.check();
        }
        return new ReachFigures(measured, files, shape).all(missing.isEmpty() ? SshfsPeer.versions() : "", missing);
    }

    /** @param place data, in the home */
    private record Bed(HeadUnderTest head, SlowLink link, Path place, Path work) {}

    static String configuration() throws IOException {
        return HeadUnderTest.configuration()
                .replace("source: nss", "source: file, passwd: ./passwd, group: ./group")
                .replace("maxNodes: 2", "maxNodes: 2\n    nodes: { home: reach }")
                .replace("state: ./cloud }", "state: ./cloud, sshPort: \"" + DirectorGates.PORT + "\" }");
    }

    private static Path home(Path state) {
        return state.resolveSibling("home/root");
    }

    private static void prepare(Path state) throws IOException {
        Path home = Files.createDirectories(home(state));
        Files.writeString(state.resolveSibling("passwd"), "root:x:0:0:root:" + home + ":/bin/sh\n");
        Files.writeString(state.resolveSibling("group"), "root:x:0:\n");
    }

    /** @return the digest of the large file */
    private String write(Path place, Path work, int round) throws IOException, InterruptedException {
        Files.createDirectories(place);
        new ReachTree(place.resolve("built"), files).write(round * 10L);
        new ReachTree(place.resolve("read"), files).write(round * 10L + 1);
        Path many = work.resolve("many");
        new ReachTree(many, files).write(round * 10L + 2);
        OwnSshd.run(List.of("tar", "cf", place.resolve("many.tar").toString(), "-C", work.toString(), "many"));
        new ReachTree(work.resolve("few"), Math.max(ReachTree.TOGETHER, files / PEER_PART)).write(round * 10L + 3);
        OwnSshd.run(List.of("tar", "cf", place.resolve("few.tar").toString(), "-C", work.toString(), "few"));
        new ReachTree(place.resolve("few"), Math.max(ReachTree.TOGETHER, files / PEER_PART)).write(round * 10L + 4);
        Path large = place.resolve("large/file");
        StageTree.writeLarge(large, files * LARGE_BYTES_FOR_A_FILE, round);
        return OwnSshd.said("sha256sum", large.toString()).split(" ", 2)[0];
    }

    private void round(Bed bed, String sum) throws IOException, InterruptedException {
        extract(bed);
        timed(bed, "build", BUILD.formatted(bed.place.resolve("built")), "", job -> {});
        timed(bed, "read", READ.formatted(bed.place.resolve("read")), "", job -> {});
        String whole = LARGE.formatted(bed.place);
        String same = "sha256sum <'" + bed.place + "/large/file' >sum && grep -q " + sum + " sum\n";
        Cpu before = Cpu.of(bed.head);
        double carried = bed.link.carriedBytes();
        Told first = timed(bed, "large", whole, same, job -> {});
        keep("large.carried", (bed.link.carriedBytes() - carried) / 1e6);
        keepCpu(before, Cpu.of(bed.head));
        carried = bed.link.carriedBytes();
        elsewhere(bed, whole, same, first.node);
        keep("other.carried", (bed.link.carriedBytes() - carried) / 1e6);
        timed(bed, "again", whole, same, job -> {});
        declared(bed, "build", BUILD, "built");
        declared(bed, "read", READ, "read");
        declared(bed, "large", LARGE, "large");
    }

    private void keepCpu(Cpu before, Cpu after) {
        double gigabytes = files * LARGE_BYTES_FOR_A_FILE / 1e9;
        keep("cpu.head", (after.head() - before.head()) / gigabytes);
        keep("cpu.workers", (after.workers() - before.workers()) / gigabytes);
        keep("cpu.director", (after.director() - before.director()) / gigabytes);
        keep("cpu.sshd", (after.cloud() - before.cloud()) / gigabytes);
    }

    private void extract(Bed bed) throws IOException, InterruptedException {
        Told told = timed(bed, "extract", EXTRACT.formatted(bed.place), "", job -> {});
        Instant home = Objects.requireNonNull(told.detail.timings().stagedOut());
        keep("extract.home", seconds(told.begin, home));
        Path came = bed.work.resolve("spillway-" + told.detail.job().id() + "/HOME/many");
        if (!StageTree.areSame(bed.work.resolve("many"), came)) {
            throw new IOException("the files at home are not what the job has made");
        }
    }

    /** @param begin of what was timed */
    private record Told(JobDetail detail, String node, Instant begin) {}

    /** A line with what it needs among the job's declared inputs. */
    private void declared(Bed bed, String name, String line, String input) throws IOException, InterruptedException {
        Path from = bed.place.resolve(input);
        Told told = timed(
                bed,
                name + ".in",
                line.formatted(input.equals("large") ? "." : input),
                "",
                job -> job.inputs = List.of(new JobSubmission.Input(from.toString(), "")));
        Instant there = told.detail.timeline().stream()
                .filter(moment -> moment.state() == JobState.QUEUED)
                .map(JobDetail.Moment::at)
                .findFirst()
                .orElseThrow();
        keep(name + ".in.node", seconds(there, told.begin));
    }

    /** Reads on a node that has not had it yet: the other one is held by a job that waits. */
    private void elsewhere(Bed bed, String line, String after, String first) throws IOException, InterruptedException {
        Path sign = bed.work.resolve("sign");
        Path up = bed.work.resolve("up");
        String wait = ": >'" + up + "'; until [ -e '" + sign + "' ]; do sleep 0.1; done\n";
        String waiting = submit(bed, wait, job -> {});
        HeadUnderTest.await("a job is up", LIMIT, () -> Files.exists(up));
        try {
            Told told = timed(bed, "other", line, after, job -> {});
            if (told.node.equals(first)) {
                throw new IOException("the other node was not used");
            }
        } finally {
            Files.createFile(sign);
        }
        done(bed.head, waiting);
    }

    /** @param after what the job does when the time has been taken */
    private Told timed(Bed bed, String name, String line, String after, Consumer<JobSubmission.Draft> more)
            throws IOException, InterruptedException {
        Path told = bed.work.resolve("told");
        Files.deleteIfExists(told);
        String script = "set -e\nbegin=$(date +%s%N)\n( " + line + " )\nend=$(date +%s%N)\n" + after
                + "echo \"$begin $end\" >'" + told + "'\n";
        Instant asked = Instant.now();
        JobDetail ended = done(bed.head, submit(bed, script, more));
        if (!Files.exists(told)) {
            throw new IOException("a job has not told its times: " + ended.job());
        }
        String[] words =
                Files.readString(told, StandardCharsets.US_ASCII).strip().split(" ", -1);
        Instant begin = Instant.ofEpochSecond(0, Long.parseLong(words[0]));
        Instant end = Instant.ofEpochSecond(0, Long.parseLong(words[1]));
        keep(name, seconds(begin, end));
        keep(name + ".all", seconds(asked, end));
        String node = ended.ranks().stream().map(JobDetail.RankView::node).collect(Collectors.joining());
        return new Told(ended, node, begin);
    }

    private static String submit(Bed bed, String script, Consumer<JobSubmission.Draft> more) {
        var submission = JobSubmission.of(job -> {
            job.name = "bench-reach";
            job.script = "#!/bin/sh\n" + script;
            job.scriptName = "reach.sh";
            job.cpus = WHOLE_NODE;
            job.walltimeSeconds = 1800;
            job.folder = bed.work.toString();
            more.accept(job);
        });
        return HeadClient.read(
                        bed.head.client().post("/jobs", UUID.randomUUID().toString(), submission), Submitted.class)
                .jobs()
                .getFirst()
                .id();
    }

    private static JobDetail done(HeadUnderTest head, String id) throws IOException, InterruptedException {
        JobDetail ended = head.untilEndUnhurried(id, LIMIT);
        if (ended.job().state() != JobState.DONE) {
            throw new IOException(
                    "a job ended as " + ended.job().state() + ": " + ended.job().reason());
        }
        return ended;
    }

    private void peer(Bed bed) throws IOException, InterruptedException {
        try (SshfsPeer peer = SshfsPeer.start(bed.place, bed.work.resolve("peer"), bed.link)) {
            keep("extract.sshfs", PEER_PART * peer.run("mkdir there && tar xf few.tar -C there"));
            keep("read.sshfs", PEER_PART * peer.run("tar cf - few | cat >/dev/null"));
            keep("large.sshfs", peer.run("dd if=large/file of=/dev/null bs=1M 2>/dev/null"));
        }
    }

    private static double seconds(Instant from, Instant to) {
        return Duration.between(from, to).toNanos() / 1e9;
    }

    private void keep(String name, double value) {
        measured.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    }
}
