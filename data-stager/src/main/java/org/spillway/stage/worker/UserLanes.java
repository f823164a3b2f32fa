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
import java.util.stream.Stream;
import org.spillway.stage.Checksum;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.store.Digest;

/**
 * A user's worker processes: questions, which somebody waits for, have one of their own, so that they do not wait for a
 * copy. Inputs have {@value #COPIES}, and up to {@value #MORE_COPIES} more while there are processes that nobody else
 * wants: over a slow line many copies are under way at a time. Results have {@value #COPIES} of their own: no input, however
 * large, is in their way. May be used by several threads.
 */
final class UserLanes implements UserFiles {
    static final int COPIES = 2;
    static final int MORE_COPIES = 6;

    private final UserWorker questions;
    private final Lane inputs;
    private final Lane results;

    /** A process that was only wanted in addition could not be had. */
    static final class NoMore extends IOException {
        private static final long serialVersionUID = 1;

        NoMore() {
            super("no further worker process just now");
        }
    }

    /**
     * @param inputs {@value #COPIES}
     * @param more for inputs, that fail with {@link NoMore} where there is no process for them
     * @param results {@value #COPIES}
     */
    UserLanes(UserWorker questions, List<UserWorker> inputs, List<UserWorker> more, List<UserWorker> results) {
        this.questions = questions;
        this.inputs = new Lane(inputs, more);
        this.results = new Lane(results, List.of());
    }

    private interface Copy<T> {
        T with(UserWorker worker) throws IOException;
    }

    /** Workers that are used alike. The one used last comes first: its process is there. */
    private static final class Lane {
        private final List<UserWorker> all;
        private final BlockingDeque<UserWorker> free;
        private final BlockingDeque<UserWorker> moreFree;

        Lane(List<UserWorker> own, List<UserWorker> more) {
            this.all = Stream.concat(own.stream(), more.stream()).toList();
            this.free = new LinkedBlockingDeque<>(own);
            this.moreFree = new LinkedBlockingDeque<>(more);
        }

        <T> T copy(Copy<T> copy) throws IOException {
            UserWorker worker = free.pollFirst();
            if (worker != null) {
                return with(worker, free, copy);
            }
            worker = moreFree.pollFirst();
            if (worker != null) {
                try {
                    return with(worker, moreFree, copy);
                } catch (NoMore busy) {
                    // Nothing has been asked of it: the copy waits for one of those that the user always has.
                }
            }
            try {
                worker = free.takeFirst();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while all workers of a user were busy", e);
            }
            return with(worker, free, copy);
        }
    }

    private static <T> T with(UserWorker worker, BlockingDeque<UserWorker> home, Copy<T> copy) throws IOException {
        try {
            return copy.with(worker);
        } finally {
            home.addFirst(worker);
        }
    }

    @Override
    public long partBytes(Path target, String tag) throws IOException {
        return questions.partBytes(target, tag);
    }

    @Override
    public void writePart(Path target, String tag, long offset, InputStream bytes) throws IOException {
        results.copy(worker -> {
            worker.writePart(target, tag, offset, bytes);
            return true;
        });
    }

    @Override
    public void settle(Path target, String tag, Checksum checksum) throws IOException {
        results.copy(worker -> {
            worker.settle(target, tag, checksum);
            return true;
        });
    }

    @Override
    public void readPart(Path target, String tag, long offset, OutputStream sink) throws IOException {
        inputs.copy(worker -> {
            worker.readPart(target, tag, offset, sink);
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
        UserWorker idle = questions.isBusy() ? inputs.free.pollFirst() : null;
        return idle == null
                ? questions.find(absolutePattern, limits)
                : with(idle, inputs.free, worker -> worker.find(absolutePattern, limits));
    }

    @Override
    public List<Digest> pieces(List<Slice> slices, long offset, OutputStream sink) throws IOException {
        return inputs.copy(worker -> worker.pieces(slices, offset, sink));
    }

    @Override
    public Unpacked unpackRound(Path bundle, String tag, Checksum checksum, List<Rule> rules, int round)
            throws IOException {
        return results.copy(worker -> worker.unpackRound(bundle, tag, checksum, rules, round));
    }

    @Override
    public Checksum gather(List<Path> bundles, String tag, String into) throws IOException {
        return results.copy(worker -> worker.gather(bundles, tag, into));
    }

    @Override
    public long grow(Path file, String adds, long from, byte[] bytes, boolean first) throws IOException {
        return questions.grow(file, adds, from, bytes, first);
    }

    @Override
    public Reply reach(Bounds bounds, Question question) throws IOException {
        return questions.reach(bounds, question);
    }

    @Override
    public Optional<List<Place>> look(List<Wish> wishes, Duration patience) throws IOException {
        return questions.look(wishes, patience);
    }

    @Override
    public List<Distant> distant(String pattern, Reach reach) throws IOException {
        UserWorker idle = questions.isBusy() ? inputs.free.pollFirst() : null;
        return idle == null
                ? questions.distant(pattern, reach)
                : with(idle, inputs.free, worker -> worker.distant(pattern, reach));
    }

    @Override
    public List<Ticket> tickets(List<Distant> files) throws IOException {
        return questions.tickets(files);
    }

    @Override
    public String image(String name, String trust, boolean whole) throws IOException {
        if (whole) {
            return inputs.copy(worker -> worker.image(name, trust, true));
        }
        UserWorker idle = questions.isBusy() ? inputs.free.pollFirst() : null;
        return idle == null
                ? questions.image(name, trust, false)
                : with(idle, inputs.free, worker -> worker.image(name, trust, false));
    }

    @Override
    public void close() {
        workers().forEach(UserWorker::close);
    }

    List<UserWorker> workers() {
        List<UserWorker> workers = new ArrayList<>(inputs.all);
        workers.addAll(results.all);
        workers.add(questions);
        return workers;
    }

    /** Workers for inputs. */
    List<UserWorker> copies() {
        return inputs.all;
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
