package org.spillway.slurm.setup;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.spillway.api.Json;

/**
 * A folder with the manifest and with all bytes that files had or shall have, for nobody else to read. What is to be done is
 * written down before the first file is touched, so that a call which was broken off is taken back by the next.
 */
public final class SetupStore implements AutoCloseable {
    private static final String MANIFEST = "manifest.json";
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rw-------");
    private static final int MOST_BYTES = 16 << 20;

    private final Path folder;
    private final FileChannel lock;
    private final Consumer<Path> before;

    private SetupStore(Path folder, FileChannel lock, Consumer<Path> before) {
        this.folder = folder;
        this.lock = lock;
        this.before = before;
    }

    /**
     * @param folder made where it is not there
     * @throws SetupRefused if another call is at work
     */
    public static SetupStore open(Path folder) throws IOException, SetupRefused {
        return open(folder, path -> {});
    }

    /** @param before told of each file of the site's that is about to be changed */
    static SetupStore open(Path folder, Consumer<Path> before) throws IOException, SetupRefused {
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        FileChannel channel = FileChannel.open(
                folder.resolve("lock"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PRIVATE));
        try {
            if (channel.tryLock() != null) {
                return new SetupStore(folder, channel, before);
            }
        } catch (OverlappingFileLockException another) {
            channel.close();
            throw busy(folder);
        }
        channel.close();
        throw busy(folder);
    }

    private static SetupRefused busy(Path folder) {
        return new SetupRefused("another 'spillway slurm setup' or 'undo' is at work in " + folder, "wait for its end");
    }

    public Manifest manifest() throws IOException {
        Path file = folder.resolve(MANIFEST);
        return Files.exists(file) ? Json.read(Files.readAllBytes(file), Manifest.class) : Manifest.NONE;
    }

    byte[] bytes(FileState state) throws IOException {
        byte[] bytes = Files.readAllBytes(folder.resolve(state.digest()));
        if (!Digests.sha256(bytes).equals(state.digest())) {
            throw new IOException(folder.resolve(state.digest()) + " is not what was kept there");
        }
        return bytes;
    }

    /** Keeps bytes. */
    void keep(byte[] bytes) throws IOException {
        Path file = folder.resolve(Digests.sha256(bytes));
        if (!Files.exists(file)) {
            replace(file, bytes, PRIVATE, -1, -1);
        }
    }

    /** As it is now; its bytes are kept. */
    FileState look(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return FileState.ABSENT;
        }
        if (Files.size(file) > MOST_BYTES) {
            throw new IOException(file + " has more than 16 MiB");
        }
        byte[] bytes = Files.readAllBytes(file);
        keep(bytes);
        Map<String, Object> seen = Files.readAttributes(file, "unix:uid,gid");
        return new FileState(
                Digests.sha256(bytes),
                PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
                (Integer) seen.getOrDefault("uid", 0),
                (Integer) seen.getOrDefault("gid", 0));
    }

    /** Makes all moves, and writes down what holds then. */
    void move(Manifest now, List<Manifest.Move> moves, List<Manifest.Managed> then) throws IOException {
        write(new Manifest(Manifest.VERSION, now.files(), moves));
        for (Manifest.Move each : moves) {
            put(Path.of(each.path()), each.to());
        }
        write(new Manifest(Manifest.VERSION, then, List.of()));
    }

    /**
     * Takes back what a call has left that was broken off.
     *
     * @return the files of that call; empty when there was none
     * @throws SetupRefused if one of them is neither as it was nor as it should be
     */
    public List<String> recover() throws IOException, SetupRefused {
        Manifest now = manifest();
        for (Manifest.Move each : now.pending()) {
            FileState seen = look(Path.of(each.path()));
            if (!seen.holds(each.from()) && !seen.holds(each.to())) {
                throw new SetupRefused(
                        each.path() + " was changed since a call that was broken off:\n" + difference(each, seen),
                        "put it back as it was before ("
                                + folder.resolve(each.from().digest()) + "), and try again");
            }
        }
        for (Manifest.Move each : now.pending()) {
            put(Path.of(each.path()), each.from());
        }
        if (!now.pending().isEmpty()) {
            write(new Manifest(Manifest.VERSION, now.files(), List.of()));
        }
        return now.pending().stream().map(Manifest.Move::path).toList();
    }

    private String difference(Manifest.Move move, FileState seen) throws IOException {
        return UnifiedDiff.of(move.path() + " (to be)", move.path(), text(move.to()), text(seen));
    }

    String text(FileState state) throws IOException {
        return state.isThere() ? Texts.of(bytes(state)) : "";
    }

    private void put(Path file, FileState state) throws IOException {
        before.accept(file);
        if (state.isThere()) {
            replace(file, bytes(state), PosixFilePermissions.fromString(state.mode()), state.uid(), state.gid());
        } else {
            Files.deleteIfExists(fresh(file));
            Files.deleteIfExists(file);
        }
    }

    private static Path fresh(Path file) {
        return file.resolveSibling("." + file.getFileName() + ".spillway-new");
    }

    private void write(Manifest manifest) throws IOException {
        replace(folder.resolve(MANIFEST), Texts.bytes(Json.writeIndented(manifest) + "\n"), PRIVATE, -1, -1);
    }

    /** By a rename: Slurm may read the file at any moment. @param uid -1 to leave it */
    private static void replace(Path file, byte[] bytes, Set<PosixFilePermission> mode, int uid, int gid)
            throws IOException {
        Path fresh = fresh(file);
        Files.deleteIfExists(fresh);
        try (FileChannel out = FileChannel.open(
                fresh,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PRIVATE))) {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                out.write(left);
            }
            out.force(true);
        }
        if (uid >= 0) {
            Map<String, Object> seen = Files.readAttributes(fresh, "unix:uid,gid");
            if (!Integer.valueOf(uid).equals(seen.get("uid"))) {
                Files.setAttribute(fresh, "unix:uid", uid);
            }
            if (!Integer.valueOf(gid).equals(seen.get("gid"))) {
                Files.setAttribute(fresh, "unix:gid", gid);
            }
        }
        Files.setPosixFilePermissions(fresh, mode);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
