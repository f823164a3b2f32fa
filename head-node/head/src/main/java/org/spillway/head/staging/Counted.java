package org.spillway.head.staging;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/** Tells how far a stream has been read. */
final class Counted extends FilterInputStream {
    private final LongConsumer told;
    private long bytes;

    Counted(InputStream in, long from, LongConsumer told) {
        super(in);
        this.bytes = from;
        this.told = told;
    }

    @Override
    public int read() throws IOException {
        int next = in.read();
        count(next < 0 ? 0 : 1);
        return next;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int count = in.read(into, offset, length);
        count(Math.max(0, count));
        return count;
    }

    private void count(int more) {
        bytes += more;
        told.accept(bytes);
    }
}
