package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldif.LDIFException;
import com.unboundid.ldif.LDIFReader;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * A directory's last whole content in a file, for a head that starts while the directory is away. The file's time is
 * when the directory was last there. What was torn, or was read from another source, is no content.
 */
public final class SavedDirectory {
    private static final String FIRST = "# spillway-directory 1 ";
    private static final String LAST = "# entries ";

    private final Path file;
    private final String source;

    private SavedDirectory(Path file, String source) {
        this.file = file;
        this.source = source;
    }

    /** @param source names whence the content comes: that of another source is not taken */
    public static SavedDirectory in(Path file, String source) {
        return new SavedDirectory(file, digest(source));
    }

    /** When the directory was last there, as a file says; empty without one of this source. */
    public Optional<Instant> at() {
        try (BufferedReader text = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            return (FIRST + source).equals(text.readLine())
                    ? Optional.of(Files.getLastModifiedTime(file).toInstant())
                    : Optional.empty();
        } catch (IOException none) {
            return Optional.empty();
        }
    }

    /** Fills an empty store. @return whether it did; then the store is complete */
    boolean load(DirectoryStore store) {
        if (at().isEmpty()) {
            return false;
        }
        try {
            // Twice: a torn file must put nothing into the store, and all entries at once would not fit into memory.
            if (!last().equals(LAST + each(entry -> {}))) {
                return false;
            }
            each(entry -> {
                String id = entry.getAttributeValue("entryUUID");
                store.put(
                        id == null ? DirectoryStore.idOf(DirectoryStore.parsed(entry)) : UUID.fromString(id),
                        DirectoryStore.parsed(entry),
                        entry.getAttributes());
            });
        } catch (IOException | LDIFException | IllegalArgumentException torn) {
            return false;
        }
        if (!store.hasUsers()) {
            return false;
        }
        store.markComplete();
        return true;
    }

    private String last() throws IOException {
        try (var lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.reduce((earlier, later) -> later).orElse("");
        } catch (UncheckedIOException torn) {
            throw new IOException(torn);
        }
    }

    /** @return how many there are */
    private int each(Consumer<Entry> taken) throws IOException, LDIFException {
        int count = 0;
        try (var reader = new LDIFReader(file.toFile())) {
            for (Entry entry = reader.readEntry(); entry != null; entry = reader.readEntry()) {
                DirectoryStore.parsed(entry);
                taken.accept(entry);
                count++;
            }
        }
        return count;
    }

    /** Puts a new file in the place of the last. @param now the directory was there */
    void save(DirectoryStore store, Instant now) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.deleteIfExists(part);
        Files.createFile(part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try (BufferedWriter text = Files.newBufferedWriter(part, StandardCharsets.UTF_8)) {
            text.write(FIRST + source + "\n");
            int entries = 0;
            for (PackedEntry packed : store.snapshot().entries().values()) {
                text.write("\n" + packed.entry().toLDIFString());
                entries++;
            }
            text.write("\n" + LAST + entries + "\n");
        }
        Files.setLastModifiedTime(part, FileTime.from(now));
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The content is the same, and the directory is there. */
    void touch(Instant now) throws IOException {
        if (at().isPresent()) {
            Files.setLastModifiedTime(file, FileTime.from(now));
        }
    }

    private static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
