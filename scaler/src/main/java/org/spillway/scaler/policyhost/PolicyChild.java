package org.spillway.scaler.policyhost;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.check.PolicyCheck;
import org.spillway.scaler.policyhost.Wire.Answer;
import org.spillway.scaler.policyhost.Wire.Request;

/**
 * The child process: takes one policy, checks it, and answers questions until its standard input ends. It may be killed
 * at any time. What the policy prints goes to standard error.
 */
public final class PolicyChild {
    private static final Duration LOOK = Duration.ofMillis(20);
    /** A decision that takes longer has nobody left who waits for it. */
    private static final Duration ORPHANED = Duration.ofMinutes(1);
    /** Much more than a policy needs, and less than would make a thread fail to start. */
    private static final long STACK_BYTES = 4L << 20;

    /** Compiling has this many times the patience of a question. */
    private static final int LOADING = 10;

    private final DataInputStream in;
    private final DataOutputStream out;
    private final List<Path> api;
    private final Path work;
    private final Asked asked = new Asked();
    private @Nullable LoadedPolicy<?> policy;

    private PolicyChild(DataInputStream in, DataOutputStream out, List<Path> api, Path work) {
        this.in = in;
        this.out = out;
        this.api = api;
        this.work = work;
    }

    /** @param arguments the folder with the jars to compile against, and a folder to write to */
    public static void main(String[] arguments) throws IOException {
        DataInputStream in = new DataInputStream(new FileInputStream(FileDescriptor.in));
        DataOutputStream out = new DataOutputStream(new FileOutputStream(FileDescriptor.out));
        System.setIn(InputStream.nullInputStream());
        System.setOut(System.err);
        List<Path> api;
        try (Stream<Path> jars = Files.list(Path.of(arguments[0]))) {
            api = jars.sorted().toList();
        }
        try {
            new PolicyChild(in, out, api, Path.of(arguments[1])).serve();
        } catch (EOFException headIsGone) {
            // Nobody asks any more.
        }
        Runtime.getRuntime().halt(0);
    }

    private void serve() throws IOException {
        while (true) {
            Wire.RequestFrame frame =
                    PolicyJson.MAPPER.readValue(Frames.read(in, Frames.MOST_REQUEST_BYTES), Wire.RequestFrame.class);
            if (frame.schema() != Wire.SCHEMA) {
                throw new IOException("the head speaks schema " + frame.schema() + ", this child " + Wire.SCHEMA);
            }
            boolean stuck = false;
            Answer answer;
            try {
                answer = answer(frame.request());
            } catch (TimeoutException endless) {
                answer = new Answer.Refused(List.of(stuckAt(fileOf(frame.request()))));
                stuck = true;
            }
            byte[] message = PolicyJson.MAPPER.writeValueAsBytes(new Wire.AnswerFrame(Wire.SCHEMA, frame.id(), answer));
            Frames.write(out, message, Frames.MOST_ANSWER_BYTES);
            if (stuck) {
                return;
            }
        }
    }

    private Answer answer(Request request) throws TimeoutException {
        return switch (request) {
            case Request.Load load -> inThread(() -> load(load), Duration.ofMillis(load.patienceMillis()));
            // The head ends this process at its deadline, which is far shorter; a head that was killed cannot.
            case Request.Decide decide -> inThread(() -> decide(decide), ORPHANED);
        };
    }

    private static String fileOf(Request request) {
        return request instanceof Request.Load load ? load.fileName() : "";
    }

    private interface Work {
        Answer done();
    }

    /** On a thread of its own, so that one that does not come back can be looked at. */
    private Answer inThread(Work work, Duration patience) throws TimeoutException {
        CompletableFuture<Answer> done = new CompletableFuture<>();
        Thread thread = new Thread(
                null,
                () -> {
                    try {
                        done.complete(work.done());
                    } catch (RuntimeException | LinkageError | StackOverflowError thrown) {
                        done.complete(new Answer.Threw(Plain.text(LoadedPolicy.why(thrown) + at(thrown))));
                    } catch (Throwable thrown) {
                        done.completeExceptionally(thrown);
                    }
                },
                "policy",
                STACK_BYTES);
        thread.setDaemon(true);
        asked.begin(thread);
        thread.start();
        while (true) {
            try {
                return done.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException goesOn) {
                if (asked.since() > patience.toNanos() * (asked.isQuestion() ? 1 : LOADING)) {
                    throw goesOn;
                }
            } catch (ExecutionException thrown) {
                return new Answer.Threw(Plain.text(String.valueOf(thrown.getCause())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new Answer.Threw("interrupted");
            }
        }
    }

    private Answer load(Request.Load load) {
        if (policy != null) {
            return new Answer.Threw("this process has its policy already");
        }
        try {
            LoadedPolicy<?> loaded = LoadedPolicy.load(load, api, work);
            policy = loaded;
            Optional<String> wrong = loaded.check(load.seeds(), Duration.ofMillis(load.deadlineMillis()), asked);
            return wrong.isPresent()
                    ? new Answer.Refused(List.of(Finding.ofFile(load.fileName(), wrong.get())))
                    : new Answer.Loaded(loaded.name(), loaded.settings());
        } catch (NotTaken refused) {
            return new Answer.Refused(refused.findings());
        }
    }

    private Answer decide(Request.Decide decide) {
        LoadedPolicy<?> loaded = policy;
        return loaded == null
                ? new Answer.Threw("this process has no policy yet")
                : new Answer.Wishes(loaded.decide(decide.snapshot()));
    }

    /** The line of the plugin that threw. */
    private String at(Throwable thrown) {
        LoadedPolicy<?> loaded = policy;
        if (loaded != null) {
            for (StackTraceElement frame : thrown.getStackTrace()) {
                if (loaded.isOwn(frame)) {
                    return " (" + frame.getFileName() + ":" + frame.getLineNumber() + ")";
                }
            }
        }
        return "";
    }

    /** Where the plugin is at, that does not come back. */
    private Finding stuckAt(String file) {
        String what = asked.what() + " did not end within " + TimeUnit.NANOSECONDS.toMillis(asked.since()) + " ms";
        for (StackTraceElement frame : asked.stack()) {
            if ("policy".equals(frame.getClassLoaderName())) {
                return new Finding(file, Math.max(0, frame.getLineNumber()), 0, what + ": it is here");
            }
        }
        return Finding.ofFile(file, what);
    }

    /** The last question to the plugin, and when it was asked. */
    private static final class Asked implements PolicyCheck.Watch {
        private volatile String what = "loading";
        private volatile long at = System.nanoTime();
        private volatile boolean question;
        private volatile @Nullable Thread thread;

        void begin(Thread asked) {
            thread = asked;
            at = System.nanoTime();
        }

        @Override
        public void asking(String question) {
            what = question + ": a decision";
            // Before it counts as a question, or it would be as old as the loading.
            at = System.nanoTime();
            this.question = true;
        }

        @Override
        public void answered() {
            at = System.nanoTime();
        }

        long since() {
            return System.nanoTime() - at;
        }

        boolean isQuestion() {
            return question;
        }

        String what() {
            return what;
        }

        StackTraceElement[] stack() {
            Thread asking = thread;
            return asking == null ? new StackTraceElement[0] : asking.getStackTrace();
        }
    }
}
