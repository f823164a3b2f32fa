package org.spillway.director;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.ChangedInputs;
import org.spillway.stage.store.Eviction;
import org.spillway.stage.store.PieceIntake;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.store.ResultIntake;
import org.spillway.stage.transfer.LocalTransfer;

/**
 * The site's staging space at {@code STATE/store}, in the layout of {@link LocalTransfer}: the head writes the same
 * folder over SFTP.
 */
final class StagingSpace {
    private static final int MAX_IMAGES_TOLD = 1000;
    /** Kept free, so that the director's own state can always be written. */
    private static final long RESERVE_BYTES = 16L * 1024 * 1024;

    /** A part of the disk is made free when room is short: one of so many. */
    private static final int ROOM_MADE = 20;
    /** A part of the disk that files of homes may take: one of so many. */
    private static final int REACH_PART = 5;

    /** No key: one look at a time, since each reads a whole image for whoever asks. */
    private static final String LOOK = "look at an image";

    private final Path root;
    private final LocalTransfer transfer;
    private final PieceStore pieces;
    private final ChangedInputs changes;
    private final Eviction eviction;
    private final String id;
    private final Set<String> uploading = ConcurrentHashMap.newKeySet();
    private volatile Runnable others = () -> {};

    /** How an upload ended. */
    enum Outcome {
        STORED,
        BUSY,
        /** Bytes in front of these are missing. */
        GAP,
        NO_ROOM,
        /** Not even an empty disk would take it. */
        TOO_LARGE
    }

    /** The finding of a look at an image. */
    enum Look {
        WHOLE,
        /** The image was rotten and is none any more, or there was none. */
        GONE,
        BUSY
    }

    StagingSpace(Path stateDirectory) throws IOException {
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Files.createDirectories(stateDirectory, mode);
        this.root = stateDirectory.resolve("store");
        Path idFile = stateDirectory.resolve("store-id");
        boolean fresh = !Files.isDirectory(root) || !Files.isRegularFile(idFile);
        this.transfer = new LocalTransfer(root);
        this.pieces = new PieceStore(root, InstantSource.system());
        this.changes = new ChangedInputs(pieces);
        this.eviction = new Eviction(root, pieces);
        PieceIntake.clear(root);
        if (fresh) {
            Path draft = stateDirectory.resolve("store-id.new");
            Files.writeString(draft, UUID.randomUUID().toString());
            Files.move(draft, idFile, StandardCopyOption.ATOMIC_MOVE);
        }
        this.id = Files.readString(idFile).strip();
    }

    static String imageKey(String sha256) {
        return "images/" + sha256;
    }

    /** Random, made with the folder: another one means that what was staged is gone. */
    String id() {
        return id;
    }

    /** The store of inputs. */
    PieceStore pieces() {
        return pieces;
    }

    /** Inputs as what is other in them than in those that nodes have. */
    ChangedInputs changes() {
        return changes;
    }

    /** The store of one user's inputs, for those that come from other ends. */
    PieceIntake intake(int uid) throws IOException {
        return new PieceIntake(root, pieces, uid);
    }

    /**
     * Keeps what results are made of among the pieces of their user. None there, or no room, is success: nothing is kept.
     *
     * @param key of sealed results
     */
    void keepPieces(int uid, String key) throws IOException {
        OptionalLong bytes = sealedBytes(key);
        if (bytes.isPresent() && bytes.getAsLong() < inputRoomBytes() && !isRoomShort()) {
            try (InputStream results = Files.newInputStream(root.resolve(key), LinkOption.NOFOLLOW_LINKS)) {
                ResultIntake.take(results, intake(uid));
            }
        }
    }

    /** Where it is written down what one user has pulled. */
    Path pullBook(int uid) throws IOException {
        return Files.createDirectories(root.resolve("users/" + uid)).resolve("pulled");
    }

    /** Bytes that inputs may still take. */
    long inputRoomBytes() throws IOException {
        return freeBytes() - RESERVE_BYTES;
    }

    /** Removes what nobody needs. May be repeated; takes a look at every pack. */
    void evict() throws IOException {
        long total = Files.getFileStore(root).getTotalSpace();
        others.run();
        eviction.evict(Instant.now(), eviction.isRoomShort() ? total / ROOM_MADE : 0);
    }

    /** @param others gives back what it keeps beside this for nobody's need, before an input goes */
    void onEviction(Runnable others) {
        this.others = others;
    }

    /** Bytes that files of homes may take beside this: a part of the disk, and nothing while room is short. */
    long reachBytes() throws IOException {
        return eviction.isRoomShort() ? 0 : Files.getFileStore(root).getTotalSpace() / REACH_PART;
    }

    boolean isRoomShort() throws IOException {
        return eviction.isRoomShort();
    }

    /** Length of a sealed object, or of an input that was put together here; empty when there is none. */
    OptionalLong sealedBytes(String key) throws IOException {
        Optional<Checksum> given = pieces.given(key);
        if (given.isPresent()) {
            return OptionalLong.of(given.get().bytes());
        }
        return transfer.isSealed(key) ? OptionalLong.of(transfer.received(key)) : OptionalLong.empty();
    }

    /** Of an input that is on its way the rest is waited for. */
    void copyTo(String key, long from, OutputStream sink) throws IOException {
        if (pieces.expected(key).isPresent()) {
            pieces.copyGrowing(key, from, sink);
        } else {
            transfer.receive(key, from, sink);
        }
    }

    /** Bytes of an object that need not be sent again. */
    long receivedBytes(String key) throws IOException {
        return transfer.received(key);
    }

    /**
     * Stores an object and seals it; sealed already with this checksum is success.
     *
     * @param from place of the first of {@code bytes}, at most {@link #receivedBytes}: what lies before came earlier
     */
    Outcome store(String key, long from, InputStream bytes, Checksum checksum) throws IOException {
        if (transfer.isSealed(key)) {
            transfer.seal(key, checksum);
            return Outcome.STORED;
        }
        if (from > transfer.received(key)) {
            return Outcome.GAP;
        }
        if (checksum.bytes() > mostBytes()) {
            return Outcome.TOO_LARGE;
        }
        if (checksum.bytes() - from + RESERVE_BYTES > freeBytes()) {
            return Outcome.NO_ROOM;
        }
        if (!uploading.add(key)) {
            return Outcome.BUSY;
        }
        try {
            transfer.send(key, from, bytes);
            transfer.seal(key, checksum);
            return Outcome.STORED;
        } finally {
            uploading.remove(key);
        }
    }

    /** Reads an image that somebody doubts; one that is not what its name says is removed. */
    Look look(String sha256) throws IOException {
        String key = imageKey(sha256);
        if (!uploading.add(LOOK)) {
            return Look.BUSY;
        }
        try {
            OptionalLong bytes = sealedBytes(key);
            if (bytes.isEmpty()) {
                return Look.GONE;
            }
            var digest = Sha256.digest();
            try (var sink = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
                copyTo(key, 0, sink);
            }
            if (Sha256.checksum(bytes.getAsLong(), digest).sha256().equals(sha256)) {
                return Look.WHOLE;
            }
            remove(key);
            return Look.GONE;
        } finally {
            uploading.remove(LOOK);
        }
    }

    /** An object, or all below a key; none there is success. */
    void remove(String key) throws IOException {
        transfer.remove(key);
    }

    /** Digests of complete images here. */
    List<String> images() throws IOException {
        Path folder = root.resolve("images");
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("[0-9a-f]{64}"))
                    .limit(MAX_IMAGES_TOLD)
                    .toList();
        }
    }

    /** The largest object that this disk could take if nothing else were on it. */
    long mostBytes() throws IOException {
        return Math.max(0, Files.getFileStore(root).getTotalSpace() - RESERVE_BYTES);
    }

    long freeBytes() throws IOException {
        return Files.getFileStore(root).getUsableSpace();
    }
}
