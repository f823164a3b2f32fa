package org.spillway.stage.pull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;
import org.spillway.stage.store.Digest;

/**
 * Files that one user has pulled into a region, whole or in part, by a digest of where they lie: a line is added when
 * their pieces are there. A book that is lost or damaged costs nothing but bytes: each piece is looked for, and read,
 * before anybody gets it. May be used by several threads.
 */
public final class PullBook {
    private static final int ENTRIES_MOST = 1_000_000;

    private final Path file;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private int lines;
    private boolean torn;

    /**
     * A file as it was.
     *
     * @param total its bytes; -1 when nobody knows
     * @param validator of {@link Judgement}; empty when it cannot be known again
     * @param pieces its first ones
     */
    record Entry(long total, long modifiedSeconds, String validator, boolean whole, List<Digest> pieces) {
        Entry {
            pieces = List.copyOf(pieces);
        }
    }

    private PullBook(Path file) {
        this.file = file;
    }

    public static PullBook open(Path file) throws IOException {
        PullBook book = new PullBook(file);
        try (var all = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            all.forEach(book::read);
        } catch (NoSuchFileException none) {
            return book;
        }
        try (var bytes = Files.newByteChannel(file, StandardOpenOption.READ)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            book.torn = bytes.size() > 0 && bytes.position(bytes.size() - 1).read(last) == 1 && last.get(0) != '\n';
        }
        if (book.lines > 2 * book.entries.size() + 1000 || book.entries.size() > ENTRIES_MOST) {
            book.rewrite();
        }
        return book;
    }

    private void read(String line) {
        lines++;
        String[] words = line.split(" ", -1);
        if (words.length != 8 || !words[7].equals(sum(line.substring(0, line.lastIndexOf(' '))))) {
            return; // torn by a kill, or by the disk
        }
        List<Digest> pieces = new ArrayList<>();
        ByteBuffer digests = ByteBuffer.wrap(Base64.getDecoder().decode(words[6]));
        while (digests.hasRemaining()) {
            pieces.add(Digest.from(digests));
        }
        String validator = new String(Base64.getDecoder().decode(words[3]), StandardCharsets.ISO_8859_1);
        take(
                words[0],
                Integer.parseInt(words[5]),
                new Entry(Long.parseLong(words[1]), Long.parseLong(words[2]), validator, words[4].equals("w"), pieces));
    }

    private void take(String key, int from, Entry more) {
        Entry known = entries.remove(key);
        if (from == 0) {
            entries.put(key, more);
        } else if (known != null
                && known.validator.equals(more.validator)
                && known.total == more.total
                && known.pieces.size() == from) {
            List<Digest> all = new ArrayList<>(known.pieces);
            all.addAll(more.pieces);
            entries.put(key, new Entry(more.total, more.modifiedSeconds, more.validator, more.whole, all));
        }
    }

    synchronized Optional<Entry> of(String key) {
        return Optional.ofNullable(entries.get(key));
    }

    /**
     * Adds pieces to what is known of a file.
     *
     * @param key a word
     * @param from how many of the file's pieces are known; 0 to begin anew
     */
    synchronized void put(String key, int from, Entry more) throws IOException {
        take(key, from, more);
        lines++;
        Files.writeString(
                file,
                (torn ? "\n" : "") + line(key, from, more),
                StandardCharsets.ISO_8859_1,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        torn = false;
    }

    private static String line(String key, int from, Entry entry) {
        ByteBuffer digests = ByteBuffer.allocate(entry.pieces.size() * Digest.BYTES);
        entry.pieces.forEach(piece -> piece.to(digests));
        Base64.Encoder base64 = Base64.getEncoder();
        String text = key + " " + entry.total + " " + entry.modifiedSeconds + " "
                + base64.encodeToString(entry.validator.getBytes(StandardCharsets.ISO_8859_1))
                + (entry.whole ? " w " : " p ") + from + " " + base64.encodeToString(digests.array());
        return text + " " + sum(text) + "\n";
    }

    private static String sum(String text) {
        CRC32 sum = new CRC32();
        sum.update(text.getBytes(StandardCharsets.ISO_8859_1));
        return Long.toHexString(sum.getValue());
    }

    /** The oldest go when they are too many. */
    private void rewrite() throws IOException {
        int drop = Math.max(0, entries.size() - ENTRIES_MOST);
        entries.keySet().removeAll(entries.keySet().stream().limit(drop).toList());
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        try (var out = Files.newBufferedWriter(draft, StandardCharsets.ISO_8859_1)) {
            for (Map.Entry<String, Entry> one : entries.entrySet()) {
                out.write(line(one.getKey(), 0, one.getValue()));
            }
        }
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        lines = entries.size();
        torn = false;
    }
}
