package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LogPart;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.Stager;
import org.spillway.policy.Resources;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.transfer.LocalTransfer;
import org.spillway.stage.transfer.Transfer;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserWorkers;

/** With real workers, and a site whose staging space is a folder. */
class SiteStagerTest {
    private static final DirectorTarget EAST = new DirectorTarget("east", "n1", "i-1", "127.0.0.1", 22);
    private static final DirectorTarget HERE = new DirectorTarget("here", "n2", "i-2", "127.0.0.1", 22);

    @TempDir
    Path temporary;

    private Path home;
    private Path staging;
    private UserWorkers workers;
    private SiteStager stager;
    /** The line breaks after so many bytes; none for never. */
    private long breaksAfter = Long.MAX_VALUE;

    private long sentBytes;
    private final List<Long> moved = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        home = Files.createDirectories(temporary.toRealPath().resolve("home"));
        staging = temporary.resolve("staging");
        workers = new UserWorkers(UserWorkers.Limits.DEFAULT, InstantSource.fixed(Instant.EPOCH));
        DirectorLink link = new DirectorLink() {
            @Override
            public Report sync(DirectorTarget director, Directive directive) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Transfer staging(DirectorTarget director) {
                return new Breaking();
            }

            @Override
            public Optional<LogPart> log(
                    DirectorTarget director, String job, int attempt, String node, String stream, long after) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void forget(String site) {}
        };
        stager = new SiteStager(
                link,
                workers,
                spec -> List.of(),
                new SiteStager.Boundary("here"::equals, path -> path.startsWith(home.resolve("pinned"))));
    }

    @AfterEach
    void close() {
        workers.close();
    }

    /** A staging space behind a line that breaks. */
    private final class Breaking implements Transfer {
        private final LocalTransfer there;

        Breaking() {
            try {
                there = new LocalTransfer(staging);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        @Override
        public long received(String key) throws IOException {
            return there.received(key);
        }

        @Override
        public void send(String key, long offset, InputStream bytes) throws IOException {
            there.send(key, offset, new FilterInputStream(bytes) {
                private long left = breaksAfter;

                @Override
                public int read(byte[] into, int at, int length) throws IOException {
                    int n = in.read(into, at, (int) Math.min(length, left));
                    if (left == 0) {
                        throw new IOException("the line broke");
                    }
                    left -= Math.max(0, n);
                    sentBytes += Math.max(0, n);
                    return n;
                }
            });
        }

        @Override
        public void seal(String key, Checksum checksum) throws IOException {
            there.seal(key, checksum);
        }

        @Override
        public boolean isSealed(String key) throws IOException {
            return there.isSealed(key);
        }

        @Override
        public void receive(String key, long offset, OutputStream sink) throws IOException {
            there.receive(key, offset, sink);
        }

        @Override
        public boolean share(String key, String other) throws IOException {
            return there.share(key, other);
        }

        @Override
        public void remove(String key) throws IOException {
            there.remove(key);
        }

        @Override
        public void close() {}
    }

    private Path file(String name, String content) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    private JobRecord job(List<JobSpec.Input> inputs, List<JobSpec.Output> outputs, int nodes) throws IOException {
        int uid = Identity.ownUid();
        JobSpec spec = JobSpec.of(draft -> {
            draft.name = "job";
            draft.owner = new JobSpec.Owner("self", uid, 0);
            draft.queue = "q";
            draft.sites = List.of("east");
            draft.need = new JobSpec.Need(new Resources(1, 1, 0, "", 0), nodes, Duration.ofMinutes(1));
            draft.data = new JobSpec.Data(inputs, outputs, home.toString());
            draft.idempotencyKey = JobSpec.Key.of("key");
        });
        return new JobRecord("7", spec, JobState.STAGING_IN, Cause.NONE, Instant.EPOCH, JobRun.NONE.at("east"));
    }

    private JobRecord withInput(String pattern) throws IOException {
        return job(List.of(new JobSpec.Input(home + "/" + pattern, "")), List.of(), 1);
    }

    private static TreeMap<String, String> tree(Path folder) throws IOException {
        TreeMap<String, String> tree = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                tree.put(folder.relativize(file).toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return tree;
    }

    private TreeMap<String, String> unpackedAtTheSite() throws Exception {
        Path out = Files.createTempDirectory(temporary, "node");
        Path bundle = staging.resolve(Orders.inputKey("7"));
        assertThat(new ProcessBuilder("tar", "-xf", bundle.toString(), "-C", out.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        return tree(out);
    }

    @Test
    void filesFoldersAndGlobsTravelAsOneBundle() throws Exception {
        file("numbers.txt", "1 2 3");
        file("data/a.csv", "a");
        file("data/deep/b.csv", "b");
        file("data/notes.txt", "no");
        file("models/one/w", "w1");
        JobRecord job = job(
                List.of(
                        new JobSpec.Input(home + "/numbers.txt", ""),
                        new JobSpec.Input(home + "/data/**/*.csv", "in"),
                        new JobSpec.Input(home + "/models", ""),
                        new JobSpec.Input(home + "/data/notes.txt", "numbers.txt")), // the first one has the name
                List.of(),
                1);
        JobRun.Staged staged = stager.stageIn(EAST, job, "store-1", null, moved::add);
        assertThat(staged.store()).isEqualTo("store-1");
        assertThat(staged.files()).isEqualTo(4);
        assertThat(staged.bundle()).isEqualTo(checksum(Files.readAllBytes(staging.resolve(Orders.inputKey("7")))));
        assertThat(unpackedAtTheSite())
                .isEqualTo(Map.of("numbers.txt", "1 2 3", "in/a.csv", "a", "in/deep/b.csv", "b", "models/one/w", "w1"));
        assertThat(stager.measure(job.spec()))
                .isEqualTo(new Stager.Extent(4, staged.bundle().bytes()));
        assertThat(moved).isSorted().endsWith(staged.bundle().bytes());

        file("data/a.csv", "changed since");
        stager.stageIn(EAST, job, "store-1", null, moved::add);
        assertThat(unpackedAtTheSite()).as("sealed before, staged anew").containsEntry("in/a.csv", "changed since");
    }

    @Test
    void whatAnotherJobHasBroughtIsNotBroughtOnceMore() throws Exception {
        file("data/a.csv", "a");
        JobRecord first = withInput("data");
        JobRun.Staged there = stager.stageIn(EAST, first, "s", null, moved::add);
        first = first.with(first.run().at("east").withStaged(there));
        long sent = sentBytes;
        JobRecord second = named("8", first);
        JobRun.Staged shared = stager.stageIn(EAST, second, "s", first, moved::add);
        assertThat(sentBytes).isEqualTo(sent);
        assertThat(shared).isEqualTo(there);
        stager.clean(EAST, "7");
        assertThat(checksum(Files.readAllBytes(staging.resolve(Orders.inputKey("8")))))
                .isEqualTo(there.bundle());

        // The first bundle has gone; it lies in another space; the files have changed meanwhile: all of that is copied.
        JobRecord third = named("9", first);
        assertThat(stager.stageIn(EAST, third, "s", first, moved::add)).isEqualTo(there);
        assertThat(sentBytes).isGreaterThan(sent);
        sent = sentBytes;
        JobRecord elsewhere =
                first.with(first.run().withStaged(new JobRun.Staged("t", 1, there.bundle(), there.listing())));
        stager.stageIn(EAST, named("10", first), "s", elsewhere, moved::add);
        assertThat(sentBytes).isGreaterThan(sent);
        sent = sentBytes;
        file("data/a.csv", "changed");
        JobRecord ninth = third.with(third.run().withStaged(there));
        JobRun.Staged changed = stager.stageIn(EAST, named("11", first), "s", ninth, moved::add);
        assertThat(sentBytes).isGreaterThan(sent);
        assertThat(changed.bundle()).isNotEqualTo(there.bundle());
    }

    private static JobRecord named(String id, JobRecord job) {
        return new JobRecord(id, job.spec(), job.jobState(), Cause.NONE, job.since(), job.run());
    }

    @Test
    void aCutOffCopyGoesOn() throws Exception {
        byte[] large = new byte[3_000_000];
        new Random(1).nextBytes(large);
        Files.write(file("data/large", ""), large);
        file("data/small", "s");
        JobRecord job = withInput("data");
        breaksAfter = 1_000_000;
        assertThatThrownBy(() -> stager.stageIn(EAST, job, "s", null, moved::add))
                .hasMessage("the line broke");
        assertThatThrownBy(() -> stager.stageIn(EAST, job, "s", null, moved::add))
                .hasMessage("the line broke");
        breaksAfter = Long.MAX_VALUE;
        JobRun.Staged staged = stager.stageIn(EAST, job, "s", null, moved::add);
        assertThat(sentBytes)
                .as("each byte went once")
                .isEqualTo(staged.bundle().bytes());
        assertThat(moved).isSorted();
        assertThat(unpackedAtTheSite()).hasSize(2);
    }

    @Test
    void aFileThatChangedBetweenTriesIsFoundAndTheNextOneIsWhole() throws Exception {
        file("data/a", "x".repeat(100_000));
        file("data/b", "y".repeat(100_000));
        JobRecord job = withInput("data");
        breaksAfter = 150_000;
        assertThatThrownBy(() -> stager.stageIn(EAST, job, "s", null, moved::add))
                .hasMessage("the line broke");
        breaksAfter = Long.MAX_VALUE;
        file("data/a", "z".repeat(100_000));
        assertThatThrownBy(() -> stager.stageIn(EAST, job, "s", null, moved::add))
                .isInstanceOf(org.spillway.stage.transfer.ChecksumMismatch.class);
        stager.stageIn(EAST, job, "s", null, moved::add);
        assertThat(unpackedAtTheSite()).containsEntry("data/a", "z".repeat(100_000));
    }

    @Test
    void whatIsPinnedDoesNotLeaveHome() throws Exception {
        Path secret = file("pinned/secret", "secret");
        Files.createSymbolicLink(home.resolve("link"), secret);
        Files.createSymbolicLink(home.resolve("folder"), secret.getParent());
        for (String way : List.of("pinned", "link", "folder", "p*", "l*")) {
            JobRecord job = withInput(way);
            assertThatThrownBy(() -> stager.stageIn(EAST, job, "s", null, moved::add))
                    .as(way)
                    .isInstanceOf(FileRefused.class)
                    .hasMessageContaining("may not leave home");
            assertThat(stager.measure(job.spec()).pinned()).as(way).startsWith(home.toString());
        }
        assertThat(Files.exists(staging) ? tree(staging) : Map.of()).isEqualTo(Map.of());
        stager.stageIn(HERE, withInput("link"), "s", null, moved::add);
        assertThat(unpackedAtTheSite()).isEqualTo(Map.of("link", "secret"));
    }

    @Test
    void inputsThatDoNotGoTogetherAreRefused() throws Exception {
        file("a", "1");
        file("b/c", "2");
        JobRecord clash =
                job(List.of(new JobSpec.Input(home + "/a", "x"), new JobSpec.Input(home + "/b", "x")), List.of(), 1);
        assertThatThrownBy(() -> stager.measure(clash.spec()))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("'x' would be both a file and a folder");
        JobRecord climbing = job(List.of(new JobSpec.Input(home + "/a", "../x")), List.of(), 1);
        assertThatThrownBy(() -> stager.measure(climbing.spec())).isInstanceOf(FileRefused.class);
        assertThatThrownBy(() -> stager.measure(withInput("none*").spec()))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("nothing matches");
        assertThat(stager.measure(job(List.of(), List.of(), 1).spec())).isEqualTo(new Stager.Extent(0, 0));
    }

    private static Checksum checksum(byte[] bytes) throws IOException {
        return Sha256.of(new ByteArrayInputStream(bytes), OutputStream.nullOutputStream());
    }

    /** The results that a node would have left in the staging space. @return the job when this rank has ended */
    private JobRecord ended(JobRecord job, int rank, Map<String, String> results) throws Exception {
        Path folder = Files.createTempDirectory(temporary, "rank");
        for (Map.Entry<String, String> result : results.entrySet()) {
            Path file = folder.resolve(result.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, result.getValue());
        }
        Process tar = new ProcessBuilder("tar", "-C", folder.toString(), "-chf", "-", ".").start();
        ByteArrayOutputStream bundle = new ByteArrayOutputStream();
        tar.getInputStream().transferTo(bundle);
        assertThat(tar.waitFor()).isZero();
        Checksum checksum = checksum(bundle.toByteArray());
        try (LocalTransfer transfer = new LocalTransfer(staging)) {
            String key = Orders.outputKey("7", job.run().attempt(), rank);
            transfer.send(key, 0, new ByteArrayInputStream(bundle.toByteArray()));
            transfer.seal(key, checksum);
        }
        return job.with(job.run()
                .ended(
                        "node-" + rank,
                        new JobRun.End(Instant.EPOCH, Instant.EPOCH, 0, Cause.NONE, true, "store", checksum)));
    }

    @Test
    void resultsComeHomeHiddenAndArePublishedOnce() throws Exception {
        JobSpec.Output[] outputs = {
            new JobSpec.Output(Orders.STDOUT, home + "/job.out", false, false),
            new JobSpec.Output("answer.txt", home + "/answer.txt", false, true),
            new JobSpec.Output("logs/*.log", home + "/logs", true, false),
            new JobSpec.Output("*.txt", home + "/texts", true, false),
            new JobSpec.Output("logs/first.log", home + "/never", false, true), // named, but taken by an earlier one
            new JobSpec.Output("missing", home + "/missing", false, true),
        };
        JobRecord job = job(List.of(), List.of(outputs), 2);
        job = job.with(job.run().startedOn(List.of("node-0", "node-1")));
        job = ended(
                job,
                0,
                Map.of(
                        ".spillway/stdout",
                        "zero",
                        "answer.txt",
                        "42",
                        "logs/first.log",
                        "0",
                        "secret",
                        "not asked for"));
        job = ended(job, 1, Map.of(".spillway/stdout", "one", "answer.txt", "41", "logs/b.log", "1", "more.txt", "m"));
        TreeMap<String, String> before = tree(staging);

        stager.bringHome(EAST, job, moved::add);
        stager.bringHome(EAST, job, moved::add);
        assertThat(tree(home).keySet()).hasSize(2).allMatch(name -> name.startsWith(".spillway-7-"));
        long bytes = job.run().ranks().stream()
                .mapToLong(rank -> rank.end().results().bytes())
                .sum();
        assertThat(moved).endsWith(bytes);

        for (int i = 0; i < 2; i++) {
            JobRun.Published published = stager.publish(job);
            assertThat(published.missing()).containsExactly("missing");
            assertThat(published.files()).isEqualTo(7);
        }
        stager.forget(job);
        stager.forget(job);
        assertThat(tree(home))
                .isEqualTo(Map.of(
                        "job.out", "zero",
                        "job.out.1", "one",
                        "answer.txt", "42",
                        "logs/first.log", "0",
                        "logs/b.log", "1",
                        "texts/more.txt", "m"));
        assertThat(tree(staging)).isEqualTo(before);
        stager.clean(EAST, "7");
        assertThat(tree(staging)).isEmpty();
    }

    @Test
    void bundlesOfLostAttemptsAreForgottenToo() throws Exception {
        JobRecord job = job(List.of(), List.of(new JobSpec.Output("a", home + "/a", false, false)), 1);
        JobRecord first = ended(job.with(job.run().startedOn(List.of("node-0"))), 0, Map.of("a", "1"));
        stager.bringHome(EAST, first, moved::add);
        JobRecord second = ended(first.with(first.run().waiting().startedOn(List.of("node-0"))), 0, Map.of("a", "2"));
        stager.bringHome(EAST, second, moved::add);
        assertThat(tree(home)).hasSize(2);
        stager.publish(second);
        stager.forget(second);
        assertThat(tree(home)).isEqualTo(Map.of("a", "2"));
    }

    @Test
    void aSiteThatSendsSomethingElseIsNotPublished() throws Exception {
        JobRecord job = job(List.of(), List.of(new JobSpec.Output("a", home + "/a", false, false)), 1);
        JobRecord ended = ended(job.with(job.run().startedOn(List.of("node-0"))), 0, Map.of("a", "1"));
        Path there = staging.resolve(Orders.outputKey("7", 1, 0));
        byte[] bytes = Files.readAllBytes(there);
        bytes[600] ^= 1;
        Files.write(there, bytes);
        assertThatThrownBy(() -> stager.bringHome(EAST, ended, moved::add))
                .isInstanceOf(org.spillway.stage.transfer.ChecksumMismatch.class);
        Files.write(there, new byte[bytes.length + 1]);
        assertThatThrownBy(() -> stager.bringHome(EAST, ended, moved::add)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> stager.publish(ended)).isInstanceOf(IOException.class);
        assertThat(home.resolve("a")).doesNotExist();
    }
}
