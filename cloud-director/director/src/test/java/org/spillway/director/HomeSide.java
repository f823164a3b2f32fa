package org.spillway.director;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.spillway.stage.reach.Messages;
import org.spillway.stage.reach.Question;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserFiles;
import org.spillway.stage.worker.UserWorkers;

/** The head's part of reach, played by a test: a user's worker answers. */
final class HomeSide implements AutoCloseable {
    final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();
    volatile boolean cut;
    /** How long each answer is on its way. */
    volatile Duration away = Duration.ZERO;

    private static final Duration LOOK = Duration.ofMillis(20);

    private final TestSite site;
    private final UserWorkers workers;
    private final UserFiles files;
    private final UserFiles.Bounds bounds;
    private final List<Thread> threads;

    HomeSide(TestSite site, Identity user, Path... roots) throws Exception {
        this.site = site;
        this.workers = new UserWorkers(UserWorkers.Limits.DEFAULT, InstantSource.system());
        this.files = workers.as(user);
        this.bounds = new UserFiles.Bounds(List.of(roots), List.of());
        this.threads = List.of(
                Thread.ofVirtual().start(this::serve), Thread.ofVirtual().start(this::serve));
    }

    private void serve() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                turn();
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                asked.add(e.toString());
            }
        }
    }

    private void turn() throws Exception {
        if (cut) {
            // Never by spinning: of two cores' carriers of virtual threads these two would leave none for the director
            // beside them.
            LockSupport.parkNanos(LOOK.toNanos());
            return;
        }
        HttpResponse<byte[]> answer = site.send(site.headClient(), "POST", "/v1/reach/questions", new byte[0]);
        for (Messages.Asked each : Messages.readAsked(answer.body())) {
            asked.add(each.question().kind() + " " + each.question().path());
            LockSupport.parkNanos(away.toNanos());
            var told = new Messages.Told(each.number(), files.reach(bounds, each.question()));
            if (!cut) {
                site.send(site.headClient(), "POST", "/v1/reach/answers", Messages.told(told));
            }
        }
    }

    /** Whether what changed it last was long enough ago for its contents to be kept. */
    boolean isSettled(Path path) {
        try {
            return files.reach(bounds, Question.stat(path.toString()))
                    .entries()
                    .getFirst()
                    .settled();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws Exception {
        threads.forEach(Thread::interrupt);
        workers.close();
    }
}
