package org.spillway.stage.worker;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The workers of all users, up to five processes each ({@link UserLanes}), reused. As root it acts for everyone; otherwise for its own user only,
 * whatever gid and groups are asked for. May be used by several threads.
 */
public final class UserWorkers implements AutoCloseable {
    /** How long one waits for a process when all are busy. */
    private static final Duration SLOT_LIMIT = Duration.ofSeconds(60);

    private final WorkerProgram program;
    private final int ownUid;
    private final Limits limits;
    private final InstantSource clock;
    private final Semaphore slots;
    /** Fewer than all: inputs take long, and somebody waits for the answer to a question, and for results. */
    private final Semaphore copySlots;

    private final Map<Identity, UserLanes> workers = new HashMap<>();
    private boolean closed;

    /**
     * @param processes at most so many at a time, 1 or more; the longest idle one makes room for another user's
     * @param silence a process that says nothing for so long while it is waited for is killed (a dead file server)
     * @param idle {@link #reap} ends processes that were unused for so long
     */
    public record Limits(int processes, Duration silence, Duration idle) {
        public static final Limits DEFAULT = new Limits(32, Duration.ofSeconds(60), Duration.ofMinutes(2));

        public Limits {
            if (processes < 1 || silence.toMillis() < 1 || idle.isNegative()) {
                throw new IllegalArgumentException(
                        "not limits of workers: " + processes + " processes, silence " + silence + ", idle " + idle);
            }
        }
    }

    public UserWorkers(Limits limits, InstantSource clock) throws IOException {
        this(limits, clock, WorkerProgram.own());
    }

    UserWorkers(Limits limits, InstantSource clock, WorkerProgram program) throws IOException {
        this.limits = limits;
        this.clock = clock;
        this.program = program;
        this.ownUid = Identity.ownUid();
        this.slots = new Semaphore(limits.processes());
        this.copySlots = new Semaphore(Math.max(1, limits.processes() * 3 / 4));
    }

    /**
     * The files of a user. Starts nothing yet; the same handle is given again while it is in use, so that closing it
     * only ends a process that the next call starts anew.
     *
     * @throws FileRefused if this process is not root and {@code identity} is another user
     */
    public UserFiles as(Identity identity) throws FileRefused {
        if (ownUid != 0 && identity.uid() != ownUid) {
            throw new FileRefused("the head is not root (its uid is " + ownUid
                    + ") and so acts only for its own user, not for " + identity);
        }
        synchronized (workers) {
            if (closed) {
                throw new IllegalStateException("the workers are closed");
            }
            return workers.computeIfAbsent(
                    identity,
                    who -> new UserLanes(
                            worker(who, new Slot(who)),
                            Stream.generate(() -> worker(who, new CopySlot(who)))
                                    .limit(UserLanes.COPIES)
                                    .toList(),
                            Stream.generate(() -> worker(who, new Slot(who)))
                                    .limit(UserLanes.COPIES)
                                    .toList()));
        }
    }

    private UserWorker worker(Identity identity, Slot slot) {
        return new UserWorker(identity, slot, limits.silence(), clock);
    }

    /** Ends processes that were unused for the idle limit at {@code now}; call it every now and then. */
    public void reap(Instant now) {
        synchronized (workers) {
            workers.values().removeIf(worker -> worker.endIfIdleSince(now.minus(limits.idle())));
        }
    }

    /** Number of living processes, for the curious. */
    public int processes() {
        return limits.processes() - slots.availablePermits();
    }

    @Override
    public void close() {
        List<UserLanes> all;
        synchronized (workers) {
            closed = true;
            all = List.copyOf(workers.values());
            workers.clear();
        }
        all.forEach(UserLanes::close);
    }

    /** Counts processes, so that many users do not fill the head's memory with workers. */
    private class Slot implements UserWorker.Starter {
        private final Identity identity;

        Slot(Identity identity) {
            this.identity = identity;
        }

        @Override
        public Process start() throws IOException {
            synchronized (workers) {
                if (closed) {
                    throw new IOException("the workers are closed");
                }
            }
            take(slots, UserLanes::workers);
            try {
                return WorkerProgram.start(program.argv(identity, ownUid == 0));
            } catch (IOException | RuntimeException e) {
                slots.release();
                throw e;
            }
        }

        final void take(Semaphore some, Function<UserLanes, List<UserWorker>> holders) throws IOException {
            if (some.tryAcquire()) {
                return;
            }
            makeRoom(some, holders);
            try {
                if (!some.tryAcquire(SLOT_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IOException("all " + limits.processes() + " worker processes are busy");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while all worker processes were busy", e);
            }
        }

        @Override
        public void ended() {
            slots.release();
        }

        @Override
        public String diagnose() {
            return program.obstacle(identity);
        }
    }

    /** A process for copies, of which there are fewer. */
    private final class CopySlot extends Slot {
        CopySlot(Identity identity) {
            super(identity);
        }

        @Override
        public Process start() throws IOException {
            take(copySlots, UserLanes::copies);
            try {
                return super.start();
            } catch (IOException | RuntimeException e) {
                copySlots.release();
                throw e;
            }
        }

        @Override
        public void ended() {
            super.ended();
            copySlots.release();
        }
    }

    private void makeRoom(Semaphore some, Function<UserLanes, List<UserWorker>> holders) {
        List<UserWorker> longestIdleFirst;
        synchronized (workers) {
            longestIdleFirst = workers.values().stream()
                    .flatMap(lanes -> holders.apply(lanes).stream())
                    .sorted(Comparator.comparing(UserWorker::lastUsed))
                    .toList();
        }
        Instant end = Instant.MAX;
        for (UserWorker worker : longestIdleFirst) {
            if (some.availablePermits() > 0) {
                return;
            }
            worker.endIfIdleSince(end);
        }
    }
}
