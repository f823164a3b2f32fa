package org.spillway.head.journal;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room for the journal's own needs: a file beside it that is given up when the disk is full, so that ends can still be
 * written while nothing new is taken. Made anew when there is room for it twice. Under the store's lock.
 */
final class Ballast {
    /** The file's name in the state directory. */
    static final String NAME = "ballast";
    /** Some ten thousand ends of jobs. */
    private static final int BYTES = 16 << 20;

    private static final int CHUNK_BYTES = 1 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(Ballast.class);

    private final Path file;
    private final boolean isKept;
    private volatile boolean givenUp;

    private Ballast(Path file, boolean isKept) {
        this.file = file;
        this.isKept = isKept;
    }

    static Ballast of(Path state) {
        return new Ballast(state.resolve(NAME), true);
    }

    /** For a journal that is no head's. */
    static Ballast none(Path state) {
        return new Ballast(state.resolve(NAME), false);
    }

    /** Whether it is not there any more because the disk was full. */
    boolean isGivenUp() {
        return givenUp;
    }

    /** Makes it where it is missing and there is room for it twice. A disk without room is not a failure. */
    void keep() {
        if (!isKept || Files.exists(file)) {
            return;
        }
        try {
            if (Files.getFileStore(file.getParent()).getUsableSpace() >= 2L * BYTES) {
                write();
                if (givenUp) {
                    LOG.info("there is room on the disk of {} again: new jobs are taken", file.getParent());
                    givenUp = false;
                }
            }
        } catch (IOException none) {
            LOG.warn("no room is reserved for the journal: {}: {}", file, none.getMessage());
            delete();
        }
    }

    /** Bytes that no file system packs: zeros may take no room. */
    private void write() throws IOException {
        byte[] chunk = new byte[CHUNK_BYTES];
        new Random(1).nextBytes(chunk);
        try (FileChannel channel = FileChannel.open(file, Set.of(CREATE_NEW, WRITE))) {
            for (int written = 0; written < BYTES; written += CHUNK_BYTES) {
                ByteBuffer bytes = ByteBuffer.wrap(chunk);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
        }
    }

    /** @return whether there is room now that was not there before */
    boolean giveUp() {
        if (!isKept || !Files.exists(file) || !delete()) {
            return false;
        }
        givenUp = true;
        LOG.error(
                "the disk of {} is full: room reserved for the journal is used, and new jobs are refused until there is"
                        + " more; make room there",
                file.getParent());
        return true;
    }

    private boolean delete() {
        try {
            return Files.deleteIfExists(file);
        } catch (IOException stays) {
            return false;
        }
    }
}
