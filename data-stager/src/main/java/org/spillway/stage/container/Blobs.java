package org.spillway.stage.container;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Sha256;

/**
 * Blobs of images by their digests. One takes its name when all of it is there and has that SHA-256; a cut one goes on where
 * it broke.
 *
 * @param folder {@code blobs/sha256} of an OCI layout
 */
record Blobs(Path folder, Source source, Progress progress) {
    /** A server that gives other bytes may have been cut off; one that does so again lies. */
    private static final int LIES_MOST = 2;

    private static final int CUTS_MOST = 8;

    /** @throws ImageRefused if it is no SHA-256 */
    static String hex(String digest) throws ImageRefused {
        if (!digest.matches("sha256:[0-9a-f]{64}")) {
            throw new ImageRefused("the image names a digest that is no SHA-256");
        }
        return digest.substring("sha256:".length());
    }

    static String digest(byte[] bytes) {
        return "sha256:" + HexFormat.of().formatHex(Sha256.digest().digest(bytes));
    }

    /** A manifest, or an index; kept. @throws ImageRefused if it is another than its digest says */
    byte[] manifest(String digest, int mostBytes) throws IOException {
        Path kept = folder.resolve(hex(digest));
        if (Files.exists(kept) && Files.size(kept) <= mostBytes) {
            byte[] bytes = Files.readAllBytes(kept);
            if (digest(bytes).equals(digest)) {
                Files.setLastModifiedTime(kept, FileTime.from(Instant.now()));
                return bytes;
            }
        }
        byte[] bytes = source.manifest(digest, mostBytes);
        if (!digest(bytes).equals(digest)) {
            throw new ImageRefused("what came as " + digest + " has the digest " + digest(bytes));
        }
        Files.createDirectories(folder);
        Path part = folder.resolve(hex(digest) + "." + ProcessHandle.current().pid() + ".part");
        Files.write(part, bytes);
        Files.move(part, kept, StandardCopyOption.ATOMIC_MOVE);
        return bytes;
    }

    /**
     * A blob as a file.
     *
     * @param bytes that it must have
     * @throws ImageRefused if what comes is not what its digest says
     */
    Path blob(String digest, long bytes) throws IOException {
        Path kept = folder.resolve(hex(digest));
        if (Files.exists(kept) && Files.size(kept) == bytes) {
            Files.setLastModifiedTime(kept, FileTime.from(Instant.now()));
            return kept;
        }
        Files.createDirectories(folder);
        Path part = folder.resolve(hex(digest) + ".part");
        int lies = 0;
        int cuts = 0;
        while (true) {
            long before = Files.exists(part) ? Files.size(part) : 0;
            if (before > bytes) {
                Files.delete(part);
                before = 0;
            }
            if (before < bytes) {
                IOException cut = more(digest, part, before, bytes);
                long now = Files.size(part);
                cuts = now > before ? 0 : cuts + 1;
                if (now < bytes) {
                    if (cuts >= CUTS_MOST) {
                        throw cut != null ? cut : new IOException("a layer of the image comes no further");
                    }
                    continue;
                }
            }
            String found = digestOf(part);
            if (Files.size(part) == bytes && found.equals(digest)) {
                Files.move(part, kept, StandardCopyOption.ATOMIC_MOVE);
                return kept;
            }
            Files.delete(part);
            if (++lies >= LIES_MOST) {
                throw new ImageRefused("what came as " + digest + " has the digest " + found);
            }
        }
    }

    /** @return how it broke, where it did; what came is in the file */
    private @Nullable IOException more(String digest, Path part, long from, long most) throws IOException {
        Registry.From coming = source.blob(digest, from);
        long at = coming.byteAt();
        try (InputStream in = coming.body();
                OutputStream out = at == 0
                        ? Files.newOutputStream(part)
                        : Files.newOutputStream(part, StandardOpenOption.APPEND, StandardOpenOption.CREATE)) {
            byte[] buffer = new byte[128 * 1024];
            while (true) {
                int n;
                try {
                    n = in.read(buffer);
                } catch (IOException broken) {
                    return broken;
                }
                if (n < 0) {
                    return null;
                }
                at += n;
                if (at > most) {
                    throw new ImageRefused("what came as " + digest + " has more than " + most + " bytes");
                }
                out.write(buffer, 0, n);
                progress.working();
            }
        }
    }

    private String digestOf(Path file) throws IOException {
        MessageDigest digest = Sha256.digest();
        byte[] buffer = new byte[128 * 1024];
        try (InputStream in = Files.newInputStream(file)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
                progress.working();
            }
        }
        return "sha256:" + HexFormat.of().formatHex(digest.digest());
    }
}
