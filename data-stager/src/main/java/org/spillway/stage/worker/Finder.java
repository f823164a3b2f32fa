package org.spillway.stage.worker;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.tree.Glob;
import org.spillway.stage.worker.UserFiles.Found;
import org.spillway.stage.worker.UserFiles.Limits;
import org.spillway.stage.worker.UserFiles.Stamp;

/** Finds the files that a pattern names, with the rights of this process. One use each. */
final class Finder {
    /** Most entries of folders that are looked at for one pattern. */
    private static final int ENTRIES_MAX = 2_000_000;

    private static final int ENTRIES_PER_SIGN_OF_LIFE = 256;
    /** Names that {@link WorkerFiles#part} and {@link Unpacker} give their files, which come and go. */
    private static final Pattern PART = Pattern.compile("\\..*spillway-[A-Za-z0-9_-]{1,80}\\.part", Pattern.DOTALL);

    private record Folder(Path path, Glob.Walk walk) {}

    private final String pattern;
    private final Limits limits;
    private final WorkerFiles.Sink alive;
    private final List<Found> found = new ArrayList<>();
    private final Deque<Folder> folders = new ArrayDeque<>();
    private final FineTimes times = new FineTimes();
    private int entries;
    private long bytes;
    private long names;

    Finder(String pattern, Limits limits, WorkerFiles.Sink alive) {
        this.pattern = pattern;
        this.limits = limits;
        this.alive = alive;
    }

    List<Found> find() throws IOException {
        Glob glob = Glob.parse(pattern);
        if (!glob.isAbsolute()) {
            throw new FileRefused(Bundles.say(pattern) + ": is not an absolute path");
        }
        Path base = Path.of(glob.base());
        Glob.Walk walk = glob.walk();
        for (Path name : base) {
            walk = walk.enter(name.toString());
        }
        PosixFileAttributes facts;
        try {
            facts = Files.readAttributes(base, PosixFileAttributes.class);
        } catch (NoSuchFileException e) {
            throw new FileRefused(WorkerFiles.say(base) + ": no such file or folder"
                    + (glob.isPlain() ? "" : ", so that nothing matches " + Bundles.say(pattern)));
        }
        if (facts.isDirectory()) {
            folders.push(new Folder(base, walk));
        } else if (!facts.isRegularFile()) {
            throw new FileRefused(WorkerFiles.say(base) + ": is no regular file");
        } else if (walk.isCovered()) {
            add(base, facts, true);
        }
        while (!folders.isEmpty()) {
            list(folders.pop());
        }
        if (found.isEmpty()) {
            throw new FileRefused(Bundles.say(pattern)
                    + (glob.isPlain() ? ": there is no regular file in this folder" : ": nothing matches"));
        }
        found.sort(Comparator.comparing(Found::path));
        return found;
    }

    private void list(Folder folder) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder.path())) {
            for (Path entry : stream) {
                if (++entries > ENTRIES_MAX) {
                    throw new FileRefused(Bundles.say(pattern) + ": more than " + ENTRIES_MAX
                            + " files and folders would have to be looked at; name a smaller folder");
                }
                if (entries % ENTRIES_PER_SIGN_OF_LIFE == 0) {
                    alive.working();
                }
                visit(entry, folder.walk());
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return; // removed meanwhile
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private void visit(Path entry, Glob.Walk above) throws IOException {
        String name = String.valueOf(entry.getFileName());
        Glob.Walk walk = above.enter(name);
        if (walk.isDead()) {
            return;
        }
        PosixFileAttributes facts = facts(entry, false);
        if (facts == null) {
            return;
        }
        if (facts.isDirectory()) {
            folders.push(new Folder(entry, walk));
        } else if (walk.isCovered() && !PART.matcher(name).matches()) {
            PosixFileAttributes target = facts.isSymbolicLink() ? facts(entry, true) : facts;
            if (target != null && target.isRegularFile()) {
                add(entry, target, facts.isSymbolicLink());
            }
        }
    }

    private static @Nullable PosixFileAttributes facts(Path file, boolean follow) throws IOException {
        try {
            return follow
                    ? Files.readAttributes(file, PosixFileAttributes.class)
                    : Files.readAttributes(file, PosixFileAttributes.class, NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null; // removed meanwhile, or a link to nothing
        } catch (FileSystemException e) {
            if (follow && String.valueOf(e.getReason()).startsWith("Too many levels of symbolic links")) {
                return null; // a link to itself
            }
            throw e;
        }
    }

    private void add(Path file, PosixFileAttributes facts, boolean resolve) throws IOException {
        String path = file.toString();
        if (!Path.of(path).equals(file)) {
            throw new FileRefused(WorkerFiles.say(file) + ": its name is not UTF-8; rename it, or leave it out");
        }
        if (!Files.isReadable(file)) {
            throw new FileRefused(WorkerFiles.say(file) + ": permission denied");
        }
        String real = resolve ? file.toRealPath().toString() : realPath(file);
        bytes += facts.size();
        names += path.length() + (real.equals(path) ? 0 : real.length());
        if (found.size() == limits.files()) {
            throw new FileRefused(Bundles.say(pattern) + ": more than " + limits.files() + " files");
        }
        if (bytes > limits.bytes()) {
            throw new FileRefused(Bundles.say(pattern) + ": the files have more than " + limits.bytes() + " bytes");
        }
        if (names > Bundles.NAMES_MAX) {
            throw new FileRefused(Bundles.say(pattern) + ": the names of the files have more than " + Bundles.NAMES_MAX
                    + " characters; pack them first");
        }
        found.add(new Found(
                path,
                real.equals(path) ? path : real,
                facts.size(),
                facts.lastModifiedTime().to(TimeUnit.NANOSECONDS),
                facts.permissions().contains(PosixFilePermission.OWNER_EXECUTE),
                stamp(file, facts)));
    }

    private Stamp stamp(Path file, PosixFileAttributes facts) throws IOException {
        Map<String, Object> more = Files.readAttributes(file, "unix:ctime,dev");
        long changed = ((FileTime) Objects.requireNonNull(more.get("ctime"))).to(TimeUnit.NANOSECONDS);
        long device = (Long) Objects.requireNonNull(more.get("dev"));
        return new Stamp(String.valueOf(facts.fileKey()), changed, times.are(file, device, changed));
    }

    private @Nullable Path latestFolder;
    private Path latestRealFolder = Path.of("/");

    /** Of a file that is no link itself; files come folder by folder. */
    private String realPath(Path file) throws IOException {
        Path folder = file.getParent();
        if (folder == null) {
            return file.toString();
        }
        if (!folder.equals(latestFolder)) {
            latestRealFolder = folder.toRealPath();
            latestFolder = folder;
        }
        return latestRealFolder.resolve(file.getFileName()).toString();
    }
}
