package org.spillway.head.staging;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.Digest;

/**
 * Digests of one user's files, by device, inode, size and both times: a file that nobody has touched need not be read
 * again. A book that is lost or damaged is empty, and costs nothing but time. One thread's.
 */
final class DigestBook {
    private static final Logger LOG = LoggerFactory.getLogger(DigestBook.class);
    private static final long MAGIC = 0x53505744_49474553L;
    /** More pieces than this are not remembered: only those of the latest input are, then. */
    private static final int PIECES_MOST = 1_000_000;
    /**
     * A file that was changed so shortly before it was looked at may be changed once more without another time: some file
     * systems count by the second, and some by the clock of another machine.
     */
    private static final Duration SETTLED = Duration.ofSeconds(2);
    /** The same where they count by the tick of this machine's clock: ten milliseconds at most, and as much again many times. */
    private static final Duration SETTLED_FINE = Duration.ofMillis(100);

    private final Path file;
    private final Map<Key, List<Digest>> known = new HashMap<>();
    private final Map<Key, List<Digest>> used = new HashMap<>();
    private boolean changed;

    /** Half of a SHA-256: a user who finds two files with one key has fooled nobody else. */
    private record Key(long a, long b) {
        static Key of(Source source) {
            String text = source.stamp().file() + "\0" + source.stamp().changedNanos() + "\0"
                    + source.file().bytes() + "\0" + source.file().modifiedNanos();
            Digest digest = Digest.of(Sha256.digest().digest(text.getBytes(StandardCharsets.UTF_8)));
            return new Key(digest.a(), digest.b());
        }
    }

    private DigestBook(Path file) {
        this.file = file;
    }

    static DigestBook read(Path file) {
        DigestBook book = new DigestBook(file);
        try {
            byte[] bytes = Files.readAllBytes(file);
            int end = bytes.length - Digest.BYTES;
            ByteBuffer in = ByteBuffer.wrap(bytes);
            if (end >= Long.BYTES
                    && in.getLong() == MAGIC
                    && Arrays.equals(
                            Sha256.digest().digest(Arrays.copyOf(bytes, end)),
                            Arrays.copyOfRange(bytes, end, bytes.length))) {
                while (in.position() < end) {
                    Key key = new Key(in.getLong(), in.getLong());
                    List<Digest> digests = new ArrayList<>();
                    for (int left = in.getInt(); left > 0; left--) {
                        digests.add(Digest.from(in));
                    }
                    book.known.put(key, List.copyOf(digests));
                }
            }
        } catch (NoSuchFileException none) {
            book.changed = true;
        } catch (IOException e) {
            LOG.warn("the digests of earlier inputs are not known: {}", e.toString());
        }
        return book;
    }

    /** Digests of its pieces; null when they are not known. */
    @Nullable
    List<Digest> of(Source source) {
        Key key = Key.of(source);
        List<Digest> digests = known.get(key);
        if (digests != null) {
            used.put(key, digests);
        }
        return digests;
    }

    /** @param found when the file was looked at, before it was read */
    void put(Source source, List<Digest> digests, Instant found) {
        Instant settled = found.minus(source.stamp().fine() ? SETTLED_FINE : SETTLED);
        if (source.stamp().changedNanos() < TimeUnit.SECONDS.toNanos(settled.getEpochSecond()) + settled.getNano()) {
            used.put(Key.of(source), List.copyOf(digests));
            changed |= !digests.equals(known.get(Key.of(source)));
        }
    }

    /** Writes it at once or not at all. A failure is only told. */
    void write() {
        if (!changed) {
            return;
        }
        known.putAll(used);
        Map<Key, List<Digest>> all = pieces(known) > PIECES_MOST ? used : known;
        ByteBuffer out = ByteBuffer.allocate(Long.BYTES
                + all.size() * (2 * Long.BYTES + Integer.BYTES)
                + (int) pieces(all) * Digest.BYTES
                + Digest.BYTES);
        out.putLong(MAGIC);
        all.forEach((key, digests) -> {
            out.putLong(key.a).putLong(key.b).putInt(digests.size());
            digests.forEach(digest -> digest.to(out));
        });
        out.put(Sha256.digest().digest(Arrays.copyOf(out.array(), out.position())));
        try {
            Path folder = file.toAbsolutePath().getParent();
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Path draft = Files.createTempFile(folder, "digests", ".new");
            Files.write(draft, out.array());
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            LOG.warn("the digests of an input are not kept: {}", e.toString());
        }
    }

    private static long pieces(Map<Key, List<Digest>> all) {
        return all.values().stream().mapToLong(List::size).sum();
    }
}
