package org.spillway.stage.store;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.spillway.stage.tree.TarReader;

/**
 * Takes results that lie in a region apart into pieces of their user, as if these had been sent there as an input: a job
 * that has them as its input need not be sent them again.
 */
public final class ResultIntake {
    private static final int BUFFER_BYTES = 256 * 1024;

    private ResultIntake() {}

    /**
     * Takes what a stream holds; files with holes are left out. After a failure pieces of the files before it are there.
     *
     * @param tar hostile
     * @return bytes that were taken
     */
    public static long take(InputStream tar, PieceIntake intake) throws IOException {
        long taken = 0;
        byte[] buffer = new byte[BUFFER_BYTES];
        TarReader reader = new TarReader(new BufferedInputStream(tar, BUFFER_BYTES));
        try (PackWriter writer = intake.writer()) {
            for (TarReader.Entry entry = reader.next(); entry != null; entry = reader.next()) {
                if (entry.kind() == TarReader.Kind.FILE && reader.stored() == entry.bytes()) {
                    taken += file(reader, writer, buffer);
                }
            }
        }
        return taken;
    }

    private static long file(TarReader reader, PackWriter writer, byte[] buffer) throws IOException {
        long bytes = 0;
        for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
            for (int from = 0; from < n; ) {
                int some = Math.min(n - from, Pieces.BYTES - writer.pieceBytes());
                writer.write(buffer, from, some);
                from += some;
                if (writer.pieceBytes() == Pieces.BYTES) {
                    end(writer);
                }
            }
            bytes += n;
        }
        if (writer.pieceBytes() > 0) {
            end(writer);
        }
        return bytes;
    }

    private static void end(PackWriter writer) throws IOException {
        writer.endPiece();
        if (writer.isFull()) {
            writer.finish();
        }
    }
}
