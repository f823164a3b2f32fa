package org.spillway.stage.store;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.tree.TarFormat;

/**
 * An input that is on its way, as its plan says. What has come is read once, in the order of the stream: each piece is
 * compared with its digest, and only what was found right is given to readers, who wait for the rest. It is a process's
 * own, and lost with it. May be used by several threads.
 */
final class GrowingInput {
    private static final long TOLD_BYTES = 2 << 20;

    private final int uid;
    private final InputPlan plan;
    private final PackShelf shelf;
    private final InstantSource clock;
    private final long bytes;
    /** Held by who reads what has come; one is enough. */
    private final ReentrantLock work = new ReentrantLock();

    private final Map<Integer, List<Digest>> packs = new HashMap<>();
    private final Map<String, Instant> read = new HashMap<>();
    private final List<List<Digest>> done = new ArrayList<>();
    /** Of the file that has come in part. */
    private List<Digest> begun = new ArrayList<>();

    private boolean headed;
    private MessageDigest whole = Sha256.digest();
    private @Nullable Whole result;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Digest> pieces = new ArrayList<>();
    /** Bytes that were found right and that readers have not been told of: each word to them costs a record of TLS. */
    private long untold;

    private int told;
    private boolean ended;

    /** All of it has come. @param encoded its recipe @param read packs, and when the first of each was read */
    record Whole(String recipe, byte[] encoded, Checksum tar, Map<String, Instant> read) {}

    GrowingInput(int uid, InputPlan plan, PackShelf shelf, InstantSource clock) {
        this.clock = clock;
        this.uid = uid;
        this.plan = plan;
        this.shelf = shelf;
        this.bytes = plan.bytes();
    }

    int uid() {
        return uid;
    }

    InputPlan plan() {
        return plan;
    }

    /** Of the whole stream. */
    long bytes() {
        return bytes;
    }

    /** Pieces that have come and were found right, one after the other from the first one on. */
    int right() {
        lock.lock();
        try {
            return told;
        } finally {
            lock.unlock();
        }
    }

    /** Readers that wait do so no longer. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Packs that have come since the last look are on the shelf. */
    void lookFurther() throws IOException {
        shelf.look();
    }

    /** Takes in what the shelf has. @return empty as long as something is missing */
    Optional<Whole> advance() throws IOException {
        work.lock();
        try (PieceReader reader = new PieceReader(shelf)) {
            while (result == null && done.size() < plan.parts().size()) {
                if (!advance(plan.parts().get(done.size()), reader)) {
                    return Optional.empty();
                }
            }
            if (result == null) {
                result = whole();
            }
            return Optional.of(result);
        } finally {
            tell(0);
            work.unlock();
        }
    }

    /** @return whether all of this file is there */
    private boolean advance(InputPlan.Part part, PieceReader reader) throws IOException {
        if (!headed) {
            headed = true;
            whole.update(TarFormat.header(part.member()));
        }
        while (begun.size() < part.pieces().size()) {
            Digest wanted = digest(part.pieces().get(begun.size()));
            int length = Pieces.length(part.member().bytes(), begun.size());
            if (wanted == null || !isRight(wanted, length, reader)) {
                return false;
            }
            begun.add(wanted);
            add(wanted, length);
        }
        whole.update(new byte[TarFormat.padding(part.member().bytes())]);
        done.add(begun);
        begun = new ArrayList<>();
        headed = false;
        return true;
    }

    private void add(Digest piece, int length) {
        lock.lock();
        try {
            pieces.add(piece);
            untold += length;
        } finally {
            lock.unlock();
        }
        tell(TOLD_BYTES);
    }

    /** Readers go on. @param least bytes that are worth it */
    private void tell(long least) {
        lock.lock();
        try {
            if (untold >= least && told < pieces.size()) {
                told = pieces.size();
                untold = 0;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Null as long as it is not known. */
    private @Nullable Digest digest(InputPlan.Where where) throws IOException {
        switch (where) {
            case InputPlan.Where.Known(Digest known) -> {
                return known;
            }
            case InputPlan.Where.InPack(int pack, int index) -> {
                List<Digest> held = packs.get(pack);
                if (held == null) {
                    held = shelf.pieces(plan.packs().get(pack)).orElse(null);
                    if (held == null) {
                        return null;
                    }
                    packs.put(pack, held);
                }
                return index < held.size() ? held.get(index) : null;
            }
        }
    }

    /** A pack with a wrong byte goes, as if it had not come: the head is told of it by who puts the input together. */
    private boolean isRight(Digest wanted, int length, PieceReader reader) throws IOException {
        PackShelf.Place place = shelf.place(wanted, length).orElse(null);
        if (place == null) {
            return false;
        }
        Instant now = clock.instant();
        MessageDigest longer = copy(whole);
        MessageDigest piece = Sha256.digest();
        try {
            reader.read(place, 0, (some, from, count) -> {
                longer.update(some, from, count);
                piece.update(some, from, count);
            });
        } catch (NoSuchFileException gone) {
            return false;
        } catch (EOFException cutOff) {
            piece.update((byte) 0); // no digest is that of all, and of one byte more than there is
        }
        if (!Digest.of(piece.digest()).equals(wanted)) {
            packs.clear();
            shelf.remove(place.pack());
            return false;
        }
        whole = longer;
        read.putIfAbsent(place.pack(), now);
        return true;
    }

    private static MessageDigest copy(MessageDigest digest) {
        try {
            return (MessageDigest) digest.clone();
        } catch (CloneNotSupportedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private Whole whole() throws IOException {
        whole.update(new byte[TarFormat.END_BYTES]);
        List<Recipe.Part> parts = new ArrayList<>();
        for (int i = 0; i < done.size(); i++) {
            parts.add(new Recipe.Part(plan.parts().get(i).member(), done.get(i)));
        }
        byte[] encoded = new Recipe(parts).encoded();
        String name = Digest.of(Sha256.digest().digest(encoded)).hex();
        return new Whole(name, encoded, Sha256.checksum(bytes, whole), Map.copyOf(read));
    }

    /** Writes the stream from byte {@code from} on as it grows. @throws IOException when it ended before it was whole */
    void copy(long from, OutputStream sink) throws IOException {
        int next = 0;
        try (TarCopy copy = new TarCopy(shelf, from, sink)) {
            for (InputPlan.Part part : plan.parts()) {
                copy.begin(part.member());
                for (int i = 0; i < part.pieces().size(); i++) {
                    int piece = next++;
                    copy.piece(Pieces.length(part.member().bytes(), i), () -> await(piece, sink));
                }
                copy.end(part.member());
            }
            copy.finish();
        }
    }

    private Digest await(int piece, OutputStream sink) throws IOException {
        if (right() <= piece) {
            sink.flush();
        }
        lock.lock();
        try {
            while (told <= piece) {
                if (ended) {
                    throw new IOException("the rest of this input does not come");
                }
                changed.await();
            }
            return pieces.get(piece);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lock.unlock();
        }
    }
}
