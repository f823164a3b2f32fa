package org.spillway.scaler.policyhost;

import com.fasterxml.jackson.core.JacksonException;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.spillway.scaler.policyhost.Wire.Answer;
import org.spillway.scaler.policyhost.Wire.Request;

/**
 * A child, from the head's side. Asked by one thread at a time; reading and writing have threads of their own, so that
 * whoever asks waits for its patience and no longer, whatever the child does.
 */
final class ChildProcess implements AutoCloseable {
    private static final Duration ENDING = Duration.ofSeconds(5);
    private static final Duration LAST_WORDS = Duration.ofMillis(500);
    private static final int LINES_HEARD = 40;
    private static final int LINES_KEPT = 10;
    private static final int LINE_CHARACTERS = 300;

    private final Process process;
    private final Path work;
    private final String memory;
    private final Consumer<String> said;
    private final LinkedBlockingQueue<Outgoing> outgoing = new LinkedBlockingQueue<>(1);
    private final Deque<String> lastLines = new ArrayDeque<>();
    private final Thread writer;
    private volatile @Nullable Outgoing asked;
    private volatile boolean killed;
    private long asks;

    /** A question; its answer comes into the future. */
    private record Outgoing(long id, Request request, CompletableFuture<Answer> answer) {}

    private ChildProcess(Process process, Path work, String memory, Consumer<String> said) {
        this.process = process;
        this.work = work;
        this.memory = memory;
        this.said = said;
        writer = daemon("write", this::write);
    }

    /**
     * @param memoryMib of its heap
     * @param said hears what the policy prints, a bounded number of lines
     */
    static ChildProcess start(ChildPlace place, Containment containment, int memoryMib, Consumer<String> said)
            throws IOException {
        Path work = place.work();
        List<String> command = new ArrayList<>(containment.around(place.folder()));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + memoryMib + "m",
                "-XX:MaxMetaspaceSize=128m",
                "-XX:CompressedClassSpaceSize=64m",
                "-XX:MaxDirectMemorySize=16m",
                "-XX:ReservedCodeCacheSize=64m",
                // A child lives for a compilation and short decisions: to optimise would cost it more than that.
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:+DisplayVMOutputToStderr",
                "-XX:-UsePerfData",
                "-XX:+DisableAttachMechanism",
                "-XX:ErrorFile=/dev/null",
                "-XX:-CreateCoredumpOnCrash",
                "-Djava.io.tmpdir=" + work,
                "-Duser.timezone=UTC",
                "-cp",
                place.classPath(),
                PolicyChild.class.getName(),
                place.api().toString(),
                work.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile());
        Containment.cleanEnvironment(builder);
        ChildProcess child = new ChildProcess(builder.start(), work, memoryMib + "m", said);
        child.writer.start();
        child.daemon("read", child::read).start();
        child.daemon("hear", child::hear).start();
        return child;
    }

    private Thread daemon(String what, Runnable work) {
        Thread thread = new Thread(work, "policy-" + what + "-" + process.pid());
        thread.setDaemon(true);
        return thread;
    }

    long pid() {
        return process.pid();
    }

    /** Whether it can be asked again: it takes a moment to die. */
    boolean isAlive() {
        return !killed && process.isAlive();
    }

    /**
     * Asks, and waits no longer than {@code patience} by the clock. A child that gives no answer is ended at once.
     *
     * @throws ChildFailure with what it did instead
     */
    synchronized Answer ask(Request request, Duration patience) throws ChildFailure {
        asks++;
        Outgoing question = new Outgoing(asks, request, new CompletableFuture<>());
        asked = question;
        if (!outgoing.offer(question)) {
            kill();
            throw new ChildFailure("did not take a question, and was ended");
        }
        try {
            return question.answer().get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            boolean itself = !process.isAlive();
            kill();
            throw new ChildFailure(
                    itself
                            ? ended()
                            : "did not answer within " + patience.toMillis() + " ms by the clock, and was ended");
        } catch (ExecutionException broken) {
            kill();
            throw broken.getCause() instanceof ChildFailure failure
                    ? failure
                    : new ChildFailure("failed: " + Plain.text(String.valueOf(broken.getCause())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            kill();
            throw new ChildFailure("was ended, as the head stops");
        }
    }

    private void write() {
        try (DataOutputStream out = new DataOutputStream(process.getOutputStream())) {
            while (!Thread.currentThread().isInterrupted()) {
                Outgoing next = outgoing.take();
                byte[] message = PolicyJson.MAPPER.writeValueAsBytes(
                        new Wire.RequestFrame(Wire.SCHEMA, next.id(), next.request()));
                Frames.write(out, message, Frames.MOST_REQUEST_BYTES);
            }
        } catch (IOException gone) {
            // The reader finds out why.
            if (process.isAlive()) {
                fail("could not be asked: " + Plain.text(String.valueOf(gone.getMessage())));
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void read() {
        try (DataInputStream in = new DataInputStream(process.getInputStream())) {
            while (true) {
                Wire.AnswerFrame frame =
                        PolicyJson.MAPPER.readValue(Frames.read(in, Frames.MOST_ANSWER_BYTES), Wire.AnswerFrame.class);
                Outgoing question = asked;
                if (frame.schema() != Wire.SCHEMA
                        || question == null
                        || frame.id() != question.id()
                        || !question.answer().complete(frame.answer())) {
                    fail("answered what was not asked");
                    kill();
                    return;
                }
            }
        } catch (EOFException gone) {
            fail(ended());
        } catch (JacksonException unreadable) {
            fail("gave an answer that cannot be read: " + Plain.text(cause(unreadable)));
            kill();
        } catch (IOException broken) {
            fail(process.isAlive() ? "gave " + Plain.text(String.valueOf(broken.getMessage())) : ended());
            kill();
        }
    }

    private static String cause(Throwable failure) {
        Throwable last = failure;
        for (int depth = 0; depth < 5 && last.getCause() != null; depth++) {
            last = last.getCause();
        }
        String message = String.valueOf(last.getMessage());
        return message.split("\n", 2)[0];
    }

    private void fail(String sentence) {
        Outgoing question = asked;
        if (question != null) {
            question.answer().completeExceptionally(new ChildFailure(sentence));
        }
    }

    /** How a child that is gone went. */
    private String ended() {
        try {
            if (!process.waitFor(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS)) {
                return "closed its output, and was ended";
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!awaitLine("OutOfMemoryError").isEmpty()) {
            return "used up its " + memory + " of memory, and was ended";
        }
        int status = process.isAlive() ? -1 : process.exitValue();
        String last = lastLine();
        return "ended itself with status " + status + ", as System.exit does" + (last.isEmpty() ? "" : ": " + last);
    }

    /** The JVM's last words may arrive a moment after its end. */
    private String awaitLine(String part) {
        long until = System.nanoTime() + LAST_WORDS.toNanos();
        synchronized (lastLines) {
            while (true) {
                for (String line : lastLines) {
                    if (line.contains(part)) {
                        return line;
                    }
                }
                long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
                if (left <= 0 || lastLines.contains(END)) {
                    return "";
                }
                try {
                    lastLines.wait(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return "";
                }
            }
        }
    }

    private static final String END = "\0";

    private String lastLine() {
        synchronized (lastLines) {
            return lastLines.stream().filter(line -> !line.equals(END)).reduce("", (a, b) -> b);
        }
    }

    private void hear() {
        int heard = 0;
        try (InputStream err = process.getErrorStream();
                Reader reader = new BufferedReader(new InputStreamReader(err, StandardCharsets.UTF_8))) {
            StringBuilder line = new StringBuilder();
            for (int c = reader.read(); c >= 0; c = reader.read()) {
                if (c != '\n') {
                    if (line.length() < LINE_CHARACTERS) {
                        line.append((char) c);
                    }
                    continue;
                }
                heard++;
                keep(Plain.text(line.toString()), heard);
                line.setLength(0);
            }
        } catch (IOException gone) {
            // With the process.
        }
        synchronized (lastLines) {
            lastLines.addLast(END);
            lastLines.notifyAll();
        }
    }

    private void keep(String line, int heard) {
        synchronized (lastLines) {
            lastLines.addLast(line);
            if (lastLines.size() > LINES_KEPT) {
                lastLines.removeFirst();
            }
            lastLines.notifyAll();
        }
        if (heard < LINES_HEARD) {
            said.accept(line);
        } else if (heard == LINES_HEARD) {
            said.accept("(what it prints further is not shown)");
        }
    }

    /** At once, and does not wait. */
    void kill() {
        killed = true;
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
        writer.interrupt();
        try {
            if (process.waitFor(ENDING.toMillis(), TimeUnit.MILLISECONDS)) {
                Leftovers.delete(work);
            }
        } catch (IOException left) {
            said.accept("its folder is left: " + left.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
