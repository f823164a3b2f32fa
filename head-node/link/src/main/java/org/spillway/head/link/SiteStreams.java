package org.spillway.head.link;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.sshd.client.session.ClientSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.stage.transfer.SftpTransfer;

/**
 * The connections to one site over which copies go there. Each carries two at a time, so that the round trips of one are
 * filled by the bytes of the other; how many there are is decided by {@link StreamCount}. Who has the fewest copies
 * under way is next. One that broke is replaced by the next copy that wants it; those that nobody wants are closed but for the first.
 */
final class SiteStreams implements AutoCloseable {
    /** Of a stock sshd's ten connections that may be logging in at a time. */
    static final int MOST = 8;

    static final int COPIES_EACH = 2;

    /** Before anything is known of the line: over 40 ms one of them fills 100 MB/s. */
    private static final int AT_FIRST = 2;

    private static final Logger LOG = LoggerFactory.getLogger(SiteStreams.class);
    private static final long LOOK_NANOS = 50_000_000;
    private static final long IDLE_SECONDS = 60;
    /** The number that was found is of use for the next job, unless that comes much later. */
    private static final long REMEMBERED_NANOS = TimeUnit.HOURS.toNanos(12);

    private final String site;
    private final String store;
    private final Opening opening;
    private final List<Stream> streams = new ArrayList<>();
    private final List<Turn> waiting = new ArrayList<>();
    private final Map<Object, Integer> underWay = new HashMap<>();
    private StreamCount count;
    private int all;
    private long bytes;
    private long lookedAt = System.nanoTime();
    private long usedAt = lookedAt;
    private volatile boolean closed;
    private boolean isWatched;
    /** The number of connections that was told last as all that the site takes. */
    private int toldOpen;

    /** Makes a connection. */
    interface Opening {
        ClientSession open() throws IOException;
    }

    /** A turn is what somebody waits for. */
    private static final class Turn {
        private final Object party;

        Turn(Object party) {
            this.party = party;
        }
    }

    /** @param store the staging space, as the far side's login sees it */
    SiteStreams(String site, String store, Opening opening) {
        this(site, store, StreamCount.begun(MOST, AT_FIRST, System.nanoTime()), opening);
    }

    SiteStreams(String site, String store, StreamCount first, Opening opening) {
        this.site = site;
        this.store = store;
        this.count = first;
        this.opening = opening;
    }

    /** A copy's place on a connection. Closing it makes room for the next. */
    final class Place implements AutoCloseable {
        private final Object party;
        private final Stream stream;
        private final SftpTransfer transfer;

        private Place(Object party, Stream stream, SftpTransfer transfer) {
            this.party = party;
            this.stream = stream;
            this.transfer = transfer;
        }

        SftpTransfer transfer() {
            return transfer;
        }

        InputStream counted(InputStream in) {
            return new CountedCopy(in, count -> moved(stream, count));
        }

        /** A failure is given back as what it means: the copy may go on at once if it was the connection. */
        IOException judge(IOException failure) {
            return Breaks.judged(stream.session(), site, failure);
        }

        @Override
        public void close() {
            leave(party, stream);
        }
    }

    /**
     * Waits for a place.
     *
     * @param party whose copy it is: those of one share what it gets
     * @throws IOException if there is no connection, and none can be made
     */
    Place enter(Object party) throws IOException {
        while (true) {
            Stream stream = take(party);
            try {
                return new Place(party, stream, stream.transfer());
            } catch (IOException e) {
                leave(party, stream);
                if (!goesWithout(e)) {
                    throw e;
                }
            }
        }
    }

    private synchronized Stream take(Object party) throws IOException {
        var turn = new Turn(party);
        waiting.add(turn);
        try {
            while (!closed && (all >= count.count() * COPIES_EACH || next() != turn)) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for a connection to site " + site, e);
        } finally {
            waiting.removeIf(one -> one == turn);
            notifyAll();
        }
        if (closed) {
            throw new IOException("the director of " + site + " was given up");
        }
        if (all == 0 && System.nanoTime() - usedAt > REMEMBERED_NANOS) {
            count = StreamCount.begun(MOST, AT_FIRST, System.nanoTime());
        }
        Stream stream = emptiest();
        stream.copies++;
        all++;
        underWay.merge(party, 1, Integer::sum);
        return stream;
    }

    /** Among those who have the fewest copies under way the one who has waited longest. */
    private Turn next() {
        Turn best = waiting.getFirst();
        for (Turn turn : waiting) {
            if (underWay.getOrDefault(turn.party, 0) < underWay.getOrDefault(best.party, 0)) {
                best = turn;
            }
        }
        return best;
    }

    private Stream emptiest() {
        streams.removeIf(stream -> stream.copies == 0 && stream.isBroken());
        Stream best = null;
        for (Stream stream : streams.subList(0, Math.min(streams.size(), count.count()))) {
            if (!stream.isBroken() && (best == null || stream.copies < best.copies)) {
                best = stream;
            }
        }
        boolean mayBeMore =
                streams.stream().filter(stream -> !stream.isBroken()).count() < count.count();
        if (best == null || (best.copies > 0 && mayBeMore)) {
            best = new Stream();
            streams.add(best);
        }
        return best;
    }

    private void leave(Object party, Stream stream) {
        List<Stream> unwanted = new ArrayList<>();
        synchronized (this) {
            stream.copies--;
            all--;
            underWay.computeIfPresent(party, (who, copies) -> copies == 1 ? null : copies - 1);
            usedAt = System.nanoTime();
            for (Stream one : List.copyOf(streams)) {
                if (one.copies == 0 && (one.isBroken() || streams.indexOf(one) >= count.count())) {
                    streams.remove(one);
                    unwanted.add(one);
                }
            }
            if (all == 0) {
                watch();
            }
            notifyAll();
        }
        unwanted.forEach(Stream::end);
    }

    private void watch() {
        if (!isWatched) {
            isWatched = true;
            Thread.ofVirtual().name("idle-streams").start(this::closeWhenIdle);
        }
    }

    private void closeWhenIdle() {
        try {
            do {
                TimeUnit.SECONDS.sleep(IDLE_SECONDS);
            } while (!closeFurther());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return false if they have been idle, but not for long enough */
    private boolean closeFurther() {
        List<Stream> idle;
        synchronized (this) {
            boolean isIdle = all == 0 && !closed;
            if (isIdle && System.nanoTime() - usedAt < TimeUnit.SECONDS.toNanos(IDLE_SECONDS)) {
                return false;
            }
            isWatched = false;
            List<Stream> further =
                    isIdle ? streams.subList(Math.min(1, streams.size()), streams.size()) : new ArrayList<>();
            idle = List.copyOf(further);
            further.clear();
        }
        idle.forEach(Stream::end);
        return true;
    }

    /** A further connection that is refused is done without; the only one is not. */
    private synchronized boolean goesWithout(IOException why) {
        int open = (int) streams.stream().filter(Stream::isOpen).count();
        if (closed || open == 0) {
            return false;
        }
        if (open < count.count()) {
            count = count.refused(open, System.nanoTime());
            if (open != toldOpen) {
                toldOpen = open;
                LOG.warn("site {} takes no more than {} connections for copies: {}", site, open, why.getMessage());
            }
        }
        return true;
    }

    private synchronized void moved(Stream stream, int more) {
        stream.hasCarried = true;
        bytes += more;
        long now = System.nanoTime();
        if (now - lookedAt >= LOOK_NANOS) {
            lookedAt = now;
            int before = count.count();
            count = count.at(now, bytes, isFull());
            if (count.count() != before) {
                LOG.debug("site {}: {} connections for copies", site, count.count());
                notifyAll();
            }
        }
    }

    private boolean isFull() {
        long carrying = streams.stream().filter(stream -> stream.hasCarried).count();
        return carrying >= count.count() && (!waiting.isEmpty() || all >= count.count() * COPIES_EACH);
    }

    @Override
    public void close() {
        List<Stream> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(streams);
            streams.clear();
            notifyAll();
        }
        left.forEach(Stream::end);
    }

    /** A connection, made by the first copy that has a place on it. */
    private final class Stream {
        private int copies;
        private boolean hasCarried;
        private volatile @Nullable ClientSession session;
        private volatile boolean refused;
        private @Nullable SftpTransfer transfer;

        synchronized SftpTransfer transfer() throws IOException {
            SftpTransfer known = transfer;
            if (known == null) {
                try {
                    if (refused) {
                        throw new IOException("a connection to site " + site + " was refused just now");
                    }
                    ClientSession made = opening.open();
                    session = made;
                    if (closed) {
                        end();
                        throw new IOException("the director of " + site + " was given up");
                    }
                    known = new SftpTransfer(made, store, COPIES_EACH);
                    transfer = known;
                } catch (IOException e) {
                    refused = true;
                    throw e;
                }
            }
            return known;
        }

        /** Of a connection that was made. */
        ClientSession session() {
            return Objects.requireNonNull(session);
        }

        boolean isOpen() {
            ClientSession made = session;
            return made != null && made.isOpen();
        }

        boolean isBroken() {
            ClientSession made = session;
            return refused || (made != null && !made.isOpen());
        }

        void end() {
            ClientSession made = session;
            if (made != null) {
                made.close(true);
            }
        }
    }
}
