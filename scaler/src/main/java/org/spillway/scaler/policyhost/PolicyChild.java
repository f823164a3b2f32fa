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
import org.spillway.policy.Wish;
import org.spillway.policy.check.PolicyCheck;
import org.spillway.scaler.policyhost.Wire.Answer;
import org.spillway.scaler.policyhost.Wire.Request;

/**
 * The child process: takes one policy, checks it, and answers questions until its standard input ends. It may be killed
 * at any time. What the policy prints goes to standard error.
 */
public final class PolicyChild {
    private static final Duration LOOK = Duration.ofMillis(10);
    /** Much more than a policy needs, and less than would make a thread fail to start. */
    private static final long STACK_BYTES = 4L << 20;

    /** Compiling has this many times the patience of a question, and so has the whole check. */
    private static final int LOADING = 12;

    private final DataInputStream in;
    private final DataOutputStream out;
    private final List<Path> api;
    private final Path work;
    private final Asked asked = new Asked();
    private String fileName = "";
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
                answer = switch (frame.request()) {
                    case Request.Load load -> new Answer.Refused(List.of(stuckAt(load.fileName())));
                    case Request.Decide decide ->
                        new Answer.Stuck(stuckAt(fileName).toString());
                };
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
            case Request.Load load -> {
                fileName = load.fileName();
                yield inThread(() -> load(load), Duration.ofMillis(load.patienceMillis()), LOADING);
            }
            case Request.Decide decide -> inThread(() -> decide(decide), Duration.ofMillis(decide.deadlineMillis()), 1);
        };
    }

    private interface Work {
        Answer done();
    }

    /** On a thread of its own, so that one that does not come back can be looked at. */
    private Answer inThread(Work work, Duration patience, int loading) throws TimeoutException {
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
        asked.begin(thread, loading);
        thread.start();
        while (true) {
            try {
                return done.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException goesOn) {
                if (asked.isTooLong(patience.toNanos())) {
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
            Optional<String> wrong =
                    loaded.check(load.seeds(), Duration.ofMillis(load.deadlineMillis()), asked::nanos, asked);
            return wrong.isPresent()
                    ? new Answer.Refused(List.of(Finding.ofFile(load.fileName(), wrong.get())))
                    : new Answer.Loaded(loaded.name(), loaded.settings());
        } catch (NotTaken refused) {
            return new Answer.Refused(refused.findings());
        }
    }

    private Answer decide(Request.Decide decide) {
        LoadedPolicy<?> loaded = policy;
        if (loaded == null) {
            return new Answer.Threw("this process has no policy yet");
        }
        asked.asking("the cluster");
        List<Wish> wishes = loaded.decide(decide.snapshot());
        return new Answer.Wishes(wishes, TimeUnit.NANOSECONDS.toMillis(asked.since()));
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
        String what = asked.what() + " did not end within " + TimeUnit.NANOSECONDS.toMillis(asked.since())
                + " ms of its own time";
        for (StackTraceElement frame : asked.stack()) {
            if ("policy".equals(frame.getClassLoaderName())) {
                return new Finding(file, Math.max(0, frame.getLineNumber()), 0, what + ": it is here");
            }
        }
        return Finding.ofFile(file, what);
    }

    /** The last question to the plugin, and how much of its own time it has taken. */
    private static final class Asked implements PolicyCheck.Watch {
        private volatile String what = "loading";
        private volatile long at;
        private volatile boolean question;
        private volatile OwnTime own = new OwnTime(Thread.currentThread(), System::nanoTime);
        private volatile Thread thread = Thread.currentThread();
        private int loading = 1;

        void begin(Thread asked, int loadingTimes) {
            thread = asked;
            loading = loadingTimes;
            own = new OwnTime(asked, System::nanoTime);
            at = 0;
            question = false;
        }

        @Override
        public void asking(String question) {
            what = question + ": a decision";
            // Before it counts as a question, or it would be as old as the loading.
            at = nanos();
            this.question = true;
        }

        @Override
        public void answered() {
            at = nanos();
        }

        /** Also looks whether it waits; by the thread that waits for the answer. */
        boolean isTooLong(long patienceNanos) {
            own.look(LOOK.toNanos());
            return nanos() > patienceNanos * loading || (question && since() > patienceNanos);
        }

        long nanos() {
            return own.nanos();
        }

        long since() {
            return Math.max(0, nanos() - at);
        }

        String what() {
            return what;
        }

        StackTraceElement[] stack() {
            return thread.getStackTrace();
        }
    }
}
