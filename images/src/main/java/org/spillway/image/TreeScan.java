package org.spillway.image;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;

/** A tree's entries, in an order that no file system decides. Contents are not read. */
final class TreeScan {
    /** More than the largest known software stacks have; a bound for the memory of a scan. */
    static final int ENTRIES_MAX = 5_000_000;

    enum Type {
        FOLDER,
        FILE,
        LINK
    }

    /**
     * @param path relative, with {@code /}
     * @param link what a symbolic link says, else empty
     */
    record Entry(String path, Type type, long bytes, long modifiedNanos, boolean executable, String link) {}

    private TreeScan() {}

    /** @throws ImageRefused if something in it cannot be part of an image */
    static List<Entry> of(Path tree) throws IOException {
        List<Entry> entries = new ArrayList<>();
        Files.walkFileTree(tree.toRealPath(), new Visitor(tree.toRealPath(), entries));
        entries.sort((a, b) -> Arrays.compareUnsigned(
                a.path().getBytes(StandardCharsets.UTF_8), b.path().getBytes(StandardCharsets.UTF_8)));
        return entries;
    }

    /**
     * Changes when a name, size, modification time, executable bit or link target below {@code tree} changed. Costs one
     * look at each file and reads none; only comparable on one machine.
     */
    static Checksum fingerprint(Path tree) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Entry entry : of(tree)) {
            // a folder's own size and time say nothing that its entries do not
            boolean folder = entry.type() == Type.FOLDER;
            text.append(entry.path()).append('\0').append(entry.type()).append('\0');
            text.append(folder ? 0 : entry.bytes()).append('\0').append(folder ? 0 : entry.modifiedNanos());
            text.append('\0')
                    .append(entry.executable())
                    .append('\0')
                    .append(entry.link())
                    .append('\0');
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        var digest = Sha256.digest();
        digest.update(bytes);
        return Sha256.checksum(bytes.length, digest);
    }

    private static final class Visitor extends SimpleFileVisitor<Path> {
        private final Path root;
        private final List<Entry> entries;

        Visitor(Path root, List<Entry> entries) {
            this.root = root;
            this.entries = entries;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes facts) throws IOException {
            if (!folder.equals(root)) {
                add(folder, Type.FOLDER, facts, true, "");
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes facts) throws IOException {
            if (facts.isSymbolicLink()) {
                String link = Files.readSymbolicLink(file).toString();
                checkLink(file, link);
                add(file, Type.LINK, facts, true, link);
            } else if (facts.isRegularFile()) {
                boolean executable =
                        Files.getPosixFilePermissions(file, NOFOLLOW_LINKS).contains(PosixFilePermission.OWNER_EXECUTE);
                add(file, Type.FILE, facts, executable, "");
            } else {
                throw refuse(file, "is a device, pipe or socket, which no image may have");
            }
            return FileVisitResult.CONTINUE;
        }

        private void add(Path file, Type type, BasicFileAttributes facts, boolean executable, String link)
                throws ImageRefused {
            String path = root.relativize(file).toString();
            if (path.indexOf('\uFFFD') >= 0) {
                throw refuse(file, "has a name that is not UTF-8");
            }
            if (entries.size() == ENTRIES_MAX) {
                throw refuse(root, "has more than " + ENTRIES_MAX + " files");
            }
            long nanos = facts.lastModifiedTime().to(TimeUnit.NANOSECONDS);
            entries.add(new Entry(path, type, type == Type.FILE ? facts.size() : 0, nanos, executable, link));
        }

        /**
         * A link stays inside when it climbs no higher than the root and only at its start: later on, "x/.." may be
         * anywhere, as x may be a link itself.
         */
        private void checkLink(Path file, String link) throws ImageRefused {
            if (link.startsWith("/")) {
                throw refuse(file, "links to the absolute path " + link + "; make it relative");
            }
            int depth = root.relativize(file).getNameCount() - 1;
            boolean climbing = true;
            for (Path segment : Path.of(link)) {
                boolean up = segment.toString().equals("..");
                climbing &= up;
                if (up && (!climbing || --depth < 0)) {
                    throw refuse(
                            file,
                            climbing
                                    ? "links to " + link + ", which is outside of the image"
                                    : "links to " + link + ", which goes up after going down; make it direct");
                }
            }
        }

        private static ImageRefused refuse(Path file, String reason) {
            return new ImageRefused((file + " " + reason).replaceAll("\\p{Cntrl}", "?"));
        }
    }
}
