package org.spillway.head.link;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.IntConsumer;

/** Tells each number of bytes that is taken out of a stream. */
final class CountedCopy extends FilterInputStream {
    private final IntConsumer told;

    CountedCopy(InputStream in, IntConsumer told) {
        super(in);
        this.told = told;
    }

    @Override
    public int read() throws IOException {
        int next = in.read();
        told.accept(next < 0 ? 0 : 1);
        return next;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int count = in.read(into, offset, length);
        told.accept(Math.max(0, count));
        return count;
    }
}
