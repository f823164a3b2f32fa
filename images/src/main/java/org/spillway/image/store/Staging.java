package org.spillway.image.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.spillway.image.posix.FileFacts;
import org.spillway.image.posix.Posix;

/** Contents that a build has read and the store does not have yet. Nothing of it is in its place before all of it is on the disk. */
final class Staging implements Contents, AutoCloseable {
    private final Posix posix;
    private final Blobs blobs;
    private final KnownContents known;
    private final Path folder;
    private final Map<String, Path> files = new LinkedHashMap<>();
    private long count;

    Staging(Posix posix, Blobs blobs, KnownContents known, Path temporary) throws IOException {
        this.posix = posix;
        this.blobs = blobs;
        this.known = known;
        this.folder = Files.createTempDirectory(temporary, "staging-");
    }

    @Override
    public String sha256(String file, FileFacts facts) throws IOException {
        String remembered = known.of(facts);
        if (!remembered.isEmpty() && (facts.size() == 0 || files.containsKey(remembered) || blobs.has(remembered))) {
            known.add(facts, remembered);
            return remembered;
        }
        String sha256 = facts.size() == 0 ? SparseCopy.digest(posix, file) : stage(file);
        known.add(facts, sha256);
        return sha256;
    }

    private String stage(String file) throws IOException {
        Path copy = folder.resolve("f" + count++);
        String name = Posix.raw(copy);
        int descriptor = posix.create(name);
        String sha256;
        try {
            sha256 = SparseCopy.copy(posix, file, descriptor, name);
            posix.mode(name, 0400);
        } finally {
            posix.close(descriptor);
        }
        if (blobs.has(sha256) || files.putIfAbsent(sha256, copy) != null) {
            Files.delete(copy);
        }
        return sha256;
    }

    /** Puts all in its place. May be repeated by another build after a crash. */
    void keep(Watch watch) throws IOException {
        if (files.isEmpty()) {
            return;
        }
        watch.at(Watch.Phase.SYNCING, 0, 0);
        posix.sync(Posix.raw(folder));
        long done = 0;
        for (var file : files.entrySet()) {
            blobs.keep(file.getKey(), file.getValue());
            watch.at(Watch.Phase.KEEPING, ++done, files.size());
        }
        posix.sync(Posix.raw(folder));
    }

    @Override
    public void close() throws IOException {
        Durable.delete(folder);
    }
}
