package org.spillway.image.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** Files that are there as a whole or not at all, whenever the machine stops. */
final class Durable {
    private Durable() {}

    /** @param temporary a folder on the same file system */
    static void write(Path file, byte[] content, Path temporary) throws IOException {
        Path growing = Files.createTempFile(temporary, "file-", ".tmp");
        try {
            try (FileChannel channel = FileChannel.open(growing, StandardOpenOption.WRITE)) {
                var bytes = ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(growing, file, StandardCopyOption.ATOMIC_MOVE);
            syncFolder(file.resolveSibling("."));
        } finally {
            Files.deleteIfExists(growing);
        }
    }

    static void syncFolder(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Removes a folder with all in it; follows no link. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path one, BasicFileAttributes facts) throws IOException {
                if (!Files.isWritable(one)) {
                    Files.setPosixFilePermissions(one, PosixFilePermissions.fromString("rwx------"));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path one, BasicFileAttributes facts) throws IOException {
                Files.delete(one);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path one, @org.jspecify.annotations.Nullable IOException failed)
                    throws IOException {
                if (failed != null) {
                    throw failed;
                }
                Files.delete(one);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
