package org.spillway.head.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.Sha256;
import org.spillway.stage.transfer.StreamBroken;

/** Many connections to a real SSH server, which is cut while they are in use. */
@Timeout(300)
class SiteStreamsTest {
    private static final int BYTES = 3_000_000;
    private static final int CONNECTIONS = 4;

    @TempDir
    Path folder;

    private StagingServer server;
    private ExecutorService threads;
    private final AtomicInteger opened = new AtomicInteger();
    private SiteStreams streams;
    private HomewardLine home;

    @BeforeEach
    void open() throws Exception {
        server = new StagingServer();
        threads = Executors.newVirtualThreadPerTaskExecutor();
        streams = streams(CONNECTIONS, Integer.MAX_VALUE);
        home = new HomewardLine("east", folder.toString(), server::connect);
    }

    @AfterEach
    void close() throws IOException {
        streams.close();
        home.close();
        threads.shutdownNow();
        server.close();
    }

    /** @param takes connections that the far side takes before it refuses more */
    private SiteStreams streams(int count, int takes) {
        var fixed = new StreamCount(count, count, null, null, 1, Long.MAX_VALUE, false);
        return new SiteStreams("east", folder.toString(), fixed, () -> {
            if (opened.incrementAndGet() > takes) {
                throw new IOException("too many connections");
            }
            return server.connect();
        });
    }

    private static byte[] noise(int seed) {
        byte[] noise = new byte[BYTES];
        new Random(seed).nextBytes(noise);
        return noise;
    }

    /** Gives its half, and the rest when it is let go. */
    private static final class Halting extends FilterInputStream {
        private final CountDownLatch reached;
        private final CountDownLatch letGo;
        private int given;

        Halting(byte[] bytes, CountDownLatch reached, CountDownLatch letGo) {
            super(new ByteArrayInputStream(bytes));
            this.reached = reached;
            this.letGo = letGo;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (given >= BYTES / 2 && letGo.getCount() > 0) {
                reached.countDown();
                try {
                    letGo.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
            int count = in.read(into, offset, length);
            given += Math.max(0, count);
            return count;
        }
    }

    @Test
    void aConnectionThatIsCutCostsTheRestOfItsOwnCopiesOnly() throws Exception {
        int copies = CONNECTIONS * SiteStreams.COPIES_EACH;
        var reached = new CountDownLatch(copies);
        var letGo = new CountDownLatch(1);
        List<Future<Boolean>> sent = new ArrayList<>();
        try (var transfer = new StreamedTransfer(streams, home)) {
            for (int i = 0; i < copies; i++) {
                String key = "packs/" + i;
                InputStream bytes = new Halting(noise(i), reached, letGo);
                sent.add(threads.submit(() -> {
                    transfer.send(key, 0, bytes);
                    return true;
                }));
            }
            reached.await();
            assertThat(opened).hasValue(CONNECTIONS);
            server.cutOne();
            letGo.countDown();
            int broken = 0;
            for (int i = 0; i < copies; i++) {
                String key = "packs/" + i;
                try {
                    sent.get(i).get();
                } catch (ExecutionException e) {
                    assertThat(e).hasCauseInstanceOf(StreamBroken.class);
                    broken++;
                    long received = transfer.received(key);
                    assertThat(received).isLessThan(BYTES);
                    transfer.send(
                            key,
                            received,
                            new ByteArrayInputStream(Arrays.copyOfRange(noise(i), (int) received, BYTES)));
                }
                transfer.seal(key, Sha256.of(new ByteArrayInputStream(noise(i)), OutputStream.nullOutputStream()));
            }
            assertThat(broken).isEqualTo(SiteStreams.COPIES_EACH);
            assertThat(opened).as("what was left went over the others").hasValue(CONNECTIONS);
        }
    }

    @Test
    void resultsAndQuestionsComeHomeWhileAllConnectionsAreFull() throws Exception {
        var reached = new CountDownLatch(CONNECTIONS * SiteStreams.COPIES_EACH);
        var letGo = new CountDownLatch(1);
        try (var results = new StreamedTransfer(streams, home);
                var inputs = new StreamedTransfer(streams, home)) {
            byte[] result = noise(99);
            results.send("result", 0, new ByteArrayInputStream(result));
            results.seal("result", Sha256.of(new ByteArrayInputStream(result), OutputStream.nullOutputStream()));
            List<Future<Boolean>> sent = new ArrayList<>();
            for (int i = 0; i < 3 * CONNECTIONS * SiteStreams.COPIES_EACH; i++) {
                String key = "packs/" + i;
                InputStream bytes = new Halting(noise(i), reached, letGo);
                sent.add(threads.submit(() -> {
                    inputs.send(key, 0, bytes);
                    return true;
                }));
            }
            reached.await();
            var sink = new ByteArrayOutputStream();
            results.receive("result", 0, sink);
            assertThat(sink.toByteArray()).isEqualTo(result);
            assertThat(results.isSealed("result")).isTrue();
            letGo.countDown();
            for (Future<Boolean> one : sent) {
                assertThat(one.get()).isTrue();
            }
        }
    }

    @Test
    void whoHasTheFewestCopiesUnderWayIsNext() throws Exception {
        try (SiteStreams one = streams(1, Integer.MAX_VALUE)) {
            Object many = "many";
            SiteStreams.Place first = one.enter(many);
            SiteStreams.Place second = one.enter(many);
            List<String> order = new ArrayList<>();
            List<Thread> waiting = new ArrayList<>();
            for (String party : List.of("many", "many", "few")) {
                Thread thread = Thread.ofPlatform().start(() -> {
                    try (SiteStreams.Place place = one.enter(party)) {
                        assertThat(place.transfer()).isNotNull();
                        synchronized (order) {
                            order.add(party);
                        }
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                });
                waiting.add(thread);
                while (thread.getState() != Thread.State.WAITING) {
                    LockSupport.parkNanos(1_000_000);
                }
            }
            first.close();
            waiting.getLast().join();
            second.close();
            for (Thread thread : waiting) {
                thread.join();
            }
            assertThat(order).startsWith("few");
        }
    }

    @Test
    void connectionsThatTheFarSideDoesNotTakeAreDoneWithout() throws Exception {
        try (SiteStreams few = streams(CONNECTIONS, 1);
                var transfer = new StreamedTransfer(few, home)) {
            List<Future<Boolean>> sent = new ArrayList<>();
            // The first one is there when others are asked for.
            transfer.send("packs/first", 0, new ByteArrayInputStream(noise(0)));
            for (int i = 0; i < 20; i++) {
                String key = "packs/" + i;
                InputStream bytes = new ByteArrayInputStream(noise(i));
                sent.add(threads.submit(() -> {
                    transfer.send(key, 0, bytes);
                    return true;
                }));
            }
            for (int i = 0; i < sent.size(); i++) {
                assertThat(sent.get(i).get()).isTrue();
                assertThat(transfer.received("packs/" + i)).isEqualTo(BYTES);
            }
        }
    }

    @Test
    void noConnectionAtAllIsAFailureAndNotAWait() {
        try (SiteStreams none = streams(CONNECTIONS, 0);
                var transfer = new StreamedTransfer(none, home)) {
            assertThatThrownBy(() -> transfer.send("packs/1", 0, new ByteArrayInputStream(noise(1))))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("too many connections");
        }
    }

    @Test
    void whoWaitsForASiteThatIsGivenUpIsTold() throws Exception {
        SiteStreams one = streams(1, Integer.MAX_VALUE);
        SiteStreams.Place first = one.enter("one");
        SiteStreams.Place second = one.enter("one");
        Future<SiteStreams.Place> third = threads.submit(() -> one.enter("one"));
        one.close();
        assertThatThrownBy(third::get).hasMessageContaining("given up");
        first.close();
        second.close();
    }
}
