package org.spillway.stage.worker;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.spillway.stage.worker.Frames.Fields;
import org.spillway.stage.worker.Frames.Frame;
import org.spillway.stage.worker.Frames.Kind;

/** A living worker process. It is killed when it lets its caller wait longer than the limit. */
final class Connection {
    private static final int ERROR_BYTES_MAX = 4096;

    private final Process process;
    private final Duration limit;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final StringBuffer errors = new StringBuffer();
    private final Thread errorReader;
    /** When the wait for the worker began, by {@link System#nanoTime}; 0 while nobody waits. */
    private volatile long waitingSinceNanos;

    private volatile boolean late;

    Connection(Process process, Duration limit) {
        this.process = process;
        this.limit = limit;
        this.in = new DataInputStream(new BufferedInputStream(process.getInputStream(), Frames.DATA_BYTES));
        this.out = new DataOutputStream(new BufferedOutputStream(process.getOutputStream(), Frames.DATA_BYTES));
        this.errorReader = Thread.ofVirtual().start(this::keepErrors);
        Thread.ofVirtual().start(this::watch);
    }

    /** Reads the HELLO and sees that the kernel gave the process the uid that was asked for. */
    void greet(int uid) throws IOException {
        Frame hello = read();
        DataInputStream fields = hello.fields();
        if (hello.kind() != Kind.HELLO || fields.readInt() != Frames.MAGIC) {
            throw new IOException("the worker process speaks something else");
        }
        int version = fields.readInt();
        if (version != Frames.VERSION) {
            throw new IOException("the worker process speaks version " + version + " and not " + Frames.VERSION);
        }
        int found = fields.readInt();
        if (found != uid) {
            throw new IOException("the worker process has uid " + found + " and not " + uid);
        }
    }

    boolean isAlive() {
        return process.isAlive() && !late;
    }

    void write(Kind kind, Fields fields) throws IOException {
        waitingSinceNanos = now();
        try {
            Frames.write(out, kind, fields);
        } finally {
            waitingSinceNanos = 0;
        }
    }

    void write(Kind kind, byte[] body, int length) throws IOException {
        waitingSinceNanos = now();
        try {
            Frames.write(out, kind, body, length);
        } finally {
            waitingSinceNanos = 0;
        }
    }

    Frame read() throws IOException {
        waitingSinceNanos = now();
        try {
            return Frames.read(in);
        } finally {
            waitingSinceNanos = 0;
        }
    }

    /** Whether an answer lies there before it was asked for. */
    boolean hasSpoken() throws IOException {
        return in.available() > 0;
    }

    /** Why the talk broke off, as far as it is known here. */
    String reason(Exception failure) {
        if (late) {
            return "it did not answer within " + limit.toSeconds() + " s and was ended";
        }
        try {
            if (process.waitFor(1, TimeUnit.SECONDS)) {
                errorReader.join(Duration.ofSeconds(1));
                String said = errors.toString().strip();
                return "it ended with status " + process.exitValue() + (said.isEmpty() ? "" : ": " + said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String said = failure.getMessage();
        return said == null ? "it broke off in the middle of an answer" : said;
    }

    void end() {
        ended.countDown();
        process.destroyForcibly();
        try {
            in.close();
            out.close();
        } catch (IOException e) {
            return; // the process is gone, and so are its pipes
        }
    }

    private static long now() {
        return Math.max(1, System.nanoTime() & Long.MAX_VALUE);
    }

    private void watch() {
        try {
            while (!ended.await(Math.max(1, limit.toMillis() / 8), TimeUnit.MILLISECONDS) && process.isAlive()) {
                long since = waitingSinceNanos;
                if (since != 0 && now() - since > limit.toNanos()) {
                    late = true;
                    process.destroyForcibly();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void keepErrors() {
        byte[] buffer = new byte[1024];
        try (InputStream stream = process.getErrorStream()) {
            for (int n = stream.read(buffer); n >= 0; n = stream.read(buffer)) {
                if (errors.length() < ERROR_BYTES_MAX) {
                    errors.append(new String(buffer, 0, n, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", " "));
                }
            }
        } catch (IOException e) {
            return; // the process is gone
        }
    }
}
