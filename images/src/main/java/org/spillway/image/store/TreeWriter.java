package org.spillway.image.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.spillway.image.ImageRefused;
import org.spillway.image.posix.Posix;
import org.spillway.image.tree.Entry;
import org.spillway.image.tree.Entry.Kind;
import org.spillway.image.tree.Manifest;
import org.spillway.image.tree.RawName;

/** Writes the tree of a manifest, with all that is part of it. */
final class TreeWriter {
    private final Posix posix;
    private final Blobs blobs;
    private final Watch watch;
    private final String root;

    private TreeWriter(Posix posix, Blobs blobs, Watch watch, String root) {
        this.posix = posix;
        this.blobs = blobs;
        this.watch = watch;
        this.root = root;
    }

    /**
     * Writes it beside its place, and renames it when all of it is on the disk.
     *
     * @param to absent, or an empty folder
     * @throws ImageRefused if something is there, or a content in the store is not what it was
     */
    static void write(Posix posix, Manifest tree, Blobs blobs, Path to, Watch watch) throws IOException {
        Path target = to.toAbsolutePath().normalize();
        Path parent = target.getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw new ImageRefused("there is no folder " + parent + " to write " + to + " into");
        }
        if (Files.exists(target) && !isEmptyFolder(target)) {
            throw new ImageRefused(to + " is there and is no empty folder");
        }
        Path growing = parent.resolve("." + target.getFileName() + ".partial-"
                + ProcessHandle.current().pid());
        Durable.delete(growing);
        try {
            new TreeWriter(posix, blobs, watch, Posix.raw(growing)).writeAll(tree);
            posix.sync(Posix.raw(growing));
            Files.move(growing, target, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
            Durable.syncFolder(parent);
        } finally {
            Durable.delete(growing);
        }
    }

    private static boolean isEmptyFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (DirectoryStream<Path> inside = Files.newDirectoryStream(folder)) {
            return !inside.iterator().hasNext();
        }
    }

    private String absolute(String path) {
        return path.isEmpty() ? root : root + "/" + path;
    }

    private void writeAll(Manifest tree) throws IOException {
        long all = tree.bytes();
        long done = 0;
        for (Entry entry : tree.entries()) {
            make(entry);
            if (entry.kind() != Kind.FOLDER && entry.kind() != Kind.HARD_LINK) {
                dress(entry);
            }
            done += entry.size();
            watch.at(Watch.Phase.WRITING, done, all);
        }
        // Folders last: what is made in one would have its default access list, and give it a new time.
        for (Entry entry : tree.entries().reversed()) {
            if (entry.kind() == Kind.FOLDER) {
                dress(entry);
            }
        }
    }

    private void make(Entry entry) throws IOException {
        String file = absolute(entry.path());
        switch (entry.kind()) {
            case FOLDER -> {
                posix.folder(file);
                if (entry.path().isEmpty()) {
                    forgetInherited(file);
                }
            }
            case FILE -> content(entry, file);
            case SYMLINK -> posix.symbolicLink(entry.content(), file);
            case HARD_LINK -> posix.hardLink(absolute(entry.content()), file);
            case CHARACTER -> device(entry, file, Posix.CHARACTER);
            case BLOCK -> device(entry, file, Posix.BLOCK);
            case PIPE -> posix.special(file, Posix.PIPE, 0, 0);
            case SOCKET -> posix.special(file, Posix.SOCKET, 0, 0);
        }
    }

    /** The folder around may have given the root its default access list, which all in it would get. */
    private void forgetInherited(String file) throws IOException {
        for (String name : posix.attributes(file)) {
            if (name.startsWith("system.posix_acl_")) {
                posix.removeAttribute(file, name);
            }
        }
    }

    private void device(Entry entry, String file, int type) throws IOException {
        List<Long> numbers = List.of(entry.content().split(":", 2)).stream()
                .map(Long::valueOf)
                .toList();
        posix.special(file, type, numbers.getFirst(), numbers.getLast());
    }

    private void content(Entry entry, String file) throws IOException {
        int descriptor = posix.create(file);
        try {
            if (entry.size() > 0) {
                blobs.copy(posix, entry.content(), descriptor, file, RawName.shown(entry.path()));
            }
        } finally {
            posix.close(descriptor);
        }
    }

    /** A new owner takes setuid bits and capabilities away, so it comes first. */
    private void dress(Entry entry) throws IOException {
        String file = absolute(entry.path());
        posix.owner(file, entry.uid(), entry.gid());
        if (entry.kind() != Kind.SYMLINK) {
            posix.mode(file, entry.mode());
        }
        for (var attribute : entry.attributes().entrySet()) {
            posix.setAttribute(file, attribute.getKey(), attribute.getValue());
        }
        posix.timeless(file);
    }
}
