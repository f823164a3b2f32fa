package org.spillway.localcloud;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/** The directory that one local-cloud at a time owns. Files appear whole or not at all, readable by the owner only. */
public final class StateDirectory implements AutoCloseable {
    public static final ObjectMapper JSON = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    private final Path root;
    private final FileChannel lockFile;

    private StateDirectory(Path root, FileChannel lockFile) {
        this.root = root;
        this.lockFile = lockFile;
    }

    /** @throws IOException with a message for the administrator if it is owned already or cannot be used */
    static StateDirectory open(Path given) throws IOException {
        Path root = given.toAbsolutePath().normalize();
        Files.createDirectories(root);
        // Root runs jobs under their own uid inside an instance's directory, and they have to get through to it.
        boolean superuser = Files.getOwner(root).getName().equals("root");
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString(superuser ? "rwx--x--x" : "rwx------"));
        root = root.toRealPath();
        for (String name : new String[] {"instances", "tokens", "poweroff"}) {
            Files.createDirectories(root.resolve(name));
        }
        FileChannel channel =
                FileChannel.open(root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException sameProcess) {
            lock = null;
        }
        if (lock == null) {
            channel.close();
            throw new IOException("another local-cloud runs on " + root + " (see " + root.resolve("endpoint") + ")");
        }
        return new StateDirectory(root, channel);
    }

    Path root() {
        return root;
    }

    Path instance(String id) {
        return root.resolve("instances").resolve(id);
    }

    /** The bearer token: made at the first start, then kept. */
    String token() throws IOException {
        Path file = root.resolve("token");
        if (!Files.exists(file)) {
            byte[] random = new byte[32];
            new SecureRandom().nextBytes(random);
            write(file, HexFormat.of().formatHex(random));
        }
        return Files.readString(file).strip();
    }

    void writeEndpoint(String listen, int port) throws IOException {
        write(
                root.resolve("endpoint"),
                listen + ":" + port + " " + ProcessHandle.current().pid() + "\n");
    }

    public static void write(Path file, String text) throws IOException {
        write(file, text, "rw-------");
    }

    static void write(Path file, String text, String mode) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IOException("no directory for " + file);
        }
        Path next = Files.createTempFile(directory, "." + file.getFileName(), ".new");
        try {
            Files.writeString(next, text);
            Files.setPosixFilePermissions(next, PosixFilePermissions.fromString(mode));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(next);
        }
    }

    @Override
    public void close() throws IOException {
        lockFile.close();
    }
}
