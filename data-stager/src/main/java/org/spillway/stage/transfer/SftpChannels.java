package org.spillway.stage.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.apache.sshd.client.channel.ChannelExec;
import org.apache.sshd.client.channel.ClientChannelEvent;
import org.apache.sshd.client.session.ClientSession;
import org.jspecify.annotations.Nullable;

/**
 * The channels of one SSH session: an SFTP client per call, reused, and commands. So many calls at a time with one
 * command each: a stock sshd allows ten channels, and the session may serve others too.
 */
final class SftpChannels implements AutoCloseable {
    private static final int OUTPUT_BYTES_MAX = 16 * 1024;
    private static final Duration OPEN_TIMEOUT = Duration.ofSeconds(30);

    private final ClientSession session;
    private final Semaphore permits;
    private final Deque<QuickSftp> idle = new ArrayDeque<>();
    private boolean closed;

    SftpChannels(ClientSession session, int calls) {
        this.session = session;
        this.permits = new Semaphore(calls);
    }

    interface Work<T extends @Nullable Object> {
        T with(QuickSftp client) throws IOException;
    }

    /** Does {@code work} with a client of its own; one in which it failed may have answers under way, and is not used again. */
    <T extends @Nullable Object> T call(Work<T> work) throws IOException {
        permits.acquireUninterruptibly();
        try {
            QuickSftp client = take();
            boolean isWell = false;
            try {
                T done = work.with(client);
                isWell = true;
                return done;
            } finally {
                giveBack(client, isWell);
            }
        } finally {
            permits.release();
        }
    }

    private QuickSftp take() throws IOException {
        synchronized (idle) {
            if (closed) {
                throw new IOException("the transfer is closed");
            }
            for (QuickSftp client = idle.poll(); client != null; client = idle.poll()) {
                if (client.isOpen() && !client.isClosing()) {
                    return client;
                }
            }
        }
        return new QuickSftp(session);
    }

    private void giveBack(QuickSftp client, boolean isWell) throws IOException {
        synchronized (idle) {
            if (isWell && !closed && client.isOpen() && !client.isClosing()) {
                idle.push(client);
                return;
            }
        }
        client.close();
    }

    /**
     * Runs a command of the far side's login shell.
     *
     * @return its standard output
     * @throws IOException if it fails or takes longer than {@code limit}; the message holds its standard error
     */
    String run(String command, Duration limit) throws IOException {
        Bounded output = new Bounded();
        Bounded errors = new Bounded();
        try (ChannelExec channel = session.createExecChannel(command)) {
            channel.setOut(output);
            channel.setErr(errors);
            channel.open().verify(OPEN_TIMEOUT);
            Set<ClientChannelEvent> events = channel.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), limit);
            if (events.contains(ClientChannelEvent.TIMEOUT)) {
                throw new IOException("no answer within " + limit.toSeconds() + " s: " + command);
            }
            Integer status = channel.getExitStatus();
            if (status == null || status != 0) {
                throw new IOException("far side: exit " + status + " of: " + command + ": " + errors.text());
            }
        }
        return output.text();
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        synchronized (idle) {
            closed = true;
            for (QuickSftp client = idle.poll(); client != null; client = idle.poll()) {
                try {
                    client.close();
                } catch (IOException e) {
                    failure = e;
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Keeps the first bytes; the far side is not trusted to be brief. */
    private static final class Bounded extends OutputStream {
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int b) {
            if (kept.size() < OUTPUT_BYTES_MAX) {
                kept.write(b);
            }
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            kept.write(bytes, from, Math.min(length, OUTPUT_BYTES_MAX - kept.size()));
        }

        synchronized String text() {
            return kept.toString(StandardCharsets.UTF_8).strip();
        }
    }
}
