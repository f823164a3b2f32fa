package org.spillway.stage.worker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import org.spillway.stage.Checksum;
import org.spillway.stage.store.Digest;

/**
 * A user's worker processes: questions, which somebody waits for, have one of their own, so that they do not wait for a
 * copy. Inputs have {@value #COPIES} and results as many, as a user may have so many of each under way: no input, however
 * large, is in the way of a result. May be used by several threads.
 */
final class UserLanes implements UserFiles {
    static final int COPIES = 2;

    private final UserWorker questions;
    private final List<UserWorker> copies;
    private final List<UserWorker> results;
    /** The one used last comes first: its process is there. */
    private final BlockingDeque<UserWorker> free;

    private final BlockingDeque<UserWorker> freeForResults;

    /** @param copies {@value #COPIES}, of inputs @param results as many */
    UserLanes(UserWorker questions, List<UserWorker> copies, List<UserWorker> results) {
        this.questions = questions;
        this.copies = List.copyOf(copies);
        this.results = List.copyOf(results);
        this.free = new LinkedBlockingDeque<>(copies);
        this.freeForResults = new LinkedBlockingDeque<>(results);
    }

    private interface Copy<T> {
        T with(UserWorker worker) throws IOException;
    }

    private static <T> T copy(BlockingDeque<UserWorker> lane, Copy<T> copy) throws IOException {
        UserWorker worker;
        try {
            worker = lane.takeFirst();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while all workers of a user were busy", e);
        }
        return with(lane, worker, copy);
    }

    private static <T> T with(BlockingDeque<UserWorker> lane, UserWorker worker, Copy<T> copy) throws IOException {
        try {
            return copy.with(worker);
        } finally {
            lane.addFirst(worker);
        }
    }

    @Override
    public long partBytes(Path target, String tag) throws IOException {
        return questions.partBytes(target, tag);
    }

    @Override
    public void writePart(Path target, String tag, long offset, InputStream bytes) throws IOException {
        copy(freeForResults, worker -> {
            worker.writePart(target, tag, offset, bytes);
            return true;
        });
    }

    @Override
    public void settle(Path target, String tag, Checksum checksum) throws IOException {
        copy(freeForResults, worker -> {
            worker.settle(target, tag, checksum);
            return true;
        });
    }

    @Override
    public void abandon(Path target, String tag) throws IOException {
        questions.abandon(target, tag);
    }

    /** A scan of many files is no short question: one that is under way already makes the next use a worker for copies. */
    @Override
    public List<Found> find(String absolutePattern, Limits limits) throws IOException {
        UserWorker idle = questions.isBusy() ? free.pollFirst() : null;
        return idle == null
                ? questions.find(absolutePattern, limits)
                : with(free, idle, worker -> worker.find(absolutePattern, limits));
    }

    @Override
    public List<Digest> pieces(List<Slice> slices, long offset, OutputStream sink) throws IOException {
        return copy(free, worker -> worker.pieces(slices, offset, sink));
    }

    @Override
    public Unpacked unpack(Path bundle, String tag, Checksum checksum, List<Rule> rules) throws IOException {
        return copy(freeForResults, worker -> worker.unpack(bundle, tag, checksum, rules));
    }

    @Override
    public Optional<List<Place>> look(List<Wish> wishes, Duration patience) throws IOException {
        return questions.look(wishes, patience);
    }

    @Override
    public void close() {
        workers().forEach(UserWorker::close);
    }

    List<UserWorker> workers() {
        List<UserWorker> all = new ArrayList<>(copies);
        all.addAll(results);
        all.add(questions);
        return all;
    }

    List<UserWorker> copies() {
        return copies;
    }

    /** Ends each process that is neither busy nor was used after {@code then}. @return whether none is left and none is wanted */
    boolean endIfIdleSince(Instant then) {
        boolean ended = true;
        for (UserWorker worker : workers()) {
            ended &= worker.endIfIdleSince(then);
        }
        return ended;
    }
}
