package org.spillway.stage.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.security.MessageDigest;
import java.util.LinkedHashSet;
import java.util.Set;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.tree.TarFormat;

/** Digests of the pieces and of the whole, in one go. */
final class InputReading extends PieceReader {
    final Set<Digest> wrong = new LinkedHashSet<>();

    InputReading(PackShelf shelf) {
        super(shelf);
    }

    Checksum read(Recipe recipe) throws IOException {
        MessageDigest whole = Sha256.digest();
        MessageDigest piece = Sha256.digest();
        long bytes = 0;
        try (this) {
            for (Recipe.Part part : recipe.parts()) {
                byte[] header = TarFormat.header(part.member());
                whole.update(header);
                for (int i = 0; i < part.pieces().size(); i++) {
                    Digest wanted = part.pieces().get(i);
                    PackShelf.Place place = shelf.place(
                                    wanted, Pieces.length(part.member().bytes(), i))
                            .orElse(null);
                    if (place == null || !digest(place, whole, piece).equals(wanted)) {
                        wrong.add(wanted);
                        if (place != null) {
                            shelf.remove(place.pack());
                        }
                    }
                }
                int padding = TarFormat.padding(part.member().bytes());
                whole.update(new byte[padding]);
                bytes += header.length + part.member().bytes() + padding;
            }
        }
        whole.update(new byte[TarFormat.END_BYTES]);
        return Sha256.checksum(bytes + TarFormat.END_BYTES, whole);
    }

    private Digest digest(PackShelf.Place place, MessageDigest whole, MessageDigest piece) throws IOException {
        try {
            read(place, 0, (bytes, from, length) -> {
                whole.update(bytes, from, length);
                piece.update(bytes, from, length);
            });
        } catch (NoSuchFileException | EOFException gone) {
            // No digest is that of all, and of one byte more than there is.
            piece.update((byte) 0);
        }
        return Digest.of(piece.digest());
    }
}
