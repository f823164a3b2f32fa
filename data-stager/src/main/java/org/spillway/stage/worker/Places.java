package org.spillway.stage.worker;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.spillway.stage.worker.UserFiles.Place;
import org.spillway.stage.worker.UserFiles.Shape;
import org.spillway.stage.worker.UserFiles.Wish;

/** Destinations as the kernel judges them for this process's user, before there is anything to put there. */
final class Places {
    private static final int STICKY = 01000;

    private Places() {}

    static Place look(Wish wish) {
        Path destination = wish.destination().normalize();
        Path folder = wish.shape() == Shape.FOLDER ? destination : destination.getParent();
        if (folder == null) {
            return unknown("the root folder cannot be the place of a file: name a file below it");
        }
        Path there = existing(folder);
        String path = WorkerFiles.say(there);
        if (!Files.isDirectory(there)) {
            return unknown(
                    path
                            + (Files.exists(there)
                                    ? ": is a file, so that nothing can be put into it; name a folder"
                                    : ": is a link to nothing, or to where you may not go; mend the link or choose another place"));
        }
        try {
            FileStore store = Files.getFileStore(there);
            String problem = problem(wish.shape(), destination, folder, there, store);
            return new Place(problem, store.type() + " " + store.name(), store.getUsableSpace());
        } catch (IOException unreadable) {
            return unknown(path + ": " + WorkerFiles.describe(unreadable) + "; choose another place");
        }
    }

    private static Place unknown(String problem) {
        return new Place(problem, "", Long.MAX_VALUE);
    }

    /** The folder, or the nearest above it that there is; a link to nothing counts as there. */
    private static Path existing(Path folder) {
        Path there = folder;
        while (!Files.exists(there, NOFOLLOW_LINKS)) {
            Path above = there.getParent();
            if (above == null) {
                return there;
            }
            there = above;
        }
        return there;
    }

    private static String problem(Shape shape, Path destination, Path folder, Path there, FileStore store)
            throws IOException {
        String path = WorkerFiles.say(there);
        if (shape == Shape.FILE && Files.isDirectory(destination)) {
            return WorkerFiles.say(destination) + ": is a folder, so that no file can be put there; name a file in it";
        }
        if (!Files.isWritable(there) || !Files.isExecutable(there)) {
            return store.isReadOnly()
                    ? path + ": is on a file system that is mounted read-only (" + store.type() + " " + store.name()
                            + "); choose another place"
                    : path + ": permission denied, you may not "
                            + (there.equals(folder) ? "write there" : "make " + WorkerFiles.say(folder) + " there")
                            + "; choose another place or ask its owner";
        }
        return there.equals(folder) && shape != Shape.FOLDER ? others(destination, folder) : "";
    }

    /** In a folder such as /tmp a file of somebody else cannot be replaced. */
    private static String others(Path destination, Path folder) throws IOException {
        if (!Files.exists(destination, NOFOLLOW_LINKS)) {
            return "";
        }
        int self = Identity.ownUid();
        boolean sticky = ((int) Files.getAttribute(folder, "unix:mode") & STICKY) != 0;
        boolean own = self == 0
                || (int) Files.getAttribute(destination, "unix:uid", NOFOLLOW_LINKS) == self
                || (int) Files.getAttribute(folder, "unix:uid") == self;
        return !sticky || own
                ? ""
                : WorkerFiles.say(destination)
                        + ": belongs to somebody else, and in this folder you cannot replace it; choose another name";
    }
}
