package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.port.Stager;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.store.Pieces;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.Identity;

/** Inputs on their way to a site. */
final class SiteStagerTest extends SiteStagerScene {
    private static final DirectorTarget HERE = new DirectorTarget("here", "n2", "i-2", "127.0.0.1", 22, "127.0.0.1");

    private JobRecord withInput(String pattern) throws IOException {
        return job(List.of(new JobSpec.Input(home + "/" + pattern, "")), List.of(), 1);
    }

    private TreeMap<String, String> unpackedAtTheSite() throws Exception {
        Path out = Files.createTempDirectory(temporary, "node");
        Path bundle = Files.write(temporary.resolve("input.tar"), input("7"));
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
        assertThat(staged.bundle()).isEqualTo(checksum(input("7")));
        assertThat(unpackedAtTheSite())
                .isEqualTo(Map.of("numbers.txt", "1 2 3", "in/a.csv", "a", "in/deep/b.csv", "b", "models/one/w", "w1"));
        assertThat(stager.measure(job.spec()))
                .isEqualTo(new Stager.Extent(4, staged.bundle().bytes()));
        assertThat(moved).isSorted().endsWith(staged.bundle().bytes());

        file("data/a.csv", "changed since");
        stager.stageIn(EAST, job, "store-1", null, moved::add);
        assertThat(unpackedAtTheSite()).as("sealed before, staged anew").containsEntry("in/a.csv", "changed since");
    }

    /** The second pack goes when a node has read the first one. */
    @Test
    void aNodeReadsWhatHasComeBeforeTheRegionHasAll() throws Exception {
        // As many as one pack has pieces, and one.
        for (int i = 0; i <= 4096; i++) {
            file("data/f%04d".formatted(i), "content of " + i);
        }
        CountDownLatch read = new CountDownLatch(1);
        Set<String> begun = ConcurrentHashMap.newKeySet();
        gate = key -> {
            begun.add(key);
            if (!key.endsWith(planned.join().packs().getFirst())) {
                await(read);
            }
        };
        var staging = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return stager.stageIn(EAST, withInput("data"), "s", null, moved::add);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                Thread::startVirtualThread);
        PieceStore.Expected input = expected.get();
        PipedInputStream node = new PipedInputStream(1 << 20);
        PipedOutputStream pipe = new PipedOutputStream(node);
        var copy = CompletableFuture.runAsync(
                () -> {
                    try (var out = pipe) {
                        store.copyGrowing(PieceStore.inputKey("7"), 0, out);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                Thread::startVirtualThread);
        while (input.advance().orElse(0) == 0) {
            LockSupport.parkNanos(1_000_000);
        }
        byte[] first = node.readNBytes(1024);
        assertThat(new String(first, StandardCharsets.UTF_8)).contains("content of 0");
        assertThat(staging).as("the second pack waits").isNotDone();
        assertThat(store.given(PieceStore.inputKey("7"))).isEmpty();
        read.countDown();
        JobRun.Staged staged = staging.get();
        byte[] rest = node.readAllBytes();
        copy.get();
        assertThat(first.length + rest.length).isEqualTo((int) staged.bundle().bytes());
        assertThat(checksum(input("7"))).isEqualTo(staged.bundle());
        assertThat(staging("users/" + Identity.ownUid() + "/recipes"))
                .as("made of the plan")
                .hasSize(2);
        assertThat(begun).as("two packs and no recipe").hasSize(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<Path> staging(String folder) throws IOException {
        try (Stream<Path> all = Files.list(staging.resolve(folder))) {
            return all.toList();
        }
    }

    @Test
    void aSiteThatHearsNoPlansGetsARecipe() throws Exception {
        hearsPlans = false;
        file("data/a.csv", "a");
        Set<String> begun = ConcurrentHashMap.newKeySet();
        gate = begun::add;
        stager.stageIn(EAST, withInput("data"), "s", null, moved::add);
        assertThat(begun).anyMatch(key -> key.contains("/recipes/"));
        assertThat(unpackedAtTheSite()).isEqualTo(Map.of("data/a.csv", "a"));
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
        assertThat(shared.bundle()).isEqualTo(there.bundle());
        assertThat(shared.sentBytes()).isZero();
        stager.clean(EAST, "7");
        assertThat(checksum(input("8"))).isEqualTo(there.bundle());

        // The first has gone, or lies in another space: the region has its bytes all the same.
        JobRecord third = named("9", first);
        assertThat(stager.stageIn(EAST, third, "s", first, moved::add).bundle()).isEqualTo(there.bundle());
        JobRecord elsewhere =
                first.with(first.run().withStaged(new JobRun.Staged("t", 1, there.bundle(), there.listing(), 0, null)));
        stager.stageIn(EAST, named("10", first), "s", elsewhere, moved::add);
        assertThat(sentBytes).isEqualTo(sent);
        file("data/a.csv", "changed");
        JobRecord ninth = third.with(third.run().withStaged(there));
        JobRun.Staged changed = stager.stageIn(EAST, named("11", first), "s", ninth, moved::add);
        assertThat(sentBytes).isGreaterThan(sent);
        assertThat(changed.bundle()).isNotEqualTo(there.bundle());
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
        assertThat(sentBytes).as("each byte went once").isBetween(3_000_001L, 3_001_000L);
        assertThat(moved.getLast()).isEqualTo(staged.bundle().bytes());
        assertThat(moved.getLast()).isPositive();
        assertThat(unpackedAtTheSite()).hasSize(2);
    }

    /** Three deaths in a row without a byte in between would end it; here each brings a million. */
    @Test
    void aConnectionThatDiesCostsNoTryAndNoByteTwice() throws Exception {
        byte[] large = new byte[3_000_000];
        new Random(1).nextBytes(large);
        Files.write(file("data/large", ""), large);
        breaksAfter = 500_000;
        streamsThatBreak = 5;
        JobRun.Staged staged = stager.stageIn(EAST, withInput("data"), "s", null, moved::add);
        assertThat(streamsThatBreak).isZero();
        assertThat(sentBytes).as("each byte went once").isBetween(3_000_001L, 3_001_000L);
        assertThat(moved.getLast()).isEqualTo(staged.bundle().bytes());
        assertThat(unpackedAtTheSite()).hasSize(1);
    }

    @Test
    void connectionsThatDieBeforeTheFirstByteEndTheTry() throws Exception {
        file("data/small", "s");
        breaksAfter = 0;
        streamsThatBreak = 1000;
        assertThatThrownBy(() -> stager.stageIn(EAST, withInput("data"), "s", null, moved::add))
                .hasMessage("a connection broke");
        assertThat(streamsThatBreak).isEqualTo(996);
    }

    @Test
    void aFileThatChangedBetweenTriesIsSentAnew() throws Exception {
        file("data/a", "x".repeat(100_000));
        file("data/b", "y".repeat(100_000));
        JobRecord job = withInput("data");
        breaksAfter = 150_000;
        assertThatThrownBy(() -> stager.stageIn(EAST, job, "s", null, moved::add))
                .hasMessage("the line broke");
        breaksAfter = Long.MAX_VALUE;
        file("data/a", "z".repeat(100_000));
        stager.stageIn(EAST, job, "s", null, moved::add);
        assertThat(unpackedAtTheSite()).containsEntry("data/a", "z".repeat(100_000));
    }

    /** Issue 18: on 7b3e1e2 all of it went again for every job. */
    @Test
    void unchangedFilesCrossNoLinkAndOneThatChangedCrossesAlone() throws Exception {
        byte[] noise = new byte[50_000];
        Random random = new Random(2);
        for (int i = 0; i < 200; i++) {
            random.nextBytes(noise);
            Files.write(file("data/d" + i % 7 + "/f" + i, ""), noise);
        }
        JobRecord job = withInput("data");
        JobRun.Staged first = stager.stageIn(EAST, job, "s", null, moved::add);
        assertThat(first.sentBytes()).isEqualTo(sentBytes).isGreaterThan(10_000_000);
        JobRun.Staged again = stager.stageIn(EAST, named("8", job), "s", null, moved::add);
        assertThat(again.sentBytes()).isZero();
        assertThat(again.bundle()).isEqualTo(first.bundle());
        random.nextBytes(noise);
        Files.write(file("data/d3/f3", ""), noise);
        JobRun.Staged changed = stager.stageIn(EAST, named("7", job), "s", null, moved::add);
        assertThat(changed.sentBytes()).isBetween(50_000L, 50_000L + 200 * 100);
        assertThat(changed.bundle()).isEqualTo(checksum(input("7"))).isNotEqualTo(first.bundle());
        assertThat(unpackedAtTheSite()).hasSize(200).isEqualTo(renamed(tree(home.resolve("data"))));
        assertThat(checksum(input("8"))).as("what the other job was given").isEqualTo(first.bundle());
    }

    /** Before, a file that anybody had touched went whole. */
    @Test
    void aFileThatWasMovedCopiedOrTouchedDoesNotCrossTheLinkAgain() throws Exception {
        byte[] noise = new byte[100_000];
        new Random(4).nextBytes(noise);
        Path one = Files.write(file("data/one", ""), noise);
        new Random(5).nextBytes(noise);
        Path two = Files.write(file("data/two", ""), noise);
        stager.stageIn(EAST, withInput("data"), "s", null, moved::add);
        Files.setLastModifiedTime(one, java.nio.file.attribute.FileTime.fromMillis(1_000_000));
        Files.copy(one, home.resolve("data/copy"));
        Files.move(two, home.resolve("data/moved"));
        new Random(6).nextBytes(noise);
        Files.write(file("data/new of that length", ""), noise);
        moved.clear();
        JobRun.Staged staged = stager.stageIn(EAST, withInput("data"), "s", null, moved::add);
        assertThat(staged.sentBytes()).isBetween(100_000L, 102_000L);
        assertThat(moved.getLast()).isEqualTo(staged.bundle().bytes());
        assertThat(unpackedAtTheSite()).isEqualTo(renamed(tree(home.resolve("data"))));
    }

    /** Whole pieces of all large files are of one length: by that each would be read twice. */
    @Test
    void aLargeFileIsKnownByItsLastPiece() throws Exception {
        byte[] noise = new byte[Pieces.BYTES + 1000];
        new Random(7).nextBytes(noise);
        Path one = Files.write(file("data/one", ""), noise);
        stager.stageIn(EAST, withInput("data"), "s", null, moved::add);
        assertThat(lengthsAsked).containsExactly(1000);
        Files.move(one, home.resolve("data/moved"));
        assertThat(stager.stageIn(EAST, withInput("data"), "s", null, moved::add)
                        .sentBytes())
                .isLessThan(1000);
        assertThat(unpackedAtTheSite()).isEqualTo(renamed(tree(home.resolve("data"))));
    }

    private static TreeMap<String, String> renamed(TreeMap<String, String> tree) {
        TreeMap<String, String> below = new TreeMap<>();
        tree.forEach((name, content) -> below.put("data/" + name, content));
        return below;
    }

    @Test
    void aLostOrDamagedBookOfDigestsCostsReadingAndNothingElse() throws Exception {
        Files.write(file("data/a", ""), new byte[100_000]);
        JobRecord job = withInput("data");
        JobRun.Staged first = stager.stageIn(EAST, job, "s", null, moved::add);
        Path book;
        try (var files = Files.list(temporary.resolve("digests"))) {
            book = files.findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(book);
        bytes[40] ^= 1;
        for (byte[] damaged : List.of(bytes, new byte[0], new byte[7], new byte[100])) {
            Files.write(book, damaged);
            JobRun.Staged next = stager.stageIn(EAST, job, "s", null, moved::add);
            assertThat(next.bundle()).isEqualTo(first.bundle());
            assertThat(next.sentBytes()).isLessThan(1000);
        }
    }

    @Test
    void aFileOfAMomentAgoIsNotTrusted() throws Exception {
        // However long this takes: the file is younger than the head's clock knows.
        ahead = -3600;
        file("data/a", "1");
        JobRecord job = withInput("data");
        stager.stageIn(EAST, job, "s", null, moved::add);
        // The same size, time and inode, in the same tick of the file system's clock for all that anybody knows.
        stager.stageIn(EAST, job, "s", null, moved::add);
        try (var files = Files.list(temporary.resolve("digests"))) {
            assertThat(files.mapToLong(file -> file.toFile().length())).allMatch(length -> length == 40);
        }
    }

    @Test
    void twoJobsThatBringTheSameAtOnceBothHaveIt() throws Exception {
        byte[] large = new byte[20_000_000];
        new Random(3).nextBytes(large);
        Files.write(file("data/large", ""), large);
        JobRecord job = withInput("data");
        JobRecord other = named("8", job);
        var second = java.util.concurrent.CompletableFuture.supplyAsync(() -> {
            try {
                return stager.stageIn(EAST, other, "s", null, bytes -> {});
            } catch (Exception e) {
                throw new java.util.concurrent.CompletionException(e);
            }
        });
        JobRun.Staged first = stager.stageIn(EAST, job, "s", null, bytes -> {});
        assertThat(second.get().bundle()).isEqualTo(first.bundle());
        assertThat(checksum(input("8"))).isEqualTo(checksum(input("7"))).isEqualTo(first.bundle());
        assertThat(sentBytes).isBetween(20_000_000L, 20_002_000L);
    }

    @Test
    void aPackWithAWrongByteComesAgain() throws Exception {
        file("data/a", "x".repeat(100_000));
        JobRecord job = withInput("data");
        JobRun.Staged first = stager.stageIn(EAST, job, "s", null, moved::add);
        Path pack;
        try (var packs = Files.list(staging.resolve("users/" + job.spec().uid() + "/packs"))) {
            pack = packs.findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(pack);
        bytes[77] ^= 1;
        Files.write(pack, bytes);
        store = new PieceStore(staging, InstantSource.system()); // a director that was restarted trusts nothing
        assertThat(stager.stageIn(EAST, job, "s", null, moved::add).bundle()).isEqualTo(first.bundle());
        assertThat(checksum(input("7"))).isEqualTo(first.bundle());
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
}
