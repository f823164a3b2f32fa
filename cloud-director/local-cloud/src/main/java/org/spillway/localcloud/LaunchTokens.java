package org.spillway.localcloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Client tokens and what was launched under each, on disk: a token outlives a restart. */
final class LaunchTokens {
    static final Duration KEPT = Duration.ofHours(24);
    private final Path directory;

    LaunchTokens(Path directory) {
        this.directory = directory;
    }

    /**
     * @param fingerprint of the parameters
     * @param instances as they were when launched
     * @param reason why fewer than asked; empty if all
     */
    record Remembered(
            String fingerprint,
            Instant at,
            List<InstanceRecord> instances,
            String reason,
            String message,
            List<CloudBehind.Part> parts) {
        Remembered {
            instances = List.copyOf(instances);
            // Absent in what earlier releases have written down.
            parts = parts == null ? List.of() : List.copyOf(parts);
        }
    }

    Optional<Remembered> find(String token) throws IOException {
        Path file = directory.resolve(token + ".json");
        return Files.exists(file)
                ? Optional.of(StateDirectory.JSON.readValue(file.toFile(), Remembered.class))
                : Optional.empty();
    }

    void remember(String token, Remembered launch) throws IOException {
        StateDirectory.write(directory.resolve(token + ".json"), StateDirectory.JSON.writeValueAsString(launch));
    }

    void forgetBefore(Instant limit) throws IOException {
        List<Path> files;
        try (Stream<Path> listing = Files.list(directory)) {
            files = listing.toList();
        }
        for (Path file : files) {
            if (Files.getLastModifiedTime(file).toInstant().isBefore(limit)) {
                Files.deleteIfExists(file);
            }
        }
    }
}
