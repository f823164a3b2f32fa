package org.spillway.stage.worker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.reach.Reply.Status;
import org.spillway.stage.worker.UserFiles.Bounds;

/**
 * Answers what a job asks for of its user's files: read-only, and below the roots only. No link is followed below a root,
 * so nothing leads out of it; links are told as links.
 */
final class ReachFiles {
    /** More of one folder do not go into an answer. */
    private static final int MOST_LISTED = 20_000;

    /** Also where a file server's clock is a little ahead. */
    private static final Duration SETTLED = Duration.ofSeconds(10);
    /**
     * Of files whose blocks are kept on a disk: who writes through a mapping changes a page's bytes without another time of change
     * until the kernel has written it back, 35 s later at most as kernels usually are.
     */
    private static final Duration LARGE_SETTLED = Duration.ofSeconds(60);

    private final Bounds bounds;
    private final List<Path> hidden;

    ReachFiles(Bounds bounds) {
        this.bounds = bounds;
        this.hidden = withTargets(bounds.hidden());
    }

    Reply answer(Question question) throws IOException {
        Path asked = Path.of(question.path());
        if (!asked.isAbsolute() || !asked.normalize().equals(asked)) {
            return Reply.of(Status.DENIED);
        }
        Optional<Path> root = bounds.roots().stream().filter(asked::startsWith).findFirst();
        try {
            if (root.isEmpty()) {
                return above(asked, question);
            }
            Path base = root.get().toRealPath();
            Path real = base.resolve(root.get().relativize(asked)).normalize();
            return isHidden(real) || isHidden(asked) ? Reply.of(Status.NONE) : at(base, real, asked, question);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Reply.of(Status.NONE);
        } catch (AccessDeniedException e) {
            return Reply.of(Status.DENIED);
        } catch (FileSystemException e) {
            return Reply.of(Status.FAILED);
        }
    }

    /** Also by the name that a link at a hidden one leads to. */
    private static List<Path> withTargets(List<Path> hidden) {
        List<Path> all = new ArrayList<>(hidden);
        for (Path each : hidden) {
            try {
                all.add(each.toRealPath());
            } catch (IOException absent) {
                // Nothing is there, or nothing that the user may see.
            }
        }
        return all;
    }

    private boolean isHidden(Path path) {
        return hidden.stream().anyMatch(path::startsWith);
    }

    /** The way to the roots. */
    private Reply above(Path asked, Question question) {
        Set<String> names = new TreeSet<>();
        for (Path root : bounds.roots()) {
            if (root.startsWith(asked)) {
                names.add(root.getName(asked.getNameCount()).toString());
            }
        }
        if (names.isEmpty()) {
            return Reply.of(Status.NONE);
        }
        return switch (question.kind()) {
            case STAT -> Reply.of(List.of(Entry.above(name(asked))));
            case LIST -> Reply.of(names.stream().map(Entry::above).toList());
            case READ, WHOLE -> Reply.of(Status.DENIED);
        };
    }

    private static String name(Path path) {
        Path name = path.getFileName();
        return name == null ? "" : name.toString();
    }

    private Reply at(Path base, Path real, Path asked, Question question) throws IOException {
        if (question.kind() == Question.Kind.READ) {
            return read(base, real, question);
        }
        if (question.kind() == Question.Kind.WHOLE) {
            return whole(base, real, asked, question);
        }
        boolean itself = question.kind() == Question.Kind.LIST || real.equals(base);
        Path folder = itself ? real : Objects.requireNonNull(real.getParent());
        if (!folder.equals(folder.toRealPath())) {
            // A link on the way: the node's kernel follows those by itself, and asks for what they lead to.
            return Reply.of(Status.NONE);
        }
        if (question.kind() == Question.Kind.STAT) {
            return entry(real).map(entry -> Reply.of(List.of(entry))).orElse(Reply.of(Status.NONE));
        }
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(real)) {
            for (Path each : all) {
                if (entries.size() == MOST_LISTED) {
                    return Reply.of(Status.FAILED);
                }
                if (!isHidden(each) && !isHidden(asked.resolve(name(each)))) {
                    entry(each).ifPresent(entries::add);
                }
            }
        }
        return Reply.of(entries);
    }

    /** Empty for a pipe, a device and the like, and for what has just gone. */
    private static Optional<Entry> entry(Path real) throws IOException {
        try {
            Map<String, Object> all = Files.readAttributes(real, "unix:*", LinkOption.NOFOLLOW_LINKS);
            FileTime modified = (FileTime) told(all, "lastModifiedTime");
            long bytes = (long) told(all, "size");
            Entry entry = new Entry(
                    name(real),
                    (int) told(all, "mode"),
                    (int) told(all, "uid"),
                    (int) told(all, "gid"),
                    bytes,
                    modified.to(TimeUnit.SECONDS),
                    identity(told(all, "fileKey"), bytes, modified, (FileTime) told(all, "ctime")),
                    Boolean.TRUE.equals(all.get("isSymbolicLink"))
                            ? Files.readSymbolicLink(real).toString()
                            : "",
                    ((FileTime) told(all, "ctime"))
                            .toInstant()
                            .isBefore(Instant.now().minus(bytes > Question.SMALL ? LARGE_SETTLED : SETTLED)));
            return entry.isFile() || entry.isFolder() || entry.isLink() ? Optional.of(entry) : Optional.empty();
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        }
    }

    private static Object told(Map<String, Object> all, String name) {
        return Objects.requireNonNull(all.get(name), name);
    }

    /** With the time that nobody can set: a file may be written to and get its old times and length again. */
    private static String identity(Object key, long bytes, FileTime modified, FileTime changed) {
        return key + " " + bytes + " " + modified.to(TimeUnit.NANOSECONDS) + " " + changed.to(TimeUnit.NANOSECONDS);
    }

    private static Reply read(Path base, Path real, Question question) throws IOException {
        Path above = Objects.requireNonNull(real.getParent());
        try (SecureDirectoryStream<Path> folder = walk(base, base.relativize(above))) {
            Path name = Objects.requireNonNull(real.getFileName());
            return read(folder, name, real, question.identity(), question.offset(), question.length())
                    .map(bytes -> new Reply(Status.OK, bytes))
                    .orElse(Reply.of(Status.CHANGED));
        }
    }

    /** Neighbours: each that can be read, is the one that was told, and is small. */
    private Reply whole(Path base, Path real, Path asked, Question question) throws IOException {
        List<Optional<byte[]>> contents = new ArrayList<>();
        long bytes = 0;
        try (SecureDirectoryStream<Path> folder = walk(base, base.relativize(real))) {
            for (List<String> file : question.files()) {
                Path name = Path.of(file.getFirst());
                Path each = real.resolve(name);
                boolean plain = name.getNameCount() == 1 && each.normalize().equals(each) && !each.equals(real);
                Optional<byte[]> found = Optional.empty();
                if (plain && !isHidden(each) && !isHidden(asked.resolve(name)) && bytes < Question.MOST_WHOLE_BYTES) {
                    try {
                        found = read(folder, name, each, file.getLast(), 0, Question.SMALL + 1)
                                .filter(read -> read.length <= Question.SMALL);
                    } catch (FileSystemException unreadable) {
                        // The one who asks for it alone is told why.
                    }
                }
                bytes += found.map(read -> read.length).orElse(0);
                contents.add(found);
            }
        }
        return Reply.ofContents(contents);
    }

    /** Empty for another file than that of the identity. */
    private static Optional<byte[]> read(
            SecureDirectoryStream<Path> folder, Path name, Path real, String identity, long offset, int length)
            throws IOException {
        String now = identity(folder, name, real);
        if (now.isEmpty() || !now.equals(identity)) {
            // Also a pipe: opening one would wait for whoever writes to it.
            return Optional.empty();
        }
        Set<OpenOption> how = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        ByteBuffer bytes = ByteBuffer.allocate(length);
        try (SeekableByteChannel file = folder.newByteChannel(name, how)) {
            file.position(offset);
            while (bytes.hasRemaining() && file.read(bytes) >= 0) {}
        }
        return identity(folder, name, real).equals(identity)
                ? Optional.of(bytes.hasRemaining() ? Arrays.copyOf(bytes.array(), bytes.position()) : bytes.array())
                : Optional.empty();
    }

    /** Empty for what is no file, and where the path leads to another one by now: only by path the time of change is told. */
    private static String identity(SecureDirectoryStream<Path> folder, Path name, Path real) throws IOException {
        BasicFileAttributes found = folder.getFileAttributeView(
                        name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
        Map<String, Object> all = Files.readAttributes(real, "unix:fileKey,ctime", LinkOption.NOFOLLOW_LINKS);
        return found.isRegularFile() && told(all, "fileKey").equals(found.fileKey())
                ? identity(found.fileKey(), found.size(), found.lastModifiedTime(), (FileTime) told(all, "ctime"))
                : "";
    }

    /** A folder below a root, each part of the way opened in the one before: whoever changes what meanwhile leads nobody out. */
    @SuppressWarnings("StreamResourceLeak") // the caller closes it
    private static SecureDirectoryStream<Path> walk(Path base, Path way) throws IOException {
        SecureDirectoryStream<Path> at = secure(Files.newDirectoryStream(base), base);
        for (Path part : way) {
            if (part.toString().isEmpty()) {
                continue;
            }
            try (SecureDirectoryStream<Path> above = at) {
                at = above.newDirectoryStream(part, LinkOption.NOFOLLOW_LINKS);
            }
        }
        return at;
    }

    private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream, Path of) throws IOException {
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        stream.close();
        throw new FileSystemException(of.toString(), null, "its file system opens nothing in a folder that is open");
    }
}
