package org.spillway.head.trust;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/** Small text files of mode 600 in a folder of mode 700, each written whole and durably or not at all. */
final class SecretFiles {
    private static final String SUFFIX_OF_UNFINISHED = ".unfinished";
    private static final long MAX_BYTES = 64 * 1024;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_FOLDER = PosixFilePermissions.fromString("rwx------");

    private final Path folder;

    private SecretFiles(Path folder) {
        this.folder = folder;
    }

    /** @throws IOException if the folder cannot be made, or belongs to someone else */
    static SecretFiles in(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(folder.toAbsolutePath().getParent());
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_FOLDER));
        }
        try {
            // Also the proof that it is ours: nobody else but root may do this.
            Files.setPosixFilePermissions(folder, OWNER_FOLDER);
        } catch (IOException e) {
            throw new IOException("the folder of secrets " + folder + " does not belong to this user", e);
        }
        return new SecretFiles(folder);
    }

    Optional<String> read(String name) throws IOException {
        Path file = folder.resolve(name);
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IOException(file + " is larger than any secret of Spillway");
            }
            Files.setPosixFilePermissions(file, OWNER_ONLY);
            return Optional.of(Files.readString(file));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }

    /** After a return the content survives a power cut; after a crash the file has its old or its new content. */
    void write(String name, String content) throws IOException {
        Path target = folder.resolve(name);
        Path unfinished = folder.resolve(name + SUFFIX_OF_UNFINISHED);
        Files.deleteIfExists(unfinished);
        try (var channel = FileChannel.open(
                unfinished, Set.of(CREATE_NEW, WRITE), PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
            var bytes = ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        syncFolder();
    }

    void rename(String from, String to) throws IOException {
        Files.move(
                folder.resolve(from),
                folder.resolve(to),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        syncFolder();
    }

    void remove(String name) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
    }

    private void syncFolder() throws IOException {
        try (var channel = FileChannel.open(folder, READ)) {
            channel.force(true);
        }
    }

    /** Of a head that was killed; only the head that lives may say so, at its start: another's file may be under way. */
    void removeUnfinished() throws IOException {
        Files.walkFileTree(folder, Set.of(), 1, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (file.toString().endsWith(SUFFIX_OF_UNFINISHED)) {
                    Files.deleteIfExists(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
