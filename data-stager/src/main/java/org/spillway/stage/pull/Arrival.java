package org.spillway.stage.pull;

import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.PackWriter;
import org.spillway.stage.store.PieceIntake;
import org.spillway.stage.store.Pieces;

/** A file as far as it has come. One thread's. */
final class Arrival {
    private static final int CHANGES_MOST = 3;

    private final PullItem item;
    private final PieceIntake intake;
    private final PackWriter pack;
    private final List<Digest> pieces = new ArrayList<>();
    private final @Nullable MessageDigest whole;
    private boolean complete;
    private boolean changed;
    private long total = -1;
    private long modifiedSeconds;
    private String validator = "";
    /** Pieces that stand in the book. */
    private int booked;

    private boolean bookedWhole;
    private int changes;

    private long bytes;

    Arrival(PullItem item, PieceIntake intake, PackWriter pack, Optional<PullBook.Entry> known) throws IOException {
        this.item = item;
        this.intake = intake;
        this.pack = pack;
        this.whole = item.sha256().isEmpty() ? null : Sha256.digest();
        if (known.isPresent() && !known.get().validator().isEmpty()) {
            PullBook.Entry entry = known.get();
            if (intake.has(entry.total(), entry.pieces())) {
                take(entry);
            }
        }
    }

    private void take(PullBook.Entry entry) throws IOException {
        pieces.addAll(entry.pieces());
        booked = pieces.size();
        complete = entry.whole();
        bookedWhole = complete;
        total = entry.total();
        modifiedSeconds = entry.modifiedSeconds();
        validator = entry.validator();
        bytes = complete ? total : (long) pieces.size() * Pieces.BYTES;
        if (whole != null && !complete) {
            intake.feed(pieces, whole);
        }
    }

    Judgement.Known known() {
        return new Judgement.Known(bytes, total, validator, complete);
    }

    long bytes() {
        return bytes;
    }

    /** The bytes from {@code taken.from()} on are about to come. */
    void begin(Judgement.Take taken) throws IOException {
        if (taken.from() == 0) {
            forget();
            changed |= taken.changed();
            changes += taken.changed() ? 1 : 0;
            if (changes > CHANGES_MOST) {
                throw new PullRefused(PullFault.CHANGING, "");
            }
        }
        total = taken.total();
        validator = taken.validator();
        modifiedSeconds = taken.modifiedSeconds();
    }

    /** Nothing of it is of any use. */
    void forget() throws IOException {
        pack.dropPiece();
        pieces.clear();
        booked = 0;
        bookedWhole = false;
        bytes = 0;
        complete = false;
        validator = "";
        total = -1;
        if (whole != null) {
            whole.reset();
        }
    }

    /** @return whether a piece has ended: the pack may be full now */
    boolean add(byte[] buffer, int length) throws IOException {
        boolean ended = false;
        for (int done = 0; done < length; ) {
            int part = Math.min(length - done, Pieces.BYTES - pack.pieceBytes());
            pack.write(buffer, done, part);
            if (whole != null) {
                whole.update(buffer, done, part);
            }
            done += part;
            bytes += part;
            if (pack.pieceBytes() == Pieces.BYTES) {
                pieces.add(pack.endPiece());
                ended = true;
            }
        }
        return ended;
    }

    /** All of it has come. @throws PullRefused DIGEST if it is another file than its user wanted */
    void end() throws IOException {
        if (whole != null && !HexFormat.of().formatHex(whole.digest()).equals(item.sha256())) {
            forget();
            throw new PullRefused(PullFault.DIGEST, "");
        }
        if (pack.pieceBytes() > 0) {
            pieces.add(pack.endPiece());
        }
        complete = true;
        total = bytes;
    }

    /** The pack has ended, and with it all pieces are there. */
    void book(PullBook book) throws IOException {
        if (!validator.isEmpty() && (pieces.size() > booked || (complete && !bookedWhole))) {
            List<Digest> more = pieces.subList(booked, pieces.size());
            book.put(item.key(), booked, new PullBook.Entry(total, modifiedSeconds, validator, complete, more));
            booked = pieces.size();
            bookedWhole = complete;
        }
    }

    Pulled.Came came(boolean kept) {
        return new Pulled.Came(total, modifiedSeconds, pieces, kept, changed);
    }
}
