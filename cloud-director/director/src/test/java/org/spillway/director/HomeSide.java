package org.spillway.director;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.spillway.stage.reach.Messages;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserFiles;
import org.spillway.stage.worker.UserWorkers;

/** The head's part of reach, played by a test: a user's worker answers. */
final class HomeSide implements AutoCloseable {
    final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();
    volatile boolean cut;

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
            Thread.onSpinWait();
            return;
        }
        HttpResponse<byte[]> answer = site.send(site.headClient(), "POST", "/v1/reach/questions", new byte[0]);
        for (Messages.Asked each : Messages.readAsked(answer.body())) {
            asked.add(each.question().kind() + " " + each.question().path());
            var told = new Messages.Told(each.number(), files.reach(bounds, each.question()));
            if (!cut) {
                site.send(site.headClient(), "POST", "/v1/reach/answers", Messages.told(told));
            }
        }
    }

    @Override
    public void close() throws Exception {
        threads.forEach(Thread::interrupt);
        workers.close();
    }
}
