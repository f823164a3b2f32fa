package org.spillway.director.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Reply.Status;

/** Which bytes of a large file come from home, and that none is given that home would not give. */
final class LargeReadsTest {
    private static final int BLOCKS = 40;
    private static final int REQUEST = 128 * 1024;

    @TempDir
    Path folder;

    private final byte[] contents = new byte[BLOCKS * LargeFiles.BLOCK - 1000];
    private final ConcurrentLinkedQueue<Integer> asked = new ConcurrentLinkedQueue<>();
    private final AtomicInteger ahead = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile Instant now = Instant.EPOCH;
    private volatile Status says = Status.OK;

    @BeforeEach
    void write() {
        new Random(1).nextBytes(contents);
    }

    /** Nobody writes to the folder any more. */
    @AfterEach
    void end() {
        threads.close();
    }

    private Entry file(String identity) {
        return new Entry("large", 0100600, 1, 1, contents.length, 0, identity, "", true);
    }

    private byte[] home(long offset, int length) throws IOException {
        asked.add(length);
        if (says != Status.OK) {
            throw new HomeView.Refused(says);
        }
        return Arrays.copyOfRange(contents, (int) offset, (int) Math.min(contents.length, offset + length));
    }

    private LargeFiles files() {
        return new LargeFiles(new KeptBlocks(folder, () -> 1L << 30), 1 << 20, this::runAhead);
    }

    private LargeReads session(LargeFiles files) {
        return new LargeReads(files, () -> now);
    }

    private void readAll(LargeReads reads, String owner) throws Exception {
        for (int at = 0; at <= contents.length; at += REQUEST) {
            byte[] part = reads.read(owner, file("id"), at, REQUEST, this::home);
            assertThat(Arrays.equals(part, Arrays.copyOfRange(contents, at, Math.min(contents.length, at + REQUEST))))
                    .as("from " + at)
                    .isTrue();
        }
    }

    /** Readers keep what they ask for before they have it, and those ahead before they end. */
    private void untilKept(int blocks) throws IOException {
        while (ahead.get() > 0) {
            LockSupport.parkNanos(1_000_000);
        }
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all).hasSize(blocks);
        }
    }

    private void runAhead(Runnable task) {
        ahead.incrementAndGet();
        threads.execute(() -> {
            try {
                task.run();
            } finally {
                ahead.decrementAndGet();
            }
        });
    }

    @Test
    void eachBlockComesOnceAndAnotherNodeAsksForAByte() throws Exception {
        LargeFiles region = files();
        readAll(session(region), "1");
        untilKept(BLOCKS);
        assertThat(asked).hasSize(BLOCKS);
        asked.clear();
        readAll(session(region), "1");
        assertThat(asked).containsExactly(1);
        asked.clear();
        readAll(session(files()), "1");
        assertThat(asked).as("by the next director").containsExactly(1);
    }

    @Test
    void partsAcrossBlocksAreWhatTheFileHas() throws Exception {
        LargeReads reads = session(files());
        var random = new Random(2);
        for (int i = 0; i < 200; i++) {
            int at = random.nextInt(contents.length);
            int length = 1 + random.nextInt(2 * LargeFiles.BLOCK);
            assertThat(Arrays.equals(
                            reads.read("1", file("id"), at, length, this::home),
                            Arrays.copyOfRange(contents, at, Math.min(contents.length, at + length))))
                    .isTrue();
        }
        assertThat(reads.read("1", file("id"), contents.length, 10, this::home)).isEmpty();
        assertThat(reads.read("1", file("id"), 1L << 40, 10, this::home)).isEmpty();
    }

    @Test
    void anotherUserIsGivenNothingOfIt() throws Exception {
        LargeFiles region = files();
        readAll(session(region), "1");
        untilKept(BLOCKS);
        asked.clear();
        readAll(session(region), "2");
        assertThat(asked).hasSize(BLOCKS);
    }

    /** Also where the bytes of that state are here: home is asked first, by each attempt. */
    @Test
    void whatIsAnotherFileByNowOrMayNotBeReadIsNotGiven() throws Exception {
        LargeFiles region = files();
        readAll(session(region), "1");
        for (Status no : List.of(Status.CHANGED, Status.DENIED, Status.NONE)) {
            says = no;
            assertThat(refused(session(region)).status()).isEqualTo(no);
        }
    }

    private HomeView.Refused refused(LargeReads reads) {
        return catchThrowableOfType(HomeView.Refused.class, () -> reads.read("1", file("id"), 0, REQUEST, this::home));
    }

    @Test
    void homeIsAskedAgainTenSecondsLater() throws Exception {
        LargeFiles region = files();
        LargeReads reads = session(region);
        readAll(reads, "1");
        untilKept(BLOCKS);
        asked.clear();
        says = Status.CHANGED;
        now = now.plusSeconds(9);
        assertThat(reads.read("1", file("id"), 0, REQUEST, this::home)).hasSize(REQUEST);
        assertThat(asked).isEmpty();
        now = now.plusSeconds(2);
        assertThat(refused(reads).status()).isEqualTo(Status.CHANGED);
    }

    @Test
    void anotherStateOfTheFileComesAnew() throws Exception {
        LargeReads reads = session(files());
        readAll(reads, "1");
        new Random(3).nextBytes(contents);
        assertThat(Arrays.equals(
                        reads.read("1", file("id later"), 0, REQUEST, this::home),
                        Arrays.copyOfRange(contents, 0, REQUEST)))
                .isTrue();
    }

    @Test
    void aRottenBlockComesAnew() throws Exception {
        readAll(session(files()), "1");
        untilKept(BLOCKS);
        try (Stream<Path> all = Files.list(folder)) {
            for (Path each : all.toList()) {
                byte[] rotten = Files.readAllBytes(each);
                rotten[rotten.length - 1] ^= 1;
                Files.write(each, rotten);
            }
        }
        asked.clear();
        readAll(session(files()), "1");
        assertThat(asked).filteredOn(length -> length > 1).hasSize(BLOCKS);
    }

    @Test
    void whoeverGoesOnHasMoreOnItsWayAndWhoeverJumpsHasNot() throws Exception {
        LargeReads reads = session(files());
        for (int index : new int[] {30, 5, 25, 0}) {
            reads.read("1", file("id"), (long) index * LargeFiles.BLOCK, 10, this::home);
        }
        assertThat(asked).hasSizeLessThanOrEqualTo(5);
        readAll(reads, "1");
        assertThat(asked).hasSize(BLOCKS);
    }

    /** The one who asks has ended, or has no right any more: the other asks by itself. */
    @Test
    void whoeverWaitsForABlockOfAnotherIsNotRefusedWithIt() throws Exception {
        LargeFiles region = files();
        var begun = new CountDownLatch(1);
        var refuse = new CountDownLatch(1);
        Thread first = Thread.ofVirtual().start(() -> {
            try {
                region.fetch(new BlockKey("1", "id", 0), file("id"), (offset, length) -> {
                    begun.countDown();
                    refuse.await();
                    throw new HomeView.Refused(Status.DENIED);
                });
            } catch (IOException | InterruptedException told) {
                Thread.currentThread().interrupt();
            }
        });
        begun.await();
        refuse.countDown();
        assertThat(session(region).read("1", file("id"), 0, 10, this::home)).isEqualTo(Arrays.copyOf(contents, 10));
        first.join();
    }
}
