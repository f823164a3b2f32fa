package org.spillway.stage.transfer;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;

/**
 * A staging space in a folder of this machine: a sealed object lies at {@code ROOT/KEY}, a growing one at
 * {@code ROOT/KEY.part}. Folders have mode 700 and files 600, so that nobody else can plant a link between a check and
 * its use; no symbolic link below the root is followed. Other backends on file systems keep the same layout.
 */
public final class LocalTransfer implements Transfer {
    private static final int BUFFER_BYTES = 256 * 1024;

    private final Path root;

    /** @param root is created, with mode 700, when it is absent; may itself be reached through a symbolic link */
    public LocalTransfer(Path root) throws IOException {
        if (!Files.isDirectory(root)) {
            Files.createDirectories(
                    root, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        this.root = root.toRealPath();
    }

    @Override
    public long received(String key) throws IOException {
        BasicFileAttributes sealed = regular(place(key, false));
        if (sealed != null) {
            return sealed.size();
        }
        BasicFileAttributes growing = regular(part(key, false));
        return growing == null ? 0 : growing.size();
    }

    @Override
    public void send(String key, long offset, InputStream bytes) throws IOException {
        Path part = part(key, true);
        if (isSealed(key)) {
            throw new FileAlreadyExistsException(key, null, "sealed objects never change");
        }
        BasicFileAttributes growing = regular(part);
        checkOffset(key, offset, growing == null ? 0 : growing.size());
        Set<OpenOption> options = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, NOFOLLOW_LINKS);
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (FileChannel file = FileChannel.open(part, options, mode)) {
            file.truncate(offset);
            file.position(offset);
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int n = bytes.read(buffer); n >= 0; n = bytes.read(buffer)) {
                ByteBuffer piece = ByteBuffer.wrap(buffer, 0, n);
                while (piece.hasRemaining()) {
                    file.write(piece);
                }
            }
        }
    }

    @Override
    public void seal(String key, Checksum checksum) throws IOException {
        Path place = place(key, false);
        Path part = part(key, false);
        BasicFileAttributes growing = regular(part);
        if (isSealed(key)) {
            Checksum found = checksum(place);
            if (!found.equals(checksum)) {
                throw new ChecksumMismatch(mismatch(key, checksum, found) + "; it was sealed before and stays");
            }
            Files.deleteIfExists(part);
            return;
        }
        if (growing == null) {
            throw new NoSuchFileException(key, null, "nothing was sent that could be sealed");
        }
        Checksum found = checksum(part);
        if (!found.equals(checksum)) {
            Files.deleteIfExists(part);
            throw new ChecksumMismatch(mismatch(key, checksum, found) + "; it is removed");
        }
        try (FileChannel file = FileChannel.open(part, StandardOpenOption.WRITE, NOFOLLOW_LINKS)) {
            file.force(true);
        }
        Files.move(part, place, StandardCopyOption.ATOMIC_MOVE);
        syncFolders(place);
    }

    @Override
    public boolean isSealed(String key) throws IOException {
        return regular(place(key, false)) != null;
    }

    @Override
    public void receive(String key, long offset, OutputStream sink) throws IOException {
        Path place = place(key, false);
        BasicFileAttributes sealed = regular(place);
        if (sealed == null) {
            throw new NoSuchFileException(key, null, "no such sealed object");
        }
        checkOffset(key, offset, sealed.size());
        try (FileChannel file = FileChannel.open(place, StandardOpenOption.READ, NOFOLLOW_LINKS)) {
            file.position(offset);
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int n = file.read(ByteBuffer.wrap(buffer)); n >= 0; n = file.read(ByteBuffer.wrap(buffer))) {
                sink.write(buffer, 0, n);
            }
        }
    }

    @Override
    public boolean share(String key, String other) throws IOException {
        if (!isSealed(key)) {
            return false;
        }
        Path part = part(other, true);
        Path place = place(other, false);
        regular(place); // refuses what is no file
        Files.deleteIfExists(part);
        if (!key.equals(other)) {
            // Renamed into place, so that it is never half there; the part's name is not taken by anybody else now.
            Files.createLink(part, place(key, false));
            Files.move(part, place, StandardCopyOption.ATOMIC_MOVE);
            // Two names of one file: renaming the one to the other does nothing, and leaves both.
            Files.deleteIfExists(part);
            syncFolders(place);
        }
        return true;
    }

    @Override
    public void remove(String key) throws IOException {
        Path part = part(key, false);
        Path place = place(key, false);
        Files.deleteIfExists(part);
        if (!Files.exists(place, NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(
                place,
                new SimpleFileVisitor<>() { // does not follow links
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes facts) throws IOException {
                        Files.deleteIfExists(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
                            throws IOException {
                        if (failure != null) {
                            throw failure;
                        }
                        Files.deleteIfExists(folder);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    @Override
    public void close() {}

    /** Where a key's object lies, after every folder on the way was seen to be a real one (and made, when asked). */
    private Path place(String key, boolean makeFolders) throws IOException {
        Path place = root;
        Path relative = Path.of(Keys.check(key));
        for (int i = 0; i < relative.getNameCount() - 1; i++) {
            place = place.resolve(relative.getName(i));
            if (makeFolders) {
                makeFolder(place);
            }
            BasicFileAttributes facts = facts(place);
            if (facts != null && !facts.isDirectory()) {
                throw new IOException("refused: " + place + " is not a folder" + linkNote(facts));
            }
        }
        return place.resolve(relative.getFileName());
    }

    private Path part(String key, boolean makeFolders) throws IOException {
        Path place = place(key, makeFolders);
        return place.resolveSibling(place.getFileName() + Keys.PART_SUFFIX);
    }

    private static void makeFolder(Path folder) throws IOException {
        try {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            return; // what it is, the caller looks at next
        }
    }

    /** Facts of a regular file; null when there is nothing, or a folder of longer keys. */
    private static @Nullable BasicFileAttributes regular(Path file) throws IOException {
        BasicFileAttributes facts = facts(file);
        if (facts == null || facts.isDirectory()) {
            return null;
        }
        if (!facts.isRegularFile()) {
            throw new IOException("refused: " + file + " is not a regular file" + linkNote(facts));
        }
        return facts;
    }

    private static @Nullable BasicFileAttributes facts(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static String linkNote(BasicFileAttributes facts) {
        return facts.isSymbolicLink() ? " but a symbolic link" : "";
    }

    private static Checksum checksum(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file, NOFOLLOW_LINKS)) {
            return Sha256.of(in, OutputStream.nullOutputStream());
        }
    }

    /** Syncs the folder of {@code place} and those above it up to the root: each may be new. */
    private void syncFolders(Path place) throws IOException {
        for (Path folder = place.getParent(); folder != null && folder.startsWith(root); folder = folder.getParent()) {
            try (FileChannel entries = FileChannel.open(folder, StandardOpenOption.READ)) {
                entries.force(true);
            }
        }
    }

    static void checkOffset(String key, long offset, long most) throws IOException {
        if (offset < 0 || offset > most) {
            throw new IOException("offset " + offset + " of '" + key + "' is not within 0 and " + most);
        }
    }

    static String mismatch(String key, Checksum expected, Checksum found) {
        return "'" + key + "' should have " + expected.bytes() + " bytes with SHA-256 " + expected.sha256()
                + " but has " + found.bytes() + " bytes with " + found.sha256();
    }
}
