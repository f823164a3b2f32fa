package org.spillway.stage.worker;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Checksum;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.PackEnd;
import org.spillway.stage.transfer.ChecksumMismatch;
import org.spillway.stage.worker.Frames.Fields;
import org.spillway.stage.worker.Frames.Frame;
import org.spillway.stage.worker.Frames.Kind;

/**
 * The caller's end of one user's worker process: one request at a time, others wait. The process is started by the
 * first call, and anew by the call after it died; a request that it died in fails and may be tried again.
 */
final class UserWorker implements UserFiles {
    /** Starts the process, and is told when one is no longer used. */
    interface Starter {
        Process start() throws IOException;

        void ended();

        /** Likely reason why a process never said hello; empty when nothing is found. */
        String diagnose();

        /** Whether others wait for a process and may have this one, as soon as it is not busy. */
        default boolean isWantedElsewhere() {
            return false;
        }
    }

    private final Identity identity;
    private final Starter starter;
    private final Duration limit;
    private final InstantSource clock;
    private final ReentrantLock turn = new ReentrantLock();
    private @Nullable Connection connection;
    private volatile Instant lastUsed;

    UserWorker(Identity identity, Starter starter, Duration limit, InstantSource clock) {
        this.identity = identity;
        this.starter = starter;
        this.limit = limit;
        this.clock = clock;
        this.lastUsed = clock.instant();
    }

    @Override
    public long partBytes(Path target, String tag) throws IOException {
        return exchange(request(Kind.PART_BYTES, target, body -> body.writeUTF(tag)))
                .readLong();
    }

    @Override
    public void writePart(Path target, String tag, long offset, InputStream bytes) throws IOException {
        AtomicReference<@Nullable IOException> sourceFailure = new AtomicReference<>();
        exchange(worker -> {
            write(worker, Kind.WRITE_PART, target, body -> {
                body.writeUTF(tag);
                body.writeLong(offset);
            });
            sourceFailure.set(pump(worker, bytes));
            worker.write(Kind.END, body -> {});
            return awaitAnswer(worker, OutputStream.nullOutputStream());
        });
        IOException failure = sourceFailure.get();
        if (failure != null) {
            throw failure;
        }
    }

    /** @return how {@code bytes} failed, if it did: what came before is kept by the worker */
    private static @Nullable IOException pump(Connection worker, InputStream bytes) throws IOException {
        byte[] buffer = new byte[Frames.DATA_BYTES];
        while (!worker.hasSpoken()) { // it speaks early when it cannot go on
            int n;
            try {
                n = bytes.read(buffer);
            } catch (IOException e) {
                return e;
            }
            if (n < 0) {
                return null;
            }
            worker.write(Kind.DATA, buffer, n);
        }
        return null;
    }

    @Override
    public void settle(Path target, String tag, Checksum checksum) throws IOException {
        exchange(judgement(Kind.SETTLE, target, tag, checksum));
    }

    private static Exchange judgement(Kind kind, Path target, String tag, Checksum checksum) {
        return request(kind, target, body -> {
            body.writeUTF(tag);
            body.writeLong(checksum.bytes());
            body.writeUTF(checksum.sha256());
        });
    }

    @Override
    public void readPart(Path target, String tag, long offset, OutputStream sink) throws IOException {
        exchange(worker -> {
            write(worker, Kind.READ_PART, target, body -> {
                body.writeUTF(tag);
                body.writeLong(offset);
            });
            return awaitAnswer(worker, sink);
        });
    }

    @Override
    public void abandon(Path target, String tag) throws IOException {
        exchange(request(Kind.ABANDON, target, body -> body.writeUTF(tag)));
    }

    @Override
    public List<Found> find(String absolutePattern, Limits limits) throws IOException {
        Items.Received<Found> found = Items.found(limits.files());
        exchange(worker -> {
            write(worker, Kind.FIND, Path.of("/"), body -> {
                body.writeUTF(absolutePattern);
                body.writeInt(limits.files());
                body.writeLong(limits.bytes());
            });
            return awaitAnswer(worker, OutputStream.nullOutputStream(), found);
        });
        return List.copyOf(found.items());
    }

    @Override
    public List<Digest> pieces(List<Slice> slices, long offset, OutputStream sink) throws IOException {
        if (slices.isEmpty() || slices.size() > PackEnd.PIECES_MAX) {
            throw new IllegalArgumentException(slices.size() + " pieces are none or too many");
        }
        DataInputStream answer = exchange(worker -> {
            write(worker, Kind.PIECES, Path.of("/"), body -> body.writeLong(offset));
            Items.send(worker::write, slices, Items::write);
            worker.write(Kind.END, body -> {});
            return awaitAnswer(worker, sink);
        });
        List<Digest> digests = new ArrayList<>();
        while (digests.size() < slices.size()) {
            digests.add(Digest.of(answer.readNBytes(Digest.BYTES)));
        }
        return digests;
    }

    @Override
    public Unpacked unpackRound(Path bundle, String tag, Checksum checksum, List<Rule> rules, int round)
            throws IOException {
        if (rules.size() > Bundles.RULES_MAX) {
            throw new IllegalArgumentException(rules.size() + " rules are more than " + Bundles.RULES_MAX);
        }
        return Items.readUnpacked(exchange(worker -> {
            write(worker, Kind.UNPACK, bundle, body -> {
                body.writeUTF(tag);
                body.writeLong(checksum.bytes());
                body.writeUTF(checksum.sha256());
                body.writeInt(round);
            });
            Items.send(worker::write, rules, Items::write);
            worker.write(Kind.END, body -> {});
            return awaitAnswer(worker, OutputStream.nullOutputStream());
        }));
    }

    @Override
    public Checksum gather(List<Path> bundles, String tag, String into) throws IOException {
        DataInputStream answer = exchange(request(Kind.GATHER, bundles.getFirst(), body -> {
            body.writeUTF(tag);
            body.writeUTF(into);
            body.writeInt(bundles.size() - 1);
            for (Path bundle : bundles.subList(1, bundles.size())) {
                body.writeUTF(bundle.toString());
            }
        }));
        return new Checksum(answer.readLong(), answer.readUTF());
    }

    @Override
    public long grow(Path file, String adds, long from, byte[] bytes, boolean first) throws IOException {
        if (bytes.length > GROWTH_BYTES_MAX) {
            throw new IllegalArgumentException(bytes.length + " bytes are more than " + GROWTH_BYTES_MAX);
        }
        return exchange(request(Kind.GROW, file, body -> {
                    body.writeUTF(adds);
                    body.writeLong(from);
                    body.writeBoolean(first);
                    body.write(bytes);
                }))
                .readLong();
    }

    @Override
    public Reply reach(Bounds bounds, Question question) throws IOException {
        var told = new WantedBytes(question.length());
        DataInputStream answer = exchange(worker -> {
            write(worker, Kind.REACH, Path.of("/"), body -> {
                write(body, bounds.roots());
                write(body, bounds.hidden());
                question.to(body);
            });
            return awaitAnswer(worker, told);
        });
        return new Reply(Reply.status(answer.readUnsignedByte()), told.bytes());
    }

    private static void write(DataOutputStream body, List<Path> paths) throws IOException {
        body.writeInt(paths.size());
        for (Path path : paths) {
            body.writeUTF(path.toString());
        }
    }

    @Override
    public Optional<List<Place>> look(List<Wish> wishes, Duration patience) throws IOException {
        if (wishes.size() > Bundles.RULES_MAX) {
            throw new IllegalArgumentException(wishes.size() + " places are more than " + Bundles.RULES_MAX);
        }
        if (!hasTurn(patience)) {
            return Optional.empty();
        }
        try {
            Items.Received<Place> places = Items.places(wishes.size());
            exchange(worker -> {
                write(worker, Kind.LOOK, Path.of("/"), body -> {});
                Items.send(worker::write, wishes, Items::write);
                worker.write(Kind.END, body -> {});
                return awaitAnswer(worker, OutputStream.nullOutputStream(), places);
            });
            return Optional.of(List.copyOf(places.items()));
        } finally {
            turn.unlock();
        }
    }

    @Override
    public List<Distant> distant(String pattern, Reach reach) throws IOException {
        Items.Received<Distant> found = Items.distant(reach.files());
        exchange(worker -> {
            write(worker, Kind.DISTANT, Path.of("/"), body -> {
                body.writeUTF(pattern);
                Items.write(reach, body);
            });
            return awaitAnswer(worker, OutputStream.nullOutputStream(), found);
        });
        return List.copyOf(found.items());
    }

    @Override
    public List<Ticket> tickets(List<Distant> files) throws IOException {
        Items.Received<Ticket> tickets = Items.tickets(files.size());
        exchange(worker -> {
            write(worker, Kind.TICKETS, Path.of("/"), body -> {});
            Items.send(worker::write, files, Items::write);
            worker.write(Kind.END, body -> {});
            return awaitAnswer(worker, OutputStream.nullOutputStream(), tickets);
        });
        return List.copyOf(tickets.items());
    }

    @Override
    public String image(String name, String trust, boolean whole) throws IOException {
        return exchange(request(Kind.IMAGE, Path.of("/"), body -> {
                    body.writeUTF(name);
                    body.writeBoolean(whole);
                    body.write(trust.getBytes(StandardCharsets.US_ASCII));
                }))
                .readUTF();
    }

    private boolean hasTurn(Duration patience) {
        try {
            return turn.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        turn.lock();
        try {
            drop();
        } finally {
            turn.unlock();
        }
    }

    /** Ends the process unless it is busy or was used after {@code then}. @return whether no process is left and none is wanted */
    boolean endIfIdleSince(Instant then) {
        if (!turn.tryLock()) {
            return false;
        }
        try {
            if (lastUsed.isAfter(then)) {
                return false;
            }
            drop();
            return true;
        } finally {
            turn.unlock();
        }
    }

    /** Whether a request is under way just now. */
    boolean isBusy() {
        return turn.isLocked();
    }

    Instant lastUsed() {
        return lastUsed;
    }

    private interface Exchange {
        Frame with(Connection worker) throws IOException;
    }

    private static Exchange request(Kind kind, Path file, Fields fields) {
        return worker -> {
            write(worker, kind, file, fields);
            return awaitAnswer(worker, OutputStream.nullOutputStream());
        };
    }

    private static void write(Connection worker, Kind kind, Path file, Fields fields) throws IOException {
        worker.write(kind, body -> {
            body.writeUTF(file.toString());
            fields.to(body);
        });
    }

    private static Frame awaitAnswer(Connection worker, OutputStream sink) throws IOException {
        return awaitAnswer(worker, sink, Items.none());
    }

    private static Frame awaitAnswer(Connection worker, OutputStream sink, Items.Received<?> items) throws IOException {
        while (true) {
            Frame frame = worker.read();
            switch (frame.kind()) {
                case DATA -> sink.write(frame.body());
                case ITEMS -> items.add(frame);
                case WORKING -> {}
                case OK, REFUSED, MISMATCH, FAILED -> {
                    return frame;
                }
                case HELLO,
                        PART_BYTES,
                        WRITE_PART,
                        ABANDON,
                        END,
                        SETTLE,
                        FIND,
                        PIECES,
                        UNPACK,
                        LOOK,
                        DISTANT,
                        TICKETS,
                        READ_PART,
                        GATHER,
                        GROW,
                        REACH,
                        IMAGE -> throw new IOException("the worker process answered out of turn with " + frame.kind());
            }
        }
    }

    private DataInputStream exchange(Exchange exchange) throws IOException {
        Frame answer;
        turn.lock();
        try {
            Connection worker = connect();
            try {
                answer = exchange.with(worker);
            } catch (IOException | RuntimeException e) {
                // A process that was killed has closed its pipe some time before it is seen to be dead.
                boolean lives = worker.isAlive() && !(e instanceof EOFException);
                String reason = lives ? String.valueOf(e.getMessage()) : worker.reason(e);
                drop(); // it may be anywhere in its answer
                throw new IOException("the worker process of " + identity + " was given up: " + reason, e);
            }
        } finally {
            lastUsed = clock.instant();
            if (starter.isWantedElsewhere()) {
                drop();
            }
            turn.unlock();
        }
        return switch (answer.kind()) {
            case OK -> answer.fields();
            case REFUSED -> throw new FileRefused(answer.fields().readUTF());
            case MISMATCH -> throw new ChecksumMismatch(answer.fields().readUTF());
            default -> throw new IOException(answer.fields().readUTF());
        };
    }

    private Connection connect() throws IOException {
        if (connection != null && connection.isAlive()) {
            return connection;
        }
        drop();
        Connection started = new Connection(starter.start(), limit);
        connection = started;
        try {
            started.greet(identity.uid());
        } catch (IOException e) {
            String obstacle = starter.diagnose();
            String reason = (obstacle.isEmpty() ? "" : obstacle + "; ") + started.reason(e);
            drop();
            throw new IOException("no worker process for " + identity + ": " + reason, e);
        }
        return started;
    }

    private void drop() {
        if (connection != null) {
            connection.end();
            connection = null;
            starter.ended();
        }
    }
}
