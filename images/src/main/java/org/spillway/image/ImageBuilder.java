package org.spillway.image;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.List;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;

/** Makes archives of software trees: equal trees give equal archives, whoever builds them, wherever and when. */
public final class ImageBuilder {
    private static final int BUFFER_BYTES = 256 * 1024;

    private ImageBuilder() {}

    /**
     * A built archive.
     *
     * @param file in the store, named by its digest, never changed
     */
    public record Built(String name, Checksum archive, Path file) {}

    /**
     * Archives {@code tree} into {@code storeDir/SHA256.tar}, durably. Sorted by name; times, owners and all mode bits
     * but the owner's executable one are left out; hard links become files. Idempotent.
     *
     * @param name of the image, {@code [a-z0-9-]{1,64}}
     * @param storeDir is made when absent; not below {@code tree}
     * @throws ImageRefused naming the path, if a link leaves the tree, something is no file, folder or link, or a file
     *     changed meanwhile; nothing stays in the store then
     */
    public static Built build(Path tree, String name, Path storeDir) throws IOException {
        ImageVersion.checkName(name);
        Files.createDirectories(storeDir);
        if (storeDir.toRealPath().startsWith(tree.toRealPath())) {
            throw new ImageRefused(storeDir + " is inside of " + tree + ", which it should hold an archive of");
        }
        List<TreeScan.Entry> entries = TreeScan.of(tree);
        Path growing = Files.createTempFile(storeDir, ".build-", ".tmp");
        try {
            Checksum archive = write(tree.toRealPath(), entries, growing);
            Path file = storeDir.resolve(archive.sha256() + ".tar");
            Files.move(growing, file, StandardCopyOption.ATOMIC_MOVE);
            try (FileChannel folder = FileChannel.open(storeDir, StandardOpenOption.READ)) {
                folder.force(true);
            }
            return new Built(name, archive, file);
        } finally {
            Files.deleteIfExists(growing);
        }
    }

    private static Checksum write(Path tree, List<TreeScan.Entry> entries, Path growing) throws IOException {
        MessageDigest digest = Sha256.digest();
        try (FileChannel channel = FileChannel.open(growing, StandardOpenOption.WRITE)) {
            OutputStream out = new DigestOutputStream(Channels.newOutputStream(new Unclosed(channel)), digest);
            CanonicalTar.write(tree, entries, new BufferedOutputStream(out, BUFFER_BYTES));
            channel.force(true);
            return Sha256.checksum(channel.size(), digest);
        }
    }

    /**
     * Tells cheaply, without reading contents, whether a tree may have changed since: names, sizes, modification times,
     * executable bits and links. Only comparable on one machine.
     *
     * @return 64 hex digits
     */
    public static String fingerprint(Path tree) throws IOException {
        return TreeScan.fingerprint(tree).sha256();
    }

    /** Stays open when the archive is ended, so that it can be synced. */
    private record Unclosed(FileChannel channel) implements java.nio.channels.WritableByteChannel {
        @Override
        public int write(java.nio.ByteBuffer bytes) throws IOException {
            return channel.write(bytes);
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void close() {}
    }
}
