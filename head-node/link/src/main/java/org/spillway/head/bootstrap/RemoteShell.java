package org.spillway.head.bootstrap;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import org.apache.sshd.client.channel.ClientChannelEvent;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.Closeable;

/** Runs single commands over a session. The far side is not trusted: time and output are bounded. */
final class RemoteShell {
    private static final int MAX_OUTPUT_BYTES = 256 * 1024;
    private static final int FEED_BYTES = 64 * 1024;
    static final int NO_EXIT_CODE = -1;

    private final ClientSession session;

    RemoteShell(ClientSession session) {
        this.session = session;
    }

    /**
     * How a command ended.
     *
     * @param exit -1 when the far side did not tell
     */
    record Result(int exit, String output, String errors) {
        boolean succeeded() {
            return exit == 0;
        }
    }

    /** @throws IOException if it did not end within the limit, or said too much */
    Result run(String command, String input, Duration limit) throws IOException {
        byte[] bytes = input.getBytes(StandardCharsets.UTF_8);
        return run(command, new ByteArrayInputStream(bytes), MAX_OUTPUT_BYTES, limit);
    }

    /** @param mostBytes that it may say */
    Result run(String command, InputStream input, int mostBytes, Duration limit) throws IOException {
        var output = new Bounded(mostBytes);
        var errors = new Bounded(MAX_OUTPUT_BYTES);
        try (var channel = session.createExecChannel(command)) {
            channel.setIn(input);
            channel.setOut(output);
            channel.setErr(errors);
            channel.open().verify(limit);
            var events = channel.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), limit);
            if (events.contains(ClientChannelEvent.TIMEOUT)) {
                channel.close(true);
                throw new IOException("a command on the instance did not end within " + limit.toSeconds() + " s");
            }
            if (output.overflowed || errors.overflowed) {
                throw new IOException("a command on the instance wrote over " + mostBytes + " bytes");
            }
            Integer exit = channel.getExitStatus();
            return new Result(exit == null ? NO_EXIT_CODE : exit, output.text(), errors.text());
        }
    }

    /**
     * Copies what a command writes while it writes; a slow sink slows it down and nothing else.
     *
     * @return without its output
     * @throws IOException if the sink fails, or it did not end within the limit
     */
    Result stream(String command, InputStream input, OutputStream sink, Duration limit) throws IOException {
        var errors = new Bounded(MAX_OUTPUT_BYTES);
        try (var channel = session.createExecChannel(command)) {
            channel.setIn(input);
            channel.setErr(errors);
            channel.open().verify(limit);
            Thread watch = closeAfter(limit, channel);
            try {
                channel.getInvertedOut().transferTo(sink);
                channel.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), limit);
            } finally {
                watch.interrupt();
            }
            Integer exit = channel.getExitStatus();
            return new Result(exit == null ? NO_EXIT_CODE : exit, "", errors.text());
        }
    }

    /** Writes what a command reads. */
    interface Source {
        void writeTo(OutputStream sink) throws IOException;
    }

    /**
     * Gives a command its standard input while it reads.
     *
     * @throws IOException if the source fails, or it did not end within the limit
     */
    Result feed(String command, Source source, Duration limit) throws IOException {
        var output = new Bounded(MAX_OUTPUT_BYTES);
        var errors = new Bounded(MAX_OUTPUT_BYTES);
        try (var channel = session.createExecChannel(command)) {
            channel.setOut(output);
            channel.setErr(errors);
            channel.open().verify(limit);
            Thread watch = closeAfter(limit, channel);
            IOException broken = null;
            try (OutputStream sink = new BufferedOutputStream(channel.getInvertedIn(), FEED_BYTES)) {
                source.writeTo(sink);
            } catch (IOException e) {
                // A command that gave up says why.
                broken = e;
            } finally {
                channel.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), limit);
                watch.interrupt();
            }
            Integer exit = channel.getExitStatus();
            if (broken != null && (exit == null || exit == 0)) {
                throw broken;
            }
            return new Result(exit == null ? NO_EXIT_CODE : exit, output.text(), errors.text());
        }
    }

    private static Thread closeAfter(Duration limit, Closeable channel) {
        return Thread.ofVirtual().name("limit of a command").start(() -> {
            try {
                Thread.sleep(limit);
                channel.close(true);
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Keeps what fits and drops the rest. */
    private static final class Bounded extends OutputStream {
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private final int most;
        private volatile boolean overflowed;

        Bounded(int most) {
            this.most = most;
        }

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) {
            int room = Math.min(length, most - kept.size());
            kept.write(bytes, offset, room);
            overflowed |= room < length;
        }

        synchronized String text() {
            return kept.toString(StandardCharsets.UTF_8);
        }
    }
}
