package org.spillway.stage.worker;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;

/** The deeds of {@link UserFiles}, done in the process that has the user's rights. JDK classes only. */
final class WorkerFiles {
    /** Of a name that is shown in that of a part file: what is added to it still makes a name. */
    private static final int NAME_BYTES = 150;

    /** Where a file's bytes go while it is read. */
    interface Sink {
        void data(byte[] bytes, int length) throws IOException;

        /** A sign of life during work that sends nothing. */
        void working() throws IOException;
    }

    /** Failures of the machine; every other failure that names a file is about the user's rights or the file. */
    private static final List<String> MACHINE_REASONS =
            List.of("No space left", "quota", "Input/output error", "Stale file", "timed out", "Too many open files");

    private static final String OWNER_ONLY = "rw-------";

    private final int uid;

    WorkerFiles(int uid) {
        this.uid = uid;
    }

    long partBytes(Path target, String tag) throws IOException {
        PosixFileAttributes facts = ownPart(part(target, tag));
        return facts == null ? 0 : facts.size();
    }

    /** The part file, cut at {@code offset} and positioned there. */
    FileChannel openPart(Path target, String tag, long offset) throws IOException {
        Path part = part(target, tag);
        Path folder = folder(part);
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
        PosixFileAttributes facts = ownPart(part);
        long size = facts == null ? 0 : facts.size();
        if (offset < 0 || offset > size) {
            throw new FileRefused(say(part) + ": has " + size + " bytes, so it cannot be written from " + offset);
        }
        FileChannel channel = facts == null
                ? FileChannel.open(
                        part,
                        Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, NOFOLLOW_LINKS),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWNER_ONLY)))
                : FileChannel.open(part, StandardOpenOption.WRITE, NOFOLLOW_LINKS);
        if (offset == 0) {
            Files.deleteIfExists(marks(part));
        }
        channel.truncate(offset);
        channel.position(offset);
        return channel;
    }

    /** @return null when the part file is on disk as it should be, else what it was; it is removed then */
    @Nullable
    Checksum settle(Path target, String tag, Checksum checksum, Sink alive) throws IOException {
        Path part = part(target, tag);
        Checksum found = verify(part, checksum, alive);
        if (found != null) {
            return found;
        }
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE, NOFOLLOW_LINKS)) {
            channel.force(true);
        }
        syncFolder(folder(target));
        return null;
    }

    /** @return null when the part file is as it should be, else what it was; it is removed then */
    @Nullable
    Checksum verify(Path part, Checksum checksum, Sink alive) throws IOException {
        if (ownPart(part) == null) {
            throw new NoSuchFileException(part.toString(), null, "nothing was written that could be kept");
        }
        Checksum found = checksum(part, alive);
        if (found.equals(checksum)) {
            return null;
        }
        Files.deleteIfExists(part);
        return found;
    }

    void readPart(Path target, String tag, long offset, Sink to) throws IOException {
        Path part = part(target, tag);
        PosixFileAttributes facts = ownPart(part);
        if (facts == null || offset < 0 || offset > facts.size()) {
            throw new FileRefused(say(part) + ": is not there any more, or has fewer than " + offset + " bytes");
        }
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.READ, NOFOLLOW_LINKS)) {
            channel.position(offset);
            ByteBuffer buffer = ByteBuffer.allocate(Frames.DATA_BYTES);
            for (int n = channel.read(buffer); n >= 0; n = channel.read(buffer.clear())) {
                to.data(buffer.array(), n);
            }
        }
    }

    /** @return of the bundle that it made: a part file of tag {@code into}, beside the first of the bundles that has a list */
    Checksum gather(List<Path> bundles, String tag, String into, Sink alive) throws IOException {
        List<Path> lists = new ArrayList<>();
        Path beside = bundles.getFirst();
        for (Path bundle : bundles) {
            Path list = part(bundle, UserFiles.roundsTag(tag));
            if (ownPart(list) != null) {
                beside = lists.isEmpty() ? bundle : beside;
                lists.add(list);
            }
        }
        if (lists.isEmpty()) {
            throw new FileRefused(say(beside) + ": nothing is known of what came home");
        }
        List<RoundList.Member> members = RoundList.read(lists);
        Path folder = folder(beside);
        try (FileChannel made = openPart(beside, into, 0)) {
            Checksum checksum =
                    new Gathering(made, alive).gather(members, folder.toFile().getUsableSpace());
            syncFolder(folder);
            return checksum;
        } catch (FileRefused refused) {
            abandon(beside, into);
            throw refused;
        }
    }

    static void syncFolder(Path folder) throws IOException {
        try (FileChannel entries = FileChannel.open(folder, StandardOpenOption.READ)) {
            entries.force(true);
        } catch (AccessDeniedException e) {
            return; // a drop box that may be written but not listed: the system syncs it in its own time
        }
    }

    private static Checksum checksum(Path file, Sink alive) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, NOFOLLOW_LINKS)) {
            MessageDigest digest = Sha256.digest();
            ByteBuffer buffer = ByteBuffer.allocate(Frames.DATA_BYTES);
            long done = 0;
            for (int n = channel.read(buffer); n >= 0; n = channel.read(buffer.clear())) {
                digest.update(buffer.flip());
                if (done / Frames.WORKING_BYTES != (done + n) / Frames.WORKING_BYTES) {
                    alive.working();
                }
                done += n;
            }
            return Sha256.checksum(done, digest);
        }
    }

    void abandon(Path target, String tag) throws IOException {
        Path part = part(target, tag);
        Files.deleteIfExists(marks(part));
        Files.deleteIfExists(part);
    }

    /** Facts of a part file that is this user's own; null when there is none. */
    private @Nullable PosixFileAttributes ownPart(Path part) throws IOException {
        PosixFileAttributes facts = facts(part);
        if (facts == null) {
            return null;
        }
        if (!facts.isRegularFile()) {
            throw new FileRefused(say(part) + ": is no regular file"
                    + (facts.isSymbolicLink() ? " but a symbolic link" : "") + "; remove it and try again");
        }
        // In a folder that others may write, someone could have put a file there to read what we write.
        if ((int) Files.getAttribute(part, "unix:uid", NOFOLLOW_LINKS) != uid) {
            throw new FileRefused(say(part) + ": belongs to somebody else; remove it and try again");
        }
        return facts;
    }

    static @Nullable PosixFileAttributes facts(Path file) throws IOException {
        try {
            return Files.readAttributes(file, PosixFileAttributes.class, NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    static Path part(Path target, String tag) throws FileRefused {
        if (!tag.matches("[A-Za-z0-9_-]{1,64}")) {
            throw new FileRefused("'" + tag + "' cannot be the tag of a part file");
        }
        Path name = absolute(target).getFileName();
        if (name == null || name.toString().equals("..") || name.toString().equals(".")) {
            throw new FileRefused(say(target) + ": is no file name");
        }
        byte[] bytes = name.toString().getBytes(StandardCharsets.UTF_8);
        String shown = bytes.length <= NAME_BYTES
                ? name.toString()
                : HexFormat.of().formatHex(Sha256.digest().digest(bytes)).substring(0, 32);
        return target.resolveSibling("." + shown + ".spillway-" + tag + ".part");
    }

    /** Beside a bundle: which of its members are in their places. */
    static Path marks(Path part) {
        return part.resolveSibling(part.getFileName() + ".placed");
    }

    private static Path folder(Path file) throws FileRefused {
        Path folder = file.getParent();
        if (folder == null) {
            throw new FileRefused(say(file) + ": is in no folder");
        }
        return folder;
    }

    private static Path absolute(Path file) throws FileRefused {
        if (!file.isAbsolute()) {
            throw new FileRefused(say(file) + ": is not an absolute path");
        }
        return file;
    }

    static boolean isMachines(IOException e) {
        if (e instanceof FileRefused) {
            return false;
        }
        String reason = e instanceof FileSystemException known ? known.getReason() : e.getMessage();
        return !(e instanceof FileSystemException)
                || (reason != null && MACHINE_REASONS.stream().anyMatch(reason::contains));
    }

    /** A failure for a person: path and reason. */
    static String describe(IOException failure) {
        if (!(failure instanceof FileSystemException e)) {
            return String.valueOf(failure.getMessage());
        }
        String reason = e.getReason();
        if (reason == null) {
            reason = switch (e) {
                case AccessDeniedException denied -> "permission denied";
                case NoSuchFileException absent -> "no such file or folder";
                case FileAlreadyExistsException other -> "something else of that name is there";
                default -> e.getClass().getSimpleName();
            };
        }
        String file = e.getFile();
        return (file == null ? "" : file.replaceAll("\\p{Cntrl}", "?") + ": ") + reason;
    }

    /** A path for a message: user's file names may hold line breaks and worse. */
    static String say(Path file) {
        return file.toString().replaceAll("\\p{Cntrl}", "?");
    }
}
