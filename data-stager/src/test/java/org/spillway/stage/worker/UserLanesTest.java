package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.store.Digest;

/** A user's questions, inputs and results do not wait for each other. */
class UserLanesTest {
    private static final UserWorkers.Limits LIMITS =
            new UserWorkers.Limits(2, Duration.ofSeconds(30), Duration.ofSeconds(120));

    @TempDir
    Path folder;

    private final Instant now = Instant.EPOCH;
    private UserWorkers workers;

    @BeforeEach
    void open() throws IOException {
        workers = new UserWorkers(LIMITS, () -> now);
    }

    @AfterEach
    void close() {
        workers.close();
    }

    private static UserFiles.Packed packed(UserFiles.Found found) {
        return new UserFiles.Packed(found.path(), "file", found.bytes(), found.modifiedNanos(), found.executable());
    }

    /** P4: on 7b3e1e2 a user had one worker, and a question waited until the copy had ended. */
    @Test
    @Timeout(180)
    void aQuestionIsAnsweredWhileACopyIsUnderWay() throws Exception {
        Path open = Files.writeString(folder.resolve("open"), "open");
        UserFiles self = workers.as(new Identity("self", Identity.ownUid(), 0, List.of()));
        CountDownLatch copying = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        CompletableFuture<List<Digest>> copy = heldUp(self, open, copying, answered);
        copying.await();
        assertThat(self.find(open.toString(), new UserFiles.Limits(1, Long.MAX_VALUE)))
                .hasSize(1);
        assertThat(self.look(List.of(new UserFiles.Wish(folder, UserFiles.Shape.FOLDER)), Duration.ofMinutes(1)))
                .isPresent();
        answered.countDown();
        assertThat(copy.get()).hasSize(1);
        assertThat(workers.processes()).isEqualTo(2);
    }

    /** S7: on 7b3e1e2 a result waited until an input had been read. */
    @Test
    @Timeout(180)
    void aResultComesHomeWhileAsManyInputsAreReadAsMayBe() throws Exception {
        try (UserWorkers many = new UserWorkers(UserWorkers.Limits.DEFAULT, () -> now)) {
            Path open = Files.writeString(folder.resolve("open"), "open");
            UserFiles self = many.as(new Identity("self", Identity.ownUid(), 0, List.of()));
            CountDownLatch copying = new CountDownLatch(UserLanes.COPIES);
            CountDownLatch written = new CountDownLatch(1);
            List<CompletableFuture<List<Digest>>> copies = new ArrayList<>();
            for (int copy = 0; copy < UserLanes.COPIES; copy++) {
                copies.add(heldUp(self, open, copying, written));
            }
            copying.await();
            try {
                Path result = folder.resolve("result");
                self.writePart(result, "1-1", 0, new ByteArrayInputStream(new byte[] {1, 2, 3}));
                assertThat(self.partBytes(result, "1-1")).isEqualTo(3);
            } finally {
                written.countDown();
            }
            for (CompletableFuture<List<Digest>> copy : copies) {
                assertThat(copy.get()).hasSize(1);
            }
        }
    }

    /** A copy that goes on when {@code until} is over. */
    private static CompletableFuture<List<Digest>> heldUp(
            UserFiles user, Path file, CountDownLatch begun, CountDownLatch until) throws IOException {
        UserFiles.Found found = user.find(file.toString(), new UserFiles.Limits(1, Long.MAX_VALUE))
                .getFirst();
        CompletableFuture<List<Digest>> copy = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                copy.complete(user.pieces(OwnWorker.slices(List.of(packed(found))), 0, new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        begun.countDown();
                        try {
                            until.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                    }
                }));
            } catch (IOException e) {
                copy.completeExceptionally(e);
            }
        });
        return copy;
    }

    /** Twelve processes: nine may copy, three of them for users who have two already. */
    @Test
    @Timeout(180)
    void aUserHasMoreCopiesUnderWayAsLongAsNobodyElseWantsTheProcesses() throws Exception {
        Path open = Files.writeString(folder.resolve("open"), "open");
        UserWorkers.Limits limits = new UserWorkers.Limits(12, Duration.ofMinutes(1), Duration.ofMinutes(2));
        try (UserWorkers many = new UserWorkers(limits, () -> now)) {
            UserFiles self = many.as(new Identity("self", Identity.ownUid(), 0, List.of()));
            UserFiles.Found found = self.find(open.toString(), new UserFiles.Limits(1, Long.MAX_VALUE))
                    .getFirst();
            int most = UserLanes.COPIES + 3;
            CountDownLatch copying = new CountDownLatch(most);
            CountDownLatch goOn = new CountDownLatch(1);
            AtomicInteger atOnce = new AtomicInteger();
            AtomicInteger mostAtOnce = new AtomicInteger();
            List<CompletableFuture<Integer>> copies = new ArrayList<>();
            for (int i = 0; i < most + 3; i++) {
                copies.add(copy(self, packed(found), new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                        copying.countDown();
                        try {
                            goOn.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                        atOnce.decrementAndGet();
                    }

                    @Override
                    public void write(byte[] bytes, int from, int length) throws IOException {
                        write(0);
                    }
                }));
            }
            copying.await();
            assertThat(many.processes()).isEqualTo(most + 1);
            goOn.countDown();
            for (CompletableFuture<Integer> copy : copies) {
                assertThat(copy.get()).isEqualTo(1);
            }
            assertThat(mostAtOnce).hasValue(most);
        }
    }

    private static CompletableFuture<Integer> copy(UserFiles files, UserFiles.Packed file, OutputStream sink) {
        CompletableFuture<Integer> copy = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                copy.complete(
                        files.pieces(OwnWorker.slices(List.of(file)), 0, sink).size());
            } catch (IOException e) {
                copy.completeExceptionally(e);
            }
        });
        return copy;
    }
}
