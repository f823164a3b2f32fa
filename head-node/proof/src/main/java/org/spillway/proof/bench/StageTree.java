package org.spillway.proof.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Input of {@code bench stage}: files of noise, which no compression makes smaller, 43 KB each on average and a hundred
 * in a folder, or one large file. The same seed gives the same bytes.
 *
 * @param folder in which they lie
 */
record StageTree(Path folder, int files) {
    /** A file of the tree in which the seeds' own case was measured: 864 MB in 20,000 files. */
    static final int MEAN_BYTES = 43_200;

    private static final int IN_A_FOLDER = 100;
    private static final int CHANGED_EACH = 100;

    /** Makes all of them anew. @return how many bytes they have */
    long write(long seed) throws IOException {
        long bytes = 0;
        for (int i = 0; i < files; i++) {
            bytes += write(i, seed);
        }
        return bytes;
    }

    /** Gives one file in a hundred, at least one, other bytes of the same length. @return how many bytes these have */
    long change(long seed) throws IOException {
        long bytes = 0;
        for (int i = 0; i < files; i += CHANGED_EACH) {
            bytes += write(i, seed + 1_000_003);
        }
        return bytes;
    }

    Path file(int i) {
        return folder.resolve("d%04d/f%06d".formatted(i / IN_A_FOLDER, i));
    }

    /** The folders of the tree in so many parts, about as large as each other. */
    List<List<Path>> parts(int count) throws IOException {
        List<List<Path>> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(new ArrayList<>());
        }
        try (Stream<Path> folders = Files.list(folder)) {
            int next = 0;
            for (Path one : folders.sorted().toList()) {
                parts.get(next++ % count).add(one);
            }
        }
        return parts;
    }

    static void writeLarge(Path file, long bytes, long seed) throws IOException {
        Files.createDirectories(file.getParent());
        byte[] noise = new byte[1 << 20];
        var random = new SplittableRandom(seed);
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long left = bytes; left > 0; left -= noise.length) {
                random.nextBytes(noise);
                out.write(noise, 0, (int) Math.min(left, noise.length));
            }
        }
    }

    private int write(int i, long seed) throws IOException {
        byte[] noise = new byte[MEAN_BYTES / 2 + (int) (i * 7919L % MEAN_BYTES)];
        new SplittableRandom(seed * 1_000_000_007L + i).nextBytes(noise);
        Path file = file(i);
        if (i % IN_A_FOLDER == 0) {
            Files.createDirectories(file.getParent());
        }
        Files.write(file, noise);
        return noise.length;
    }

    /** Whether two trees hold the same files with the same bytes. */
    static boolean areSame(Path one, Path other) throws IOException {
        try (var ours = Files.walk(one);
                var counted = Files.walk(one);
                var theirs = Files.walk(other)) {
            return theirs.filter(Files::isRegularFile).count()
                            == counted.filter(Files::isRegularFile).count()
                    && ours.filter(Files::isRegularFile).allMatch(file -> {
                        try {
                            Path copy = other.resolve(one.relativize(file));
                            return Files.isRegularFile(copy) && Files.mismatch(file, copy) < 0;
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (var all = Files.walk(folder)) {
            for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
