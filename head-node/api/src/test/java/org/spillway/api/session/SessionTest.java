package org.spillway.api.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A session against another end of the same words, whose connections break. */
@Timeout(60)
final class SessionTest {
    private static final Session.Times QUICK = new Session.Times(
            Duration.ofMillis(40), Duration.ofSeconds(2), Duration.ofMillis(1), Duration.ofSeconds(30));

    private record Pipes(InputStream in, OutputStream out) implements Session.Connection {
        @Override
        public void close() throws IOException {
            in.close();
            out.close();
        }
    }

    /** Says nothing until it is closed. */
    private static final class Silent extends InputStream {
        private final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            return read();
        }

        @Override
        public int read() throws IOException {
            try {
                closed.await();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
            return -1;
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    /** Gives back what it gets on channel 0, in capitals of bytes: each plus one; ends when the client's input does. */
    private static final class Node implements AutoCloseable {
        final BlockingQueue<SessionRecord> records = new LinkedBlockingQueue<>();
        final ResumedStream stream = new ResumedStream(new RecordReader(this::heard));
        final Random random;
        final int cutAfter;
        int connections;

        Node(long seed, int cutAfter) {
            this.random = new Random(seed);
            this.cutAfter = cutAfter;
        }

        private void heard(SessionRecord record) {
            records.add(record);
            if (record.kind() == 'd') {
                byte[] bytes = record.body().clone();
                for (int at = 0; at < bytes.length; at++) {
                    bytes[at]++;
                }
                stream.say(SessionRecord.credit(0, bytes.length).bytes());
                stream.say(new SessionRecord('d', 0, bytes).bytes());
            } else if (record.kind() == 'e') {
                stream.say(new SessionRecord('x', 0, new byte[] {42, 'o', 'k'}).bytes());
            }
        }

        /** Serves one connection after another, on a thread each. */
        Session.Connection open() throws IOException {
            connections++;
            var toNode = new PipedOutputStream();
            var toClient = new PipedOutputStream();
            var atNode = new PipedInputStream(toNode, 64 * 1024);
            var atClient = new PipedInputStream(toClient, 64 * 1024);
            int most = cutAfter == 0 ? Integer.MAX_VALUE : random.nextInt(cutAfter);
            Thread.ofPlatform().daemon().start(() -> serve(atNode, toClient, most));
            return new Pipes(atClient, toNode);
        }

        private void serve(InputStream in, OutputStream out, int most) {
            int seen = 0;
            try (in;
                    out) {
                synchronized (this) {
                    stream.connected();
                }
                byte[] piece = new byte[4096];
                while (seen < most) {
                    byte[] frames;
                    synchronized (this) {
                        frames = stream.next(16 * 1024);
                    }
                    out.write(frames);
                    out.flush();
                    int count = in.read(piece);
                    if (count < 0) {
                        return;
                    }
                    seen += count;
                    synchronized (this) {
                        stream.heard(piece, count);
                    }
                }
            } catch (IOException cut) {
                synchronized (this) {
                    stream.cut();
                }
            }
        }

        @Override
        public void close() {
            records.clear();
        }
    }

    @Test
    void whatIsSentComesBackOverCuts() throws Exception {
        for (long seed = 0; seed < 6; seed++) {
            byte[] all = new byte[700_000];
            new Random(seed).nextBytes(all);
            var out = new ByteArrayOutputStream();
            try (var node = new Node(seed, 80_000);
                    var session = new Session(node::open, QUICK)) {
                var channel = session.channel(0, out, why -> {});
                session.start();
                channel.read(new java.io.ByteArrayInputStream(all));
                Session.Exit exit = session.end();
                assertThat(exit).as("seed " + seed).isEqualTo(new Session.Exit(42, "ok"));
                assertThat(node.connections).as("seed " + seed + ": it was cut").isGreaterThan(2);
            }
            byte[] found = out.toByteArray();
            assertThat(found).as("seed " + seed).hasSameSizeAs(all);
            for (int at = 0; at < all.length; at++) {
                if (found[at] != (byte) (all[at] + 1)) {
                    throw new AssertionError("seed " + seed + ": byte " + at);
                }
            }
        }
    }

    @Test
    void whoeverIsRefusedEndsAtOnce() throws Exception {
        try (var session = new Session(
                        () -> {
                            throw new IllegalStateException("the job has ended");
                        },
                        QUICK)
                .start()) {
            assertThatThrownBy(session::end).hasMessage("the job has ended");
        }
    }

    @Test
    void aConnectionWithoutAWordIsGivenUp() throws Exception {
        var opened = new LinkedBlockingQueue<Integer>();
        var times = new Session.Times(
                Duration.ofMillis(20), Duration.ofMillis(60), Duration.ofMillis(1), Duration.ofSeconds(30));
        try (var session = new Session(
                        () -> {
                            opened.add(1);
                            return new Pipes(new Silent(), OutputStream.nullOutputStream());
                        },
                        times)
                .start()) {
            assertThat(opened.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(opened.poll(20, TimeUnit.SECONDS)).as("again").isNotNull();
            assertThat(session.away()).isPositive();
        }
    }

    @Test
    void aSessionWithoutAConnectionIsGivenUpAtLast() throws Exception {
        var times = new Session.Times(
                Duration.ofMillis(20), Duration.ofMillis(60), Duration.ofMillis(1), Duration.ofMillis(50));
        try (var session = new Session(
                        () -> {
                            throw new IOException("away");
                        },
                        times)
                .start()) {
            assertThatThrownBy(session::end).isInstanceOf(SessionFault.class).hasMessageContaining("no connection");
        }
    }

    @Test
    void whoLeavesSaysSo() throws Exception {
        try (var node = new Node(1, 0)) {
            var session = new Session(node::open, QUICK).start();
            assertThat(session.met(Duration.ofSeconds(20))).isTrue();
            session.leave();
            SessionRecord last = node.records.poll(20, TimeUnit.SECONDS);
            assertThat(last).isNotNull();
            assertThat(last.kind()).isEqualTo('h');
        }
    }
}
