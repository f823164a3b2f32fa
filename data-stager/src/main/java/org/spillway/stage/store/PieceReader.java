package org.spillway.stage.store;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads pieces one after the other: the pack that was read last stays open. One thread's. */
class PieceReader implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 * 1024;

    final PackShelf shelf;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private @Nullable FileChannel open;
    private String pack = "";

    PieceReader(PackShelf shelf) {
        this.shelf = shelf;
    }

    /** Takes a piece in parts. */
    interface Taker {
        void take(byte[] bytes, int from, int length) throws IOException;
    }

    void read(PackShelf.Place place, int skip, Taker taker) throws IOException {
        FileChannel channel = open;
        if (channel == null || !place.pack().equals(pack)) {
            close();
            channel = FileChannel.open(shelf.file(place.pack()), Set.of(StandardOpenOption.READ, NOFOLLOW_LINKS));
            open = channel;
            pack = place.pack();
        }
        for (int done = skip; done < place.length(); ) {
            ByteBuffer part = ByteBuffer.wrap(buffer, 0, Math.min(BUFFER_BYTES, place.length() - done));
            int n = channel.read(part, place.from() + done);
            if (n < 0) {
                throw new EOFException("a pack became shorter");
            }
            taker.take(buffer, 0, n);
            done += n;
        }
    }

    @Override
    public void close() throws IOException {
        FileChannel last = open;
        open = null;
        if (last != null) {
            last.close();
        }
    }
}
