package org.spillway.head.staging;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
import org.spillway.head.link.RegionPieces;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.policy.Resources;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.InputPlan;
import org.spillway.stage.store.PieceIntake;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.store.ResultIntake;
import org.spillway.stage.transfer.LocalTransfer;
import org.spillway.stage.transfer.StreamBroken;
import org.spillway.stage.transfer.Transfer;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserWorkers;

/** Files of a user, a staging space behind a line that may break, and what stages between them. */
abstract class SiteStagerScene {
    static final DirectorTarget EAST = new DirectorTarget("east", "n1", "i-1", "127.0.0.1", 22, "127.0.0.1");

    @TempDir
    Path temporary;

    Path home;
    Path staging;
    UserWorkers workers;
    SiteStager stager;
    SiteStager.Owners owners = spec -> new Identity(spec.user(), spec.uid(), spec.gid(), List.of());
    /** The line breaks after so many bytes; none for never. */
    long breaksAfter = Long.MAX_VALUE;

    /** So many connections die after {@link #breaksAfter} bytes; then none does. */
    int streamsThatBreak;

    /** So much of each result comes home before the line breaks. */
    long homeBreaksAfter = Long.MAX_VALUE;

    /** The fate of bytes on their way, there or home. */
    Passing passing = (bytes, from, length) -> {};

    /** Whether another job has results of this one as its input. */
    boolean followed;

    long sentBytes;
    /** How far the region's clock is ahead. */
    final AtomicLong regionAhead = new AtomicLong();

    /** How far the head's clock is ahead: ten seconds, so that files are settled. */
    long ahead = 10;

    PieceStore store;
    /** The first input that the site was told of. */
    final CompletableFuture<PieceStore.Expected> expected = new CompletableFuture<>();

    final CompletableFuture<InputPlan> planned = new CompletableFuture<>();
    boolean hearsPlans = true;
    /** Asked before an object is sent. */
    Consumer<String> gate = key -> {};

    /** Output of nodes so far, by node and stream. */
    final Map<String, String> written = new HashMap<>();

    final List<Long> moved = new ArrayList<>();
    /** Lengths of which the region was asked for pieces. */
    final List<Integer> lengthsAsked = new ArrayList<>();

    /** Times that the region was asked whether it has digests. */
    int digestsAsked;

    @FunctionalInterface
    interface Passing {
        void passes(byte[] bytes, int from, int length);
    }

    @BeforeEach
    void open() throws IOException {
        open(temporary.toRealPath());
    }

    /** A head and a region that know nothing, and a home. */
    void open(Path folder) throws IOException {
        home = Files.createDirectories(folder.resolve("home"));
        staging = folder.resolve("staging");
        newDirector();
        newHead(folder.resolve("digests"));
    }

    void newDirector() {
        store = new PieceStore(staging, () -> Instant.now().plusSeconds(regionAhead.get()));
    }

    /** @param digests that it keeps */
    void newHead(Path digests) throws IOException {
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
            public RegionPieces pieces(DirectorTarget director) {
                return new RegionPieces() {
                    @Override
                    public List<Boolean> have(int uid, List<Digest> digests) {
                        digestsAsked++;
                        try {
                            byte[] there = store.have(
                                    uid,
                                    digests.stream().mapToLong(Digest::prefix).toArray());
                            return IntStream.range(0, there.length)
                                    .mapToObj(i -> there[i] == 1)
                                    .toList();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }

                    @Override
                    public boolean expect(int uid, String job, InputPlan plan) {
                        try {
                            planned.complete(plan);
                            expected.complete(store.expect(uid, Orders.inputKey(job), plan));
                            return hearsPlans;
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }

                    @Override
                    public List<Boolean> haveOfLength(int uid, List<Integer> lengths) {
                        lengthsAsked.addAll(lengths);
                        try {
                            byte[] there = store.haveOfLength(
                                    uid,
                                    lengths.stream().mapToInt(Integer::intValue).toArray());
                            return IntStream.range(0, there.length)
                                    .mapToObj(i -> there[i] == 1)
                                    .toList();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }

                    @Override
                    public boolean keepResults(int uid, String job, int attempt, int rank) {
                        Path results = staging.resolve(Orders.outputKey(job, attempt, rank));
                        try (InputStream in = Files.newInputStream(results)) {
                            ResultIntake.take(in, new PieceIntake(staging, store, uid));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                        return true;
                    }

                    @Override
                    public Optional<PieceStore.Assembled> assemble(int uid, String recipe, String job) {
                        try {
                            return Optional.of(store.assemble(uid, recipe, Orders.inputKey(job)));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }
                };
            }

            @Override
            public Optional<LogPart> log(
                    DirectorTarget director, String job, int attempt, String node, String stream, long after) {
                byte[] all = written.getOrDefault(node + " " + stream, "").getBytes(StandardCharsets.UTF_8);
                int from = (int) Math.min(after, all.length);
                return Optional.of(new LogPart(from, all.length, Arrays.copyOfRange(all, from, all.length)));
            }

            @Override
            public void forget(String site) {}
        };
        stager = new SiteStager(
                link,
                workers,
                spec -> owners.of(spec),
                new SiteStager.Boundary("here"::equals, path -> path.startsWith(home.resolve("pinned"))),
                // Files that a test has just written are settled by then.
                new SiteStager.Books(digests, () -> Instant.now().plusSeconds(ahead)),
                new SiteStager.Elsewhere(List.of(), "", Long.MAX_VALUE),
                job -> followed);
    }

    @AfterEach
    void close() {
        workers.close();
    }

    private synchronized void count(int bytes) {
        sentBytes += bytes;
    }

    private synchronized IOException broken() {
        if (streamsThatBreak == 0) {
            return new IOException("the line broke");
        }
        streamsThatBreak--;
        breaksAfter = streamsThatBreak == 0 ? Long.MAX_VALUE : breaksAfter;
        return new StreamBroken("a connection broke", new IOException("reset"));
    }

    /** A staging space behind a line that breaks. */
    final class Breaking implements Transfer {
        private final LocalTransfer there;

        Breaking() {
            try {
                there = new LocalTransfer(staging);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public long received(String key) throws IOException {
            return there.received(key);
        }

        @Override
        public void send(String key, long offset, InputStream bytes) throws IOException {
            gate.accept(key);
            there.send(key, offset, new FilterInputStream(bytes) {
                private long left = breaksAfter;

                @Override
                public int read(byte[] into, int at, int length) throws IOException {
                    int n = in.read(into, at, (int) Math.min(length, left));
                    if (left == 0) {
                        throw broken();
                    }
                    left -= Math.max(0, n);
                    count(Math.max(0, n));
                    passing.passes(into, at, Math.max(0, n));
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
            there.receive(key, offset, new FilterOutputStream(sink) {
                private long left = homeBreaksAfter;

                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    byte[] some = Arrays.copyOfRange(bytes, from, from + (int) Math.min(length, left));
                    passing.passes(some, 0, some.length);
                    out.write(some);
                    left -= some.length;
                    if (some.length < length) {
                        throw new IOException("the line broke");
                    }
                }
            });
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

    Path file(String name, String content) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    JobRecord job(List<JobSpec.Input> inputs, List<JobSpec.Output> outputs, int nodes) throws IOException {
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

    /** The input that a node gets for that job. */
    byte[] input(String job) throws IOException {
        var bytes = new java.io.ByteArrayOutputStream();
        store.copy(Orders.inputKey(job), 0, bytes);
        return bytes.toByteArray();
    }

    static TreeMap<String, String> tree(Path folder) throws IOException {
        TreeMap<String, String> tree = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                tree.put(folder.relativize(file).toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return tree;
    }

    static JobRecord named(String id, JobRecord job) {
        return new JobRecord(id, job.spec(), job.jobState(), Cause.NONE, job.since(), job.run());
    }

    static Checksum checksum(byte[] bytes) throws IOException {
        return Sha256.of(new ByteArrayInputStream(bytes), OutputStream.nullOutputStream());
    }
}
