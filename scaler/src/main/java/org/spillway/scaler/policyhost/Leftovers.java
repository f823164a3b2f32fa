package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.time.Instant;
import java.util.Optional;

/** Folders of children: whose they are, how they are removed, and what a killed head left of them. */
final class Leftovers {
    static final String PREFIX = "spillway-policies-";
    private static final String OWNER = "owner";
    private static final int MOST_OWNER_BYTES = 100;
    private static final int MOST_DEPTH = 64;
    /** The kernel counts from its start in hundredths of a second, and that moves when the clock is set. */
    private static final long SAME_MILLIS = 2000;

    private Leftovers() {}

    /** Writes down that this process owns it. */
    static void own(Path folder) throws IOException {
        ProcessHandle self = ProcessHandle.current();
        Files.writeString(
                folder.resolve(OWNER), self.pid() + " " + started(self) + " " + numbering(), StandardCharsets.US_ASCII);
    }

    /** Which processes are numbered with this one: a container's have numbers of their own, and may share the folder. */
    static String numbering() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        } catch (IOException | UnsupportedOperationException unknown) {
            return "";
        }
    }

    private static long started(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /**
     * Removes folders of this user's whose process is gone. One that says of nobody that he owns it stays: it may be in the
     * middle of being made.
     *
     * @return how many
     */
    static int sweep(Path temporary, int uid) {
        int swept = 0;
        try (DirectoryStream<Path> found = Files.newDirectoryStream(temporary, PREFIX + "*")) {
            for (Path folder : found) {
                if (isAbandoned(folder, uid)) {
                    delete(folder);
                    swept++;
                }
            }
        } catch (IOException unreadable) {
            // The next head tries again.
        }
        return swept;
    }

    private static boolean isAbandoned(Path folder, int uid) throws IOException {
        try {
            return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    && (Integer) Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS) == uid
                    && owner(folder).filter(Leftovers::isGone).isPresent();
        } catch (NoSuchFileException gone) {
            return false;
        }
    }

    private record Owner(long pid, long started, String numbering) {}

    private static Optional<Owner> owner(Path folder) throws IOException {
        Path file = folder.resolve(OWNER);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > MOST_OWNER_BYTES) {
            return Optional.empty();
        }
        String[] words = Files.readString(file, StandardCharsets.US_ASCII).split(" ", -1);
        try {
            return words.length == 3
                    ? Optional.of(new Owner(Long.parseLong(words[0]), Long.parseLong(words[1]), words[2]))
                    : Optional.empty();
        } catch (NumberFormatException halfWritten) {
            return Optional.empty();
        }
    }

    /** The owner's number may be another process's by now. */
    private static boolean isGone(Owner owner) {
        return owner.numbering().equals(numbering())
                && ProcessHandle.of(owner.pid())
                        .filter(process -> Math.abs(started(process) - owner.started()) <= SAME_MILLIS)
                        .isEmpty();
    }

    /**
     * Removes a folder and what is in it. That may have been made by a plugin, and something of a plugin may still run:
     * each folder is held open while its content goes, so that no link leads elsewhere.
     */
    static void delete(Path folder) throws IOException {
        Path parent = folder.toAbsolutePath().getParent();
        Path name = folder.getFileName();
        if (parent == null || name == null || !Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (DirectoryStream<Path> held = Files.newDirectoryStream(parent, entry -> false)) {
            if (!(held instanceof SecureDirectoryStream<Path> secure)) {
                throw new IOException(parent + " is of a kind of file system that folders are not removed from safely");
            }
            delete(secure, name, 0);
        }
    }

    private static void delete(SecureDirectoryStream<Path> in, Path name, int depth) throws IOException {
        if (depth > MOST_DEPTH) {
            throw new IOException("it has folders in folders, more than " + MOST_DEPTH);
        }
        try (SecureDirectoryStream<Path> inner = in.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            for (Path entry : inner) {
                Path child = entry.getFileName();
                if (inner.getFileAttributeView(child, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                        .readAttributes()
                        .isDirectory()) {
                    delete(inner, child, depth + 1);
                } else {
                    inner.deleteFile(child);
                }
            }
        }
        in.deleteDirectory(name);
    }
}
