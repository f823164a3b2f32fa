package org.spillway.stage.store;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.spillway.stage.tree.TarFormat;

/**
 * An input whose pieces are still on their way: its files in their order, and where each piece is to come from. With it the
 * beginning of the input can be read before the end of it has been.
 *
 * @param packs names of those that come
 */
public record InputPlan(List<String> packs, List<Part> parts) {
    /** Longest plan that a region reads, in bytes. */
    public static final int BYTES_MAX = 32 << 20;

    private static final int MAGIC = 0x53505750; // SPWP
    private static final int KNOWN = -1;

    /** Where a piece is found. */
    public sealed interface Where {
        /** In whatever pack has it. */
        record Known(Digest digest) implements Where {}

        /** Nobody has read it yet. @param pack in {@link InputPlan#packs} @param index in that pack, from 0 */
        record InPack(int pack, int index) implements Where {
            public InPack {
                if (pack < 0 || index < 0) {
                    throw new IllegalArgumentException("no such place in a pack");
                }
            }
        }
    }

    /** @param pieces as many as {@link Pieces#count} says */
    public record Part(TarFormat.Member member, List<Where> pieces) {
        public Part {
            pieces = List.copyOf(pieces);
            if (pieces.size() != Pieces.count(member.bytes())) {
                throw new IllegalArgumentException(
                        "a file of " + member.bytes() + " bytes has no " + pieces.size() + " pieces");
            }
        }
    }

    public InputPlan {
        packs = List.copyOf(packs);
        parts = List.copyOf(parts);
    }

    /** Bytes of the whole tar stream. */
    long bytes() {
        long bytes = TarFormat.END_BYTES;
        for (Part part : parts) {
            long content = part.member.bytes();
            bytes += TarFormat.header(part.member).length + content + TarFormat.padding(content);
        }
        return bytes;
    }

    public byte[] encoded() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(new BufferedOutputStream(new GZIPOutputStream(bytes)))) {
            out.writeInt(MAGIC);
            out.writeInt(packs.size());
            for (String pack : packs) {
                Members.write(out, Digest.ofHex(pack));
            }
            Members.write(out, parts.stream().map(Part::member).toList());
            for (Part part : parts) {
                for (Where where : part.pieces) {
                    switch (where) {
                        case Where.Known(Digest digest) -> {
                            out.writeInt(KNOWN);
                            Members.write(out, digest);
                        }
                        case Where.InPack(int pack, int index) -> {
                            out.writeInt(pack);
                            out.writeInt(index);
                        }
                    }
                }
            }
        }
        return bytes.toByteArray();
    }

    /** @throws IOException if it is none */
    public static InputPlan read(byte[] encoded) throws IOException {
        try (var in =
                new DataInputStream(new BufferedInputStream(new GZIPInputStream(new ByteArrayInputStream(encoded))))) {
            if (in.readInt() != MAGIC) {
                throw new IOException("not a plan of an input");
            }
            List<String> packs = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                packs.add(Members.digest(in).hex());
            }
            List<Part> parts = new ArrayList<>();
            for (TarFormat.Member member : Members.read(in)) {
                List<Where> pieces = new ArrayList<>();
                for (int left = Pieces.count(member.bytes()); left > 0; left--) {
                    int pack = in.readInt();
                    pieces.add(
                            pack == KNOWN ? new Where.Known(Members.digest(in)) : new Where.InPack(pack, in.readInt()));
                    if (pack >= packs.size()) {
                        throw new IOException("not a plan of an input: it has no pack " + pack);
                    }
                }
                parts.add(new Part(member, pieces));
            }
            return new InputPlan(packs, parts);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IOException("not a plan of an input: " + e.getMessage(), e);
        }
    }
}
