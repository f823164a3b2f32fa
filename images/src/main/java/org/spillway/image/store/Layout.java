package org.spillway.image.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Places in a store's folder. */
record Layout(Path folder) {
    Path temporary() {
        return folder.resolve("tmp");
    }

    /** Versions that rollouts want. */
    Path held() {
        return folder.resolve("held");
    }

    Path manifest(String digest) {
        return folder.resolve("manifests").resolve(digest);
    }

    Path versions(String name) {
        return folder.resolve("versions").resolve(name);
    }

    Path tags(String name) {
        return folder.resolve("tags").resolve(name);
    }

    /** Digests of a tree's files as it was last read. */
    Path known(String tree) {
        return folder.resolve("known").resolve(tree);
    }

    /** File systems of versions, beside each its facts. */
    Path roots() {
        return folder.resolve("roots");
    }

    Path lock() {
        return folder.resolve("lock");
    }

    /** Makes what is not there; what lies below is for its owner only, for it may hold anybody's secrets. */
    void make() throws IOException {
        var own = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Files.createDirectories(folder, own);
        for (String part : new String[] {"tmp", "blobs", "manifests", "versions", "tags", "known", "roots"}) {
            Files.createDirectories(folder.resolve(part), own);
        }
        try {
            Files.createFile(lock());
        } catch (FileAlreadyExistsException there) {
            // A store is made once, and used often.
        }
    }
}
