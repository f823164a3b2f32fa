package org.spillway.stage.container;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.spillway.stage.pull.Trust;
import org.spillway.stage.tree.ImageName;

/**
 * A user's images at home, in a folder of that user: blobs as an OCI layout has them, and of each image that a job has asked
 * for the folder that goes to sites. What nobody has asked for in 30 days goes.
 *
 * @param folder made where it is missing
 * @param platform architecture as images name it, such as {@code amd64}
 */
public record ImageCache(
        Path folder, String platform, String trust, InstantSource clock, Progress progress, Registry.Pause pause) {
    private static final Duration KEPT = Duration.ofDays(30);
    /** Another number where the same image would make other files. */
    private static final String ROOTS = "roots-1";

    private static final int TRIES = 4;
    private static final Duration WHILE_SOMEBODY_WAITS = Duration.ofSeconds(5);

    /** Of a user whose home it is. */
    public static ImageCache of(Path home, String platform, String trust, Progress progress) {
        return new ImageCache(
                home.resolve(".cache/spillway/images"),
                platform,
                trust,
                InstantSource.system(),
                progress,
                length -> rest(length, progress));
    }

    /** The architecture of this very machine, as images name it. */
    public static String ownPlatform() {
        return switch (System.getProperty("os.arch", "")) {
            case "aarch64" -> "arm64";
            case String other -> other;
        };
    }

    /**
     * A name by the digest of the index, or the image, that it stands for by now.
     *
     * @throws ImageRefused if there is none, or not for this user
     * @throws IOException if nobody answers just now
     */
    public ImageName pinned(ImageName name, Path home, int uid) throws IOException {
        if (!name.digest().isEmpty()) {
            return name;
        }
        return name.pinned(source(name, home, uid, true).digest());
    }

    /**
     * The folder of an image, which is fetched where it is not there: {@code root.tar.gz}, {@code environment}, and
     * {@code image} with its SHA-256, its bytes, and those when it is unpacked.
     *
     * @param name by its digest
     * @throws ImageRefused if it cannot be had, or is not what the digest says
     * @throws IOException if nobody answers just now, or the disk is full
     */
    public Path fetch(ImageName name, Path home, int uid) throws IOException {
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (FileChannel channel =
                        FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock own = locked(channel)) {
            Blobs blobs = new Blobs(folder.resolve("blobs/sha256"), source(name, home, uid, false), progress);
            Image image = Image.of(blobs, name, platform);
            Path made = folder.resolve(ROOTS).resolve(image.hex());
            Files.createDirectories(made.getParent());
            if (!own.isValid() || !RootFolder.isWhole(made)) {
                delete(made);
                new RootFolder(blobs, image, progress).make(made);
            }
            Files.setLastModifiedTime(made, FileTime.from(clock.instant()));
            tidy();
            return made;
        }
    }

    /** Another process of the user's may be at an image: one after the other. */
    private FileLock locked(FileChannel channel) throws IOException {
        while (true) {
            try {
                FileLock lock = channel.tryLock();
                if (lock != null) {
                    return lock;
                }
            } catch (OverlappingFileLockException another) {
                // Of this very process.
            }
            progress.working();
            pause.pause(Duration.ofMillis(500));
        }
    }

    private Source source(ImageName name, Path home, int uid, boolean somebodyWaits) {
        return switch (name) {
            case ImageName.Local local -> new LayoutSource(local, platform, progress);
            case ImageName.Remote remote -> {
                var patience = new Registry.Patience(
                        somebodyWaits ? 1 : TRIES,
                        Trust.context(trust),
                        somebodyWaits ? WHILE_SOMEBODY_WAITS : Registry.ANSWER,
                        pause);
                yield new RegistrySource(remote, new Registry(remote, RegistryLogins.of(home, uid), patience));
            }
        };
    }

    private static void rest(Duration length, Progress progress) throws IOException {
        Instant end = Instant.now().plus(length);
        while (Instant.now().isBefore(end)) {
            progress.working();
            try {
                Thread.sleep(Math.min(
                        1000, Math.max(1, Duration.between(Instant.now(), end).toMillis())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }

    private void tidy() throws IOException {
        FileTime old = FileTime.from(clock.instant().minus(KEPT));
        for (String place : List.of("blobs/sha256", ROOTS)) {
            try (Stream<Path> all = Files.list(folder.resolve(place))) {
                for (Path each : all.toList()) {
                    if (Files.getLastModifiedTime(each).compareTo(old) < 0) {
                        delete(each);
                    }
                }
            } catch (NoSuchFileException gone) {
                // Another process tidies, too.
            }
        }
    }

    static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> all = Files.walk(tree)) {
            all.sorted(Comparator.reverseOrder()).forEach(each -> {
                try {
                    Files.deleteIfExists(each);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
