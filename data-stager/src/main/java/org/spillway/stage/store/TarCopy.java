package org.spillway.stage.store;

import java.io.IOException;
import java.io.OutputStream;
import org.spillway.stage.tree.TarFormat;

/** The tar stream of an input, less what comes before its first byte that is wanted. One thread's. */
final class TarCopy implements AutoCloseable {
    private final PieceReader reader;
    private final OutputStream sink;
    private long skip;

    /** @param from the first byte that is wanted */
    TarCopy(PackShelf shelf, long from, OutputStream sink) {
        this.reader = new PieceReader(shelf);
        this.skip = from;
        this.sink = sink;
    }

    /** Says where a piece lies, or waits until it does. */
    interface Source {
        Digest digest() throws IOException;
    }

    /** A file whose pieces are known, all of it. */
    void add(Recipe.Part part) throws IOException {
        begin(part.member());
        for (int i = 0; i < part.pieces().size(); i++) {
            Digest piece = part.pieces().get(i);
            piece(Pieces.length(part.member().bytes(), i), () -> piece);
        }
        end(part.member());
    }

    /** A mark in the place of a file or a folder that is not there any more. */
    void gone(String name) throws IOException {
        put(TarFormat.gone(name));
    }

    void begin(TarFormat.Member member) throws IOException {
        put(TarFormat.header(member));
    }

    /** @param length of the piece; the source is not asked for one that is not wanted */
    void piece(int length, Source source) throws IOException {
        if (skip >= length) {
            skip -= length;
            return;
        }
        PackShelf.Place place =
                reader.shelf.place(source.digest(), length).orElseThrow(() -> new IOException("a piece is gone"));
        reader.read(place, (int) skip, sink::write);
        skip = 0;
    }

    void end(TarFormat.Member member) throws IOException {
        put(new byte[TarFormat.padding(member.bytes())]);
    }

    /** Writes the end of the stream. */
    void finish() throws IOException {
        put(new byte[TarFormat.END_BYTES]);
    }

    private void put(byte[] bytes) throws IOException {
        int from = (int) Math.min(skip, bytes.length);
        skip -= from;
        sink.write(bytes, from, bytes.length - from);
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
