package org.spillway.head.loop.port;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/** Effects on virtual threads; each end wakes the loop. */
public final class LiveEffects implements Effects {
    /** Against a loop that begins without bound; far above what a head has under way. */
    private static final int MOST_UNDER_WAY = 2000;

    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    private final Queue<Runnable> ended = new ConcurrentLinkedQueue<>();
    private final Semaphore wake;

    /** @param wake released at each end; the loop waits for it */
    public LiveEffects(Semaphore wake) {
        this.wake = wake;
    }

    @Override
    public boolean isUnderWay(String key) {
        return underWay.contains(key);
    }

    @Override
    public <T> void begin(String key, Callable<T> call, Consumer<T> done, Consumer<Exception> failed) {
        if ((underWay.size() >= MOST_UNDER_WAY && isBulk(key)) || !underWay.add(key)) {
            return;
        }
        Thread.ofVirtual().name(key).start(() -> {
            Runnable end;
            try {
                T result = call.call();
                end = () -> done.accept(result);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                end = () -> failed.accept(e);
            } catch (Exception e) {
                end = () -> failed.accept(e);
            } catch (Error e) {
                // Handed back like any failure: an effect that never ends would block its key for good.
                end = () -> failed.accept(new IllegalStateException(e));
            }
            Runnable handBack = end;
            ended.add(() -> {
                underWay.remove(key);
                handBack.run();
            });
            wake.release();
        });
    }

    /** There are as many as jobs; what keeps nodes alive, buys and ends them is bounded by sites and nodes. */
    private static boolean isBulk(String key) {
        return key.startsWith("clean:")
                || key.startsWith("forget:")
                || key.startsWith("publish:")
                || key.startsWith("stage-");
    }

    @Override
    public void handBack() {
        for (Runnable next = ended.poll(); next != null; next = ended.poll()) {
            next.run();
        }
    }
}
