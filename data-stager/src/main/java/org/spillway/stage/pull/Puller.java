package org.spillway.stage.pull;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.store.PackWriter;
import org.spillway.stage.store.PieceIntake;

/**
 * Pulls files one after the other into a user's store. A body that is cut goes on where it broke, in this process from
 * the very byte, after a kill from the last pack. One thread's; interrupting it ends it.
 */
public final class Puller implements AutoCloseable {
    private static final int TRIES_MOST = 8;
    private static final int ANEW_MOST = 3;
    /** Progress of a try, so that a server that sends a byte at a time is given up some day. */
    private static final long PROGRESS_BYTES = 64 * 1024;

    private static final Duration SLOW = Duration.ofSeconds(120);
    private static final Duration WAITED_MOST = Duration.ofMinutes(30);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(30);
    private static final int BUFFER_BYTES = 128 * 1024;

    private final Ways ways;
    private final PieceIntake intake;
    private final PullBook book;
    private final Bounds bounds;
    private final PackWriter pack;
    private final List<Arrival> unbooked = new ArrayList<>();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private @Nullable HttpLine line;

    /** Waits. */
    interface Sleeper {
        void sleep(Duration pause) throws InterruptedException;
    }

    /** The ways out of the region. */
    public record Ways(Gate gate, Pauses pauses, InstantSource clock, Sleeper sleeper) {
        public Ways(Gate gate, Pauses pauses, InstantSource clock) {
            this(gate, pauses, clock, Thread::sleep);
        }
    }

    /**
     * @param mostBytes of a file that may come now
     * @param freeBytes of the disk, less what is not for inputs
     * @param moved told of bytes as they come; fewer than none when some were for nothing
     */
    public record Bounds(LongSupplier mostBytes, LongSupplier freeBytes, LongConsumer moved) {}

    public Puller(Ways ways, PieceIntake intake, PullBook book, Bounds bounds) {
        this.ways = ways;
        this.intake = intake;
        this.book = book;
        this.bounds = bounds;
        this.pack = intake.writer();
    }

    public Pulled pull(PullItem item) throws InterruptedException, IOException {
        Arrival arrival = new Arrival(item, intake, pack, book.of(item.key()));
        bounds.moved.accept(arrival.bytes());
        try {
            Pulled end = tries(item, arrival);
            if (end instanceof Pulled.Failed) {
                bounds.moved.accept(-arrival.bytes());
            }
            return end;
        } finally {
            pack.dropPiece();
            unbooked.add(arrival);
            if (pack.isFull()) {
                finish();
            }
        }
    }

    /** All that has come is there from now on for whoever looks, and known. */
    public void finish() throws IOException {
        pack.finish();
        for (Arrival one : unbooked) {
            one.book(book);
        }
        unbooked.clear();
    }

    private Pulled tries(PullItem item, Arrival arrival) throws InterruptedException, IOException {
        int tries = 0;
        int anew = 0;
        long furthest = arrival.bytes();
        Duration waited = Duration.ZERO;
        while (true) {
            Duration pause;
            try {
                switch (step(item, arrival)) {
                    case Step.Done(boolean kept) -> {
                        return arrival.came(kept);
                    }
                    case Step.Again() -> {
                        if (++anew > ANEW_MOST) {
                            return new Pulled.Failed(PullFault.CHANGING, "");
                        }
                        pause = Duration.ZERO;
                    }
                    case Step.Wait(Judgement.Later later) -> {
                        boolean tooLong = later.pause().compareTo(Judgement.LONGEST_PAUSE) > 0;
                        if (tooLong
                                || (later.asked() ? !waited.minus(WAITED_MOST).isNegative() : ++tries > TRIES_MOST)) {
                            return new Pulled.Failed(later.fault(), later.detail());
                        }
                        pause = later.asked() ? atLeast(later.pause(), Duration.ofSeconds(1)) : pause(tries);
                        waited = later.asked() ? waited.plus(pause) : waited;
                    }
                }
            } catch (PullRefused e) {
                return new Pulled.Failed(e.fault(), e.detail());
            } catch (DiskFailed e) {
                throw e.failure;
            } catch (IOException e) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("the pull was ended");
                }
                tries = arrival.bytes() >= furthest + PROGRESS_BYTES ? 1 : tries + 1;
                furthest = Math.max(furthest, arrival.bytes());
                if (tries > TRIES_MOST) {
                    boolean never = arrival.bytes() == 0;
                    return new Pulled.Failed(never ? PullFault.UNREACHABLE : PullFault.BROKEN, said(e));
                }
                pause = pause(tries);
            }
            drop();
            ways.sleeper.sleep(pause);
        }
    }

    /** No text of a failure may hold a URL: of most the kind is enough. */
    private static String said(IOException failure) {
        return failure instanceof UnknownHostException
                ? "no such host"
                : failure.getClass().getSimpleName();
    }

    private static Duration pause(int tries) {
        Duration next = FIRST_PAUSE.multipliedBy(1L << Math.clamp(tries - 1, 0, 10));
        return next.compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : next;
    }

    private static Duration atLeast(Duration one, Duration least) {
        return one.compareTo(least) < 0 ? least : one;
    }

    private sealed interface Step {
        record Done(boolean kept) implements Step {}

        record Again() implements Step {}

        record Wait(Judgement.Later later) implements Step {}
    }

    /** A failure of the region's own disk is no failure of a server. */
    private static final class DiskFailed extends IOException {
        private static final long serialVersionUID = 1;
        private final transient IOException failure;

        DiskFailed(IOException failure) {
            super(failure);
            this.failure = failure;
        }
    }

    private Step step(PullItem item, Arrival arrival) throws IOException {
        URI uri = URI.create(item.url());
        String server = HttpLine.authority(uri);
        Instant now = ways.clock.instant();
        Duration left = ways.pauses.left(server, now);
        if (left.isPositive()) {
            return new Step.Wait(new Judgement.Later(left, true, PullFault.BUSY, "as it asked"));
        }
        Judgement.Known known = arrival.known();
        Gate.Asked asked = ways.gate.ask("GET", uri, item.authorization(), Judgement.conditions(known), line);
        line = asked.line();
        now = ways.clock.instant();
        switch (Judgement.of(known, asked.reply(), now)) {
            case Judgement.Same() -> {
                asked.line().bodiless(asked.reply());
                return new Step.Done(true);
            }
            case Judgement.Take taken -> {
                bounds.moved.accept(taken.from() - arrival.bytes());
                take(item, arrival, taken, asked);
                return new Step.Done(false);
            }
            case Judgement.Anew() -> {
                bounds.moved.accept(-arrival.bytes());
                arrival.forget();
                drop();
                return new Step.Again();
            }
            case Judgement.Later later -> {
                if (later.asked()) {
                    ways.pauses.asked(server, later.pause(), now);
                }
                return new Step.Wait(later);
            }
            case Judgement.Never(PullFault fault, String detail) -> throw new PullRefused(fault, detail);
            case Judgement.Elsewhere elsewhere -> throw new PullRefused(PullFault.REDIRECTS, "nowhere");
        }
    }

    private void take(PullItem item, Arrival arrival, Judgement.Take taken, Gate.Asked asked) throws IOException {
        boolean endless = taken.total() < 0 && !asked.reply().isChunked();
        if (endless && item.sha256().isEmpty()) {
            throw new PullRefused(PullFault.NO_LENGTH, "");
        }
        onDisk(() -> arrival.begin(taken));
        bounded(arrival, Math.max(taken.total(), 0));
        InputStream body = asked.line().body(asked.reply());
        Instant since = ways.clock.instant();
        long at = arrival.bytes();
        for (int count = body.read(buffer); count >= 0; count = body.read(buffer)) {
            int length = count;
            bounds.moved.accept(count);
            onDisk(() -> {
                if (arrival.add(buffer, length) && pack.isFull()) {
                    finish();
                    arrival.book(book);
                }
            });
            bounded(arrival, arrival.bytes());
            if (arrival.bytes() - at >= PROGRESS_BYTES) {
                at = arrival.bytes();
                since = ways.clock.instant();
            } else if (ways.clock.instant().isAfter(since.plus(SLOW))) {
                throw new IOException("the server is too slow");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IOException("ended");
            }
        }
        onDisk(arrival::end);
    }

    private void bounded(Arrival arrival, long bytes) throws PullRefused {
        if (bytes > bounds.mostBytes.getAsLong()) {
            throw new PullRefused(PullFault.TOO_MUCH, Long.toString(bytes));
        }
        if (bounds.freeBytes.getAsLong() < Math.max(0, bytes - arrival.bytes()) + BUFFER_BYTES) {
            throw new PullRefused(PullFault.NO_ROOM, "");
        }
    }

    private interface OnDisk {
        void run() throws IOException;
    }

    private static void onDisk(OnDisk deed) throws IOException {
        try {
            deed.run();
        } catch (PullRefused e) {
            throw e;
        } catch (IOException e) {
            throw new DiskFailed(e);
        }
    }

    private void drop() {
        HttpLine last = line;
        line = null;
        if (last != null) {
            last.close();
        }
    }

    @Override
    public void close() throws IOException {
        drop();
        finish();
    }
}
