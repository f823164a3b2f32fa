package org.spillway.stage.worker;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.worker.UserFiles.Rule;

/**
 * The members of one bundle that are in their places, kept in a hidden file beside it. A repetition leaves them alone:
 * their user may have changed, moved or removed them since. Best effort: where it cannot be kept, a repetition still
 * leaves files alone that have the same bytes.
 */
final class Marks {
    private static final long BYTES_MAX = 64L << 20;

    private final Path file;
    private final String heading;
    private final BitSet placed = new BitSet();
    private final StringBuilder fresh = new StringBuilder();
    private boolean known;

    /** @param checksum of the bundle, which with its rules says where members go: other marks are not believed */
    Marks(Path file, Checksum checksum, List<Rule> rules) {
        this.file = file;
        this.heading = checksum.sha256() + " "
                + HexFormat.of().formatHex(Sha256.digest().digest(text(rules)));
        try {
            read();
        } catch (IOException | NumberFormatException unreadable) {
            placed.clear();
            known = false;
        }
    }

    private static byte[] text(List<Rule> rules) {
        return rules.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void read() throws IOException {
        if (!Files.isRegularFile(file, NOFOLLOW_LINKS) || Files.size(file) > BYTES_MAX) {
            return;
        }
        String text = Files.readString(file, StandardCharsets.US_ASCII);
        // A last line without its end was cut off with its writer.
        List<String> lines =
                text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        if (lines.isEmpty() || !lines.getFirst().equals(heading)) {
            return;
        }
        known = true;
        for (String line : lines.subList(1, lines.size())) {
            placed.set(Integer.parseUnsignedInt(line));
        }
    }

    boolean isPlaced(int member) {
        return placed.get(member);
    }

    void placed(int member) {
        placed.set(member);
        fresh.append(member).append('\n');
    }

    /** Writes down what was placed since the last call. */
    void keep() {
        if (fresh.isEmpty()) {
            return;
        }
        try {
            if (!known) {
                Files.deleteIfExists(file);
                fresh.insert(0, heading + "\n");
            }
            try (FileChannel channel = FileChannel.open(
                    file,
                    known
                            ? Set.of(StandardOpenOption.APPEND, NOFOLLOW_LINKS)
                            : Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                ByteBuffer bytes = ByteBuffer.wrap(fresh.toString().getBytes(StandardCharsets.US_ASCII));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
            known = true;
        } catch (IOException full) {
            // The bundle's disk has no room for it: the next repetition compares bytes.
            known = false;
        }
        fresh.setLength(0);
    }
}
