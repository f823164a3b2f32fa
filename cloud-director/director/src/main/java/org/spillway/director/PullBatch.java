package org.spillway.director;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.PullOrder;
import org.spillway.director.wire.PullState;
import org.spillway.stage.pull.PullBook;
import org.spillway.stage.pull.PullFault;
import org.spillway.stage.pull.PullItem;
import org.spillway.stage.pull.Pulled;
import org.spillway.stage.pull.Puller;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.PieceIntake;

/** An order that is being carried out by several threads. It forgets its secrets when it ends. */
final class PullBatch {
    private static final Logger LOG = LoggerFactory.getLogger(PullBatch.class);
    private static final int LANES = 8;
    private static final int ANSWER_CHARACTERS = 3 << 20;

    private final List<PullItem> items;
    private final AtomicReferenceArray<PullState.Result> results;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger files = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final CountDownLatch left;
    private final List<Thread> lanes = new ArrayList<>();
    private volatile boolean cancelled;

    /** The means of a batch. @param turns of all batches of this director */
    record Means(Puller.Ways ways, PieceIntake intake, PullBook book, StagingSpace staging, Semaphore turns) {}

    PullBatch(PullOrder order, Means means) {
        this.items = new ArrayList<>(order.items().stream()
                .map(item -> new PullItem(item.url(), item.authorization(), item.key(), item.sha256()))
                .toList());
        this.results = new AtomicReferenceArray<>(items.size());
        int count = Math.min(LANES, items.size());
        this.left = new CountDownLatch(count);
        for (int lane = 0; lane < count; lane++) {
            lanes.add(Thread.ofVirtual().name("pull").unstarted(() -> work(order.mostBytes(), means)));
        }
    }

    void start() {
        lanes.forEach(Thread::start);
    }

    void cancel() {
        cancelled = true;
        lanes.forEach(Thread::interrupt);
    }

    private void work(long mostBytes, Means means) {
        List<Integer> done = new ArrayList<>();
        List<PullState.Result> held = new ArrayList<>();
        try {
            var bounds = new Puller.Bounds(
                    () -> cancelled ? 0 : mostBytes, () -> free(means.staging), moved -> bytes.addAndGet(moved));
            try (Puller puller = new Puller(means.ways, means.intake, means.book, bounds)) {
                for (int at = next.getAndIncrement(); at < items.size() && !cancelled; at = next.getAndIncrement()) {
                    done.add(at);
                    held.add(one(puller, items.get(at), means.turns, mostBytes));
                    items.set(at, new PullItem("", "", "", ""));
                }
            }
            // Now their pieces are there for whoever looks.
            for (int i = 0; i < done.size(); i++) {
                results.set(done.get(i), held.get(i));
            }
        } catch (InterruptedException e) {
            LOG.debug("a pull was ended");
        } catch (IOException | RuntimeException e) {
            LOG.warn("inputs were not pulled: {}", e.toString());
            for (int at : done) {
                results.set(
                        at,
                        failed(new Pulled.Failed(PullFault.DISK, e.getClass().getSimpleName())));
            }
        } finally {
            left.countDown();
        }
    }

    private static long free(StagingSpace staging) {
        try {
            return staging.inputRoomBytes();
        } catch (IOException e) {
            return 0;
        }
    }

    private PullState.Result one(Puller puller, PullItem item, Semaphore turns, long mostBytes)
            throws InterruptedException, IOException {
        turns.acquire();
        try {
            if (bytes.get() > mostBytes) {
                return failed(new Pulled.Failed(PullFault.TOO_MUCH, Long.toString(mostBytes)));
            }
            return switch (puller.pull(item)) {
                case Pulled.Failed failed -> failed(failed);
                case Pulled.Came came -> {
                    files.incrementAndGet();
                    ByteBuffer digests = ByteBuffer.allocate(came.pieces().size() * Digest.BYTES);
                    came.pieces().forEach(piece -> piece.to(digests));
                    yield new PullState.Result(
                            "",
                            "",
                            came.bytes(),
                            came.modifiedSeconds(),
                            Base64.getEncoder().encodeToString(digests.array()),
                            came.kept(),
                            came.changed());
                }
            };
        } finally {
            turns.release();
        }
    }

    private static PullState.Result failed(Pulled.Failed failed) {
        return new PullState.Result(failed.fault().name(), failed.detail(), 0, 0, "", false, false);
    }

    /** Waits a little for its end. @param from place of the first result that is wanted */
    PullState state(int from, long patienceMillis) throws InterruptedException {
        boolean ended = left.await(patienceMillis, TimeUnit.MILLISECONDS);
        List<PullState.Result> some = new ArrayList<>();
        int characters = 0;
        for (int at = from; ended && at < items.size() && characters < ANSWER_CHARACTERS; at++) {
            PullState.Result result = results.get(at);
            // A lane that failed has left some to nobody.
            PullState.Result told =
                    result == null ? failed(new Pulled.Failed(PullFault.DISK, cancelled ? "ended" : "left")) : result;
            some.add(told);
            characters += told.pieces().length() + 100;
        }
        return new PullState(ended, files.get(), bytes.get(), from, some);
    }
}
