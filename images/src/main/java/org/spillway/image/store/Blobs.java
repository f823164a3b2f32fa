package org.spillway.image.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.spillway.image.ImageRefused;
import org.spillway.image.posix.Posix;

/** Contents by their digests, each once for all versions: {@code blobs/ab/cdef...}. What is in its place is whole. */
final class Blobs {
    private final Path folder;
    private final Path rotten;

    Blobs(Path store) {
        this.folder = store.resolve("blobs");
        this.rotten = store.resolve("rotten");
    }

    Path at(String sha256) {
        return folder.resolve(sha256.substring(0, 2)).resolve(sha256.substring(2));
    }

    boolean has(String sha256) {
        return Files.isRegularFile(at(sha256));
    }

    /** Takes a file that is on the disk. Where another build has put the same one, that stays. */
    void keep(String sha256, Path whole) throws IOException {
        Path place = at(sha256);
        Files.createDirectories(place.resolveSibling("."));
        Files.move(whole, place, StandardCopyOption.ATOMIC_MOVE);
    }

    /** @param what for the message. @throws ImageRefused if it is missing or rotten; a rotten one is put aside */
    void copy(Posix posix, String sha256, int to, String toName, String what) throws IOException {
        String found;
        try {
            found = to < 0
                    ? SparseCopy.digest(posix, Posix.raw(at(sha256)))
                    : SparseCopy.copy(posix, Posix.raw(at(sha256)), to, toName);
        } catch (IOException unreadable) {
            throw has(sha256) ? unreadable : new ImageRefused("the store has lost the content of " + what);
        }
        if (!found.equals(sha256)) {
            putAside(sha256);
            throw new ImageRefused("the content of " + what + " has rotted in the store (it was put into " + rotten
                    + "); build the version again");
        }
    }

    private void putAside(String sha256) throws IOException {
        Files.createDirectories(rotten);
        try {
            Files.move(at(sha256), rotten.resolve(sha256), StandardCopyOption.REPLACE_EXISTING);
        } catch (NoSuchFileException gone) {
            // Somebody else has put it aside.
        }
    }

    /** All digests. */
    List<String> all() throws IOException {
        var all = new ArrayList<String>();
        try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder)) {
            for (Path part : parts) {
                try (DirectoryStream<Path> files = Files.newDirectoryStream(part)) {
                    files.forEach(file -> all.add(String.valueOf(part.getFileName()) + file.getFileName()));
                }
            }
        }
        return all;
    }
}
