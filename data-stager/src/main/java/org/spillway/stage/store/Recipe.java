package org.spillway.stage.store;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.spillway.stage.tree.TarFormat;

/** A job's input: its files in their order, and the pieces of each. It stands for the tar stream that they make. */
public record Recipe(List<Part> parts) {
    /** Most files of one. */
    static final int PARTS_MAX = 150_000;

    private static final int MAGIC = 0x53505752; // SPWR

    public Recipe {
        parts = List.copyOf(parts);
        if (parts.size() > PARTS_MAX) {
            throw new IllegalArgumentException(parts.size() + " files are more than " + PARTS_MAX);
        }
    }

    /** @param pieces as many as {@link Pieces#count} says */
    public record Part(TarFormat.Member member, List<Digest> pieces) {
        public Part {
            pieces = List.copyOf(pieces);
            if (pieces.size() != Pieces.count(member.bytes())) {
                throw new IllegalArgumentException(
                        "a file of " + member.bytes() + " bytes has no " + pieces.size() + " pieces");
            }
        }
    }

    /** The same recipe gives the same bytes. */
    public byte[] encoded() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(new BufferedOutputStream(new GZIPOutputStream(bytes)))) {
            out.writeInt(MAGIC);
            Members.write(out, parts.stream().map(Part::member).toList());
            for (Part part : parts) {
                for (Digest piece : part.pieces) {
                    Members.write(out, piece);
                }
            }
        }
        return bytes.toByteArray();
    }

    /** @throws IOException if it is none */
    static Recipe read(InputStream encoded) throws IOException {
        try (var in = new DataInputStream(new BufferedInputStream(new GZIPInputStream(encoded)))) {
            if (in.readInt() != MAGIC) {
                throw new IOException("not a recipe of an input");
            }
            List<Part> parts = new ArrayList<>();
            for (TarFormat.Member member : Members.read(in)) {
                List<Digest> pieces = new ArrayList<>();
                for (int left = Pieces.count(member.bytes()); left > 0; left--) {
                    pieces.add(Members.digest(in));
                }
                parts.add(new Part(member, pieces));
            }
            return new Recipe(parts);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IOException("not a recipe of an input: " + e.getMessage(), e);
        }
    }
}
