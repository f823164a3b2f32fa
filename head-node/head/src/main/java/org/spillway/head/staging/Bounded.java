package org.spillway.head.staging;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.spillway.stage.transfer.ChecksumMismatch;

/** Takes no more than was announced: a far side that sends more would fill a user's disk, or a user's worker the site's. */
final class Bounded extends FilterOutputStream {
    private long leftBytes;

    Bounded(OutputStream out, long leftBytes) {
        super(out);
        this.leftBytes = leftBytes;
    }

    @Override
    public void write(int b) throws IOException {
        take(1);
        out.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        take(length);
        out.write(bytes, offset, length);
    }

    private void take(int length) throws IOException {
        leftBytes -= length;
        if (leftBytes < 0) {
            throw new ChecksumMismatch("more came than had been announced");
        }
    }
}
