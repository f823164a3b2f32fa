package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Versions of policies that passed, by digest, in a folder of mode 700: so that the last good one decides after a restart,
 * and a decision can be made again by what made it. The oldest go when there are too many.
 */
final class PolicyArchive {
    static final int MOST_FILES = 200;
    static final long MOST_BYTES = 256L << 20;
    private static final String DIGEST = "[0-9a-f]{64}";

    private final Path folder;
    private final int mostFiles;

    PolicyArchive(Path folder) {
        this(folder, MOST_FILES);
    }

    /** @param mostFiles that are kept */
    PolicyArchive(Path folder, int mostFiles) {
        this.folder = folder;
        this.mostFiles = mostFiles;
    }

    /** @param file name that the policy was dropped under: a source's class is called like it */
    record Version(String file, String digest, byte[] content) {}

    /**
     * Keeps it; one that is kept already counts as new.
     *
     * @param inUse digests that stay, however old they are
     */
    void keep(Version version, Set<String> inUse, Instant now) throws IOException {
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path there = folder.resolve(version.digest() + "-" + version.file());
        if (!Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
            Path next = folder.resolve("next");
            Files.deleteIfExists(next);
            Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(next, version.content());
            Files.move(next, there, StandardCopyOption.ATOMIC_MOVE);
        }
        Files.setLastModifiedTime(there, FileTime.from(now));
        forget(version.digest(), inUse);
    }

    private void forget(String newest, Set<String> inUse) throws IOException {
        List<Path> oldestFirst = new ArrayList<>(files());
        oldestFirst.sort(Comparator.comparing(PolicyArchive::modified));
        long bytes = 0;
        for (Path file : oldestFirst) {
            bytes += Files.size(file);
        }
        int left = oldestFirst.size();
        for (Path file : oldestFirst) {
            String digest = digestOf(file);
            if (left <= mostFiles && bytes <= MOST_BYTES) {
                return;
            }
            if (!digest.equals(newest) && !inUse.contains(digest)) {
                bytes -= Files.size(file);
                left--;
                Files.delete(file);
            }
        }
    }

    private static FileTime modified(Path file) {
        try {
            return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException gone) {
            return FileTime.fromMillis(0);
        }
    }

    private List<Path> files() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> nameOf(file).matches(DIGEST + "-.*")).toList();
        }
    }

    private static String nameOf(Path file) {
        return String.valueOf(file.getFileName());
    }

    private static String digestOf(Path file) {
        return nameOf(file).substring(0, 64);
    }

    /**
     * Empty when it is not kept, or not any more.
     *
     * @throws IOException if it cannot be read, or is another than it was
     */
    Optional<Version> find(String digest) throws IOException {
        if (!digest.matches(DIGEST)) {
            return Optional.empty();
        }
        for (Path file : files()) {
            if (digestOf(file).equals(digest)) {
                return Optional.of(read(file, digest));
            }
        }
        return Optional.empty();
    }

    private static Version read(Path file, String digest) throws IOException {
        String name = nameOf(file).substring(65);
        try {
            byte[] content = PolicyFiles.content(file);
            if (!PolicyFiles.digest(content).equals(digest)) {
                throw new IOException(file + " was changed since it was kept");
            }
            return new Version(name, digest, content);
        } catch (NotTaken tooLarge) {
            throw new IOException(file + " was changed since it was kept", tooLarge);
        }
    }
}
