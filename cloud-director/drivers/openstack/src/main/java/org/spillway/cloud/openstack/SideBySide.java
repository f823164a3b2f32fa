package org.spillway.cloud.openstack;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;

/** Nova deletes and switches one server a call: a few calls at a time, all of them made even when one fails. */
final class SideBySide {
    private static final int AT_A_TIME = 8;

    private SideBySide() {}

    /** A call. */
    interface Step<T> {
        void take(T each) throws CloudException;
    }

    /** @throws CloudException the first that was thrown, after all were tried */
    static <T> void forEach(Collection<T> all, Step<T> step) throws CloudException {
        Semaphore free = new Semaphore(AT_A_TIME);
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (T each : all) {
                running.add(executor.submit(() -> {
                    free.acquire();
                    try {
                        step.take(each);
                    } finally {
                        free.release();
                    }
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new CloudException(Reason.THROTTLED, "interrupted", stop);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof CloudException told) {
                throw told;
            }
            throw new CloudException(Reason.THROTTLED, "unexpected: " + failed.getCause(), failed);
        }
    }
}
