package org.spillway.head.past;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/** The file {@code secrets/state-id} of mode 600: old or new as a whole, and durable when a write has returned. */
public final class StateIdFile {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path secrets;
    private final Path file;

    public StateIdFile(Path stateDirectory) {
        this.secrets = stateDirectory.resolve("secrets");
        this.file = secrets.resolve("state-id");
    }

    public Path path() {
        return file;
    }

    /** @throws IOException if it is there and cannot be read, or is damaged */
    public Optional<StateMark> read() throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Properties said = new Properties();
        try {
            said.load(new StringReader(Files.readString(file)));
            return Optional.of(new StateMark(
                    said.getProperty("identity", ""),
                    Integer.parseInt(said.getProperty("epoch", "")),
                    Long.parseLong(said.getProperty("starts", "")),
                    Long.parseLong(said.getProperty("commits", "")),
                    Long.parseLong(said.getProperty("numbers", "")),
                    Boolean.parseBoolean(said.getProperty("quarantined", ""))));
        } catch (IllegalArgumentException damaged) {
            throw new IOException(file + " is damaged: put it back from a backup", damaged);
        }
    }

    /** After a return it survives a power cut; after a crash it is the old one or the new one. */
    public void write(StateMark mark) throws IOException {
        String text =
                "# Which journal belongs to these secrets, and how far it has come. Backed up together with journal.db.\n"
                        + "identity=" + mark.identity() + "\nepoch=" + mark.epoch() + "\nstarts=" + mark.starts()
                        + "\ncommits="
                        + mark.commits() + "\nnumbers=" + mark.numbers() + "\nquarantined=" + mark.quarantined() + "\n";
        if (!Files.isDirectory(secrets)) {
            Files.createDirectories(secrets.toAbsolutePath().getParent());
            Files.createDirectory(secrets, OWNER_FOLDER);
        }
        Path unfinished = secrets.resolve("state-id.unfinished");
        try (var channel = FileChannel.open(unfinished, Set.of(CREATE, WRITE, TRUNCATE_EXISTING), OWNER_ONLY)) {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (var folder = FileChannel.open(secrets, READ)) {
            folder.force(true);
        }
    }

    /** Whether a cluster has lived in that state directory: its authority or an image is there. */
    public static boolean hasTraces(Path stateDirectory) throws IOException {
        Path images = stateDirectory.resolve("images");
        if (Files.exists(stateDirectory.resolve("secrets").resolve("authority.pem"))) {
            return true;
        }
        if (!Files.isDirectory(images)) {
            return false;
        }
        try (var inside = Files.list(images)) {
            return inside.findAny().isPresent();
        }
    }
}
