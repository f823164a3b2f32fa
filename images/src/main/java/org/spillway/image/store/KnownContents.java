package org.spillway.image.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.image.posix.FileFacts;

/**
 * Digests of files of one tree as it was last read, so that a file that has not changed is not read again. It only saves
 * time: without it, or with half of it, everything is read.
 */
final class KnownContents {
    private static final String HEAD = "spillway-known-1";
    /** A file may change once more within the tick of its clock without its times saying so. */
    private static final Duration SETTLED = Duration.ofSeconds(3);

    private final Path file;
    private final long settledNanos;
    private final Map<String, String> before = new HashMap<>();
    private final Map<String, String> now = new TreeMap<>();

    private KnownContents(Path file, Instant begun) {
        this.file = file;
        this.settledNanos = begun.minus(SETTLED).getEpochSecond() * 1_000_000_000L;
    }

    /** @param begun when the reading of the tree begins */
    static KnownContents read(Path file, Instant begun) throws IOException {
        var known = new KnownContents(file, begun);
        try {
            var lines =
                    Files.readString(file, StandardCharsets.ISO_8859_1).lines().toList();
            // A file whose end is missing, or of another release, is as good as none.
            if (lines.size() > 1
                    && lines.getFirst().equals(HEAD)
                    && lines.getLast().equals("end")) {
                for (String line : lines.subList(1, lines.size() - 1)) {
                    int space = line.indexOf(' ');
                    if (line.substring(space + 1).matches("[0-9a-f]{64}")) {
                        known.before.put(line.substring(0, Math.max(0, space)), line.substring(space + 1));
                    }
                }
            }
        } catch (NoSuchFileException first) {
            return known;
        }
        return known;
    }

    private static String key(FileFacts facts) {
        return facts.place().device() + ":" + facts.place().inode() + ":" + facts.size() + ":"
                + facts.times().modified() + ":" + facts.times().changed();
    }

    /** Empty when nobody knows. */
    String of(FileFacts facts) {
        return before.getOrDefault(key(facts), "");
    }

    void add(FileFacts facts, String sha256) {
        if (facts.times().changed() < settledNanos) {
            now.put(key(facts), sha256);
        }
    }

    void write(Path temporary) throws IOException {
        if (now.equals(before)) {
            return;
        }
        var text = new StringBuilder(HEAD).append('\n');
        now.forEach((key, sha256) -> text.append(key).append(' ').append(sha256).append('\n'));
        Durable.write(file, text.append("end\n").toString().getBytes(StandardCharsets.ISO_8859_1), temporary);
    }
}
