package org.spillway.stage.worker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import org.spillway.stage.Checksum;

/**
 * Files with one user's rights. Every call is done by a process that has that user's uid, gid and groups, so the
 * kernel judges it; nothing is checked here first and done later by someone else. Paths are absolute.
 */
public interface UserFiles extends AutoCloseable {
    /** @throws FileRefused if it is not a regular file that the user may read */
    FileFacts stat(Path file) throws IOException;

    /** Copies a file's bytes from {@code offset} on. @return the checksum of the <em>whole</em> file as it was read */
    Checksum read(Path file, long offset, OutputStream sink) throws IOException;

    /** Bytes already written of the hidden part file {@code .NAME.spillway-TAG.part} beside {@code target}; 0 if none. */
    long partBytes(Path target, String tag) throws IOException;

    /**
     * Writes to the part file from {@code offset} on, which is at most {@link #partBytes}; what lay behind is dropped.
     * Creates it with mode 600, never through a symbolic link, and the folders above it where they are missing.
     *
     * @throws IOException on a full disk or when {@code bytes} fails; a prefix stays, to go on from or to {@link #abandon}
     */
    void writePart(Path target, String tag, long offset, InputStream bytes) throws IOException;

    /**
     * Verifies the part file and syncs it and its folder: from here on it survives a loss of power. Nothing is visible.
     *
     * @throws org.spillway.stage.transfer.ChecksumMismatch if it is something else; it is removed then
     */
    void settle(Path target, String tag, Checksum checksum) throws IOException;

    /**
     * Verifies the part file, syncs it and renames it onto {@code target}, then syncs the folder. When the part file is
     * gone and the target has this checksum, it was done before, and that is success. An existing target's mode is kept,
     * a new one gets 644; a target that is a symbolic link is replaced itself.
     *
     * @throws org.spillway.stage.transfer.ChecksumMismatch if the part file is something else; it is removed then
     */
    void publish(Path target, String tag, Checksum checksum) throws IOException;

    /** Removes the part file, for an output that will not be published; absent is success. */
    void abandon(Path target, String tag) throws IOException;

    /** Ends the process that does the work. A later call starts it anew. */
    @Override
    void close();

    /** @param modifiedNanos modification time in nanoseconds since 1970, to notice a change during a copy */
    record FileFacts(long bytes, long modifiedNanos) {}

    record Found(String path, String realPath, long bytes, long modifiedNanos, boolean executable) {}

    record Limits(int files, long bytes) {}

    record Packed(String path, String name, long bytes, long modifiedNanos, boolean executable) {}

    record Rule(String pattern, Path destination, boolean tree) {}

    record Unpacked(List<Taken> rules, long skipped) {}

    record Taken(int files, long bytes) {}

    default List<Found> find(String absolutePattern, Limits limits) throws IOException {
        throw new UnsupportedOperationException();
    }

    default Checksum pack(List<Packed> files, long offset, OutputStream sink) throws IOException {
        throw new UnsupportedOperationException();
    }

    default Unpacked unpack(Path bundle, String tag, Checksum checksum, List<Rule> rules) throws IOException {
        throw new UnsupportedOperationException();
    }
}
