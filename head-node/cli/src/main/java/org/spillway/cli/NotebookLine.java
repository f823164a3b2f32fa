package org.spillway.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.spillway.api.session.Session;
import org.spillway.cli.session.Forward;
import org.spillway.cli.session.LineWatch;
import org.spillway.cli.session.Shell;

/** A session with a notebook: a command in its job that says where it is and waits for its end, and connections to it. */
final class NotebookLine {
    private final Shell shell;
    private final Session session;
    private final Said said = new Said();

    /** As the notebook says it. @param socket its path in the job @param idleSeconds after which it ends */
    record Link(String socket, String token, Duration idle) {
        static Link of(List<String> lines) {
            return new Link(lines.get(0), lines.get(1), Duration.ofSeconds(Long.parseLong(lines.get(2))));
        }

        /** Without the token. */
        @Override
        public String toString() {
            return "Link[socket=" + socket + ", idle=" + idle + "]";
        }
    }

    NotebookLine(Session.Wire wire) {
        shell = new Shell(
                wire,
                Session.Times.USUAL,
                new Shell.Streams(
                        InputStream.nullInputStream(),
                        said,
                        OutputStream.nullOutputStream(),
                        OutputStream.nullOutputStream()));
        session = shell.connect();
    }

    Session session() {
        return session;
    }

    /**
     * Goes on until the notebook's end, or that of the session.
     *
     * @param local the port here; 0 for any
     * @param open told of the link and the local port when both are there
     * @throws RuntimeException as {@link Session#end}
     * @throws IOException if the port is taken
     */
    Session.Exit carry(int local, Opened open, Consumer<String> notices) throws InterruptedException, IOException {
        var ended = new CompletableFuture<Session.Exit>();
        Thread.ofVirtual().name("notebook").start(() -> {
            try {
                ended.complete(shell.run(List.of("/bin/sh", "-c", NotebookScript.ASKS), null, "dumb"));
            } catch (InterruptedException | RuntimeException lost) {
                ended.completeExceptionally(lost);
            }
        });
        CompletableFuture.anyOf(said.lines, ended).exceptionally(lost -> "").join();
        if (!said.lines.isDone()) {
            return result(ended);
        }
        var link = Link.of(said.lines.join());
        try (var forward = Forward.onPort(session, local, new Forward.Target.Socket(link.socket()), notices)) {
            open.opened(link, forward.localPort());
            new LineWatch(session, "the line is cut; it is tried again", notices).start();
            return result(ended);
        } catch (IOException taken) {
            session.leave();
            throw taken;
        }
    }

    /** Whoever is told that the link stands. */
    interface Opened {
        void opened(Link link, int port);
    }

    /** Words that the notebook said at its end; empty for none. */
    String why() {
        return said.after();
    }

    private static Session.Exit result(CompletableFuture<Session.Exit> ended) throws InterruptedException {
        try {
            return ended.get();
        } catch (ExecutionException lost) {
            if (lost.getCause() instanceof RuntimeException why) {
                throw why;
            }
            throw new InterruptedException();
        }
    }

    /** Three lines, and then why it ended. */
    private static final class Said extends OutputStream {
        private static final int LINES = 3;
        private static final int MOST_BYTES = 4096;
        final CompletableFuture<List<String>> lines = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int one) {
            if (bytes.size() < MOST_BYTES) {
                bytes.write(one);
            }
            if (one == '\n') {
                var all = all();
                if (all.size() >= LINES) {
                    lines.complete(all.subList(0, LINES));
                }
            }
        }

        private List<String> all() {
            return bytes.toString(StandardCharsets.UTF_8).lines().toList();
        }

        synchronized String after() {
            return String.join(" ", all().stream().skip(LINES).toList()).replaceAll("\\p{Cntrl}", "?");
        }
    }
}
