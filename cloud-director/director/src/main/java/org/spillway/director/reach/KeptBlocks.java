package org.spillway.director.reach;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.stage.Sha256;

/**
 * Blocks of files on the director's disk (ADR 70). A block's name is a digest of whose it is, of which state of which file, and of its
 * place there; its contents begin with a digest of that name and of the bytes. So a block that is another one, was cut off or has
 * rotted is never given, also not by the director after this one. Bounded; those used last stay. Nothing here fails: a block
 * that cannot be kept or read is not there.
 */
public final class KeptBlocks {
    private static final Logger LOG = LoggerFactory.getLogger(KeptBlocks.class);
    private static final int DIGEST_BYTES = 32;
    private static final int NAME_LETTERS = 2 * DIGEST_BYTES;
    private static final String DRAFT = ".new";

    private final Path folder;
    private final Room room;
    /** Sizes on the disk by name; those used longest ago first. */
    private final Map<String, Long> kept = new LinkedHashMap<>(16, 0.75f, true);

    private long bytes;
    private boolean told;

    /** How much may be kept. */
    public interface Room {
        /** @return bytes of all blocks; 0 while others need the disk */
        long bytes() throws IOException;
    }

    /** @param folder its own; what an earlier director kept there is used */
    public KeptBlocks(Path folder, Room room) {
        this(room, folder);
        try {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            take();
        } catch (IOException unusable) {
            tell(unusable);
        }
    }

    private KeptBlocks(Room room, Path folder) {
        this.folder = folder;
        this.room = room;
    }

    /** Keeps nothing, and looks at no disk. */
    public static KeptBlocks none() {
        return new KeptBlocks(() -> 0, Path.of(""));
    }

    private record Found(String name, long bytes, long modified) {}

    private void take() throws IOException {
        List<Found> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path file : all) {
                String name = String.valueOf(file.getFileName());
                if (name.endsWith(DRAFT)) {
                    Files.deleteIfExists(file);
                } else if (name.length() == NAME_LETTERS) {
                    found.add(new Found(
                            name,
                            Files.size(file),
                            Files.getLastModifiedTime(file).toMillis()));
                }
            }
        }
        found.sort(Comparator.comparing(Found::modified));
        for (Found each : found) {
            kept.put(each.name, each.bytes);
            bytes += each.bytes;
        }
    }

    synchronized boolean has(BlockKey key) {
        return kept.containsKey(key.name());
    }

    /** Empty where it is not there as it was kept. */
    Optional<byte[]> of(BlockKey key) {
        String name = key.name();
        synchronized (this) {
            if (kept.get(name) == null) {
                return Optional.empty();
            }
        }
        try {
            byte[] all = Files.readAllBytes(folder.resolve(name));
            if (all.length >= DIGEST_BYTES
                    && Arrays.equals(all, 0, DIGEST_BYTES, digest(name, all, DIGEST_BYTES), 0, DIGEST_BYTES)) {
                return Optional.of(Arrays.copyOfRange(all, DIGEST_BYTES, all.length));
            }
            LOG.warn("a block of a file of a home has rotted in {}: it was removed, and comes again", folder);
        } catch (NoSuchFileException gone) {
            LOG.debug("{} is gone", name);
        } catch (IOException unreadable) {
            tell(unreadable);
        }
        remove(name);
        return Optional.empty();
    }

    private static byte[] digest(String name, byte[] contents, int from) {
        MessageDigest digest = Sha256.digest();
        digest.update(name.getBytes(StandardCharsets.US_ASCII));
        digest.update(contents, from, contents.length - from);
        return digest.digest();
    }

    /** As far as there is room. A block that is there already stays. */
    void keep(BlockKey key, byte[] contents) {
        String name = key.name();
        Path draft = folder.resolve(name + "." + UUID.randomUUID() + DRAFT);
        try {
            long size = (long) DIGEST_BYTES + contents.length;
            if (has(key) || !makeRoom(size)) {
                return;
            }
            byte[] all = new byte[DIGEST_BYTES + contents.length];
            System.arraycopy(digest(name, contents, 0), 0, all, 0, DIGEST_BYTES);
            System.arraycopy(contents, 0, all, DIGEST_BYTES, contents.length);
            Files.createFile(draft, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(draft, all);
            Files.move(draft, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            synchronized (this) {
                Long before = kept.put(name, size);
                bytes += size - (before == null ? 0 : before);
            }
        } catch (IOException full) {
            tell(full);
            try {
                Files.deleteIfExists(draft);
            } catch (IOException left) {
                LOG.debug("{} stays until the next director: {}", draft, left.toString());
            }
        }
    }

    /** Removes those used longest ago until there is room for so many bytes. @return whether there is */
    private synchronized boolean makeRoom(long wanted) throws IOException {
        long most = room.bytes();
        for (Iterator<Map.Entry<String, Long>> oldest = kept.entrySet().iterator();
                bytes + wanted > most && oldest.hasNext(); ) {
            Map.Entry<String, Long> each = oldest.next();
            Files.deleteIfExists(folder.resolve(each.getKey()));
            bytes -= each.getValue();
            oldest.remove();
        }
        return bytes + wanted <= most;
    }

    /** Gives back what is above the bound by now. */
    public void shrink() {
        try {
            makeRoom(0);
        } catch (IOException stays) {
            tell(stays);
        }
    }

    private synchronized void remove(String name) {
        Long size = kept.remove(name);
        bytes -= size == null ? 0 : size;
        try {
            Files.deleteIfExists(folder.resolve(name));
        } catch (IOException stays) {
            tell(stays);
        }
    }

    /** Once: a disk that is full is full for each block. */
    private synchronized void tell(IOException why) {
        if (!told) {
            told = true;
            LOG.warn("blocks of files of homes are not kept as they should be in {}: {}", folder, why.toString());
        }
    }
}
