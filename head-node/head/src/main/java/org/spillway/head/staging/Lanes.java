package org.spillway.head.staging;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.spillway.head.link.LinkDownException;

/** Parts of a copy, a few at a time. */
final class Lanes {
    private Lanes() {}

    interface Work {
        void run() throws IOException, LinkDownException, InterruptedException;
    }

    /** Does all of it; at the first failure, by their order, what is under way is interrupted and waited for. */
    static void all(String name, int atATime, List<Work> parts) throws IOException, LinkDownException {
        ExecutorService lanes = Executors.newFixedThreadPool(
                atATime, Thread.ofVirtual().name(name).factory());
        try {
            List<Future<?>> all = new ArrayList<>();
            for (Work part : parts) {
                all.add(lanes.submit(() -> {
                    part.run();
                    return true;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case LinkDownException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                case null, default -> throw new IOException("a part of a copy failed: " + e.getCause(), e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lanes.shutdownNow();
            lanes.close();
        }
    }
}
