package org.spillway.head.config;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.policy.Money;
import org.spillway.settings.ConfigMistakes;

/** A small configuration, and what reads it. */
abstract class ConfigScene {
    static final String SMALL = """
            cluster: demo
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { tree: image }
            queues: { east: { sites: [east] } }
            sites:
              east:
                driver: local
                maxNodes: 4
                director: { type: small }
            """;

    /** Settings of a policy, as it would declare them. */
    record Depth(Duration idleTime, int most, Money dearest, boolean spot, String label) {
        Depth {
            if (most < 1) {
                throw new IllegalArgumentException("allowed: 1 or more");
            }
            if (spot && most > 5) {
                throw new IllegalArgumentException("at most 5 with spot");
            }
        }
    }

    static final Installed INSTALLED = new Installed(
            Map.of("local", new FakeDriver()),
            Map.of("queue-depth", new Depth(Duration.ofSeconds(60), 4, Money.parse("1"), false, "x")),
            Map.of("other", new OtherQueue()));

    @TempDir
    Path directory;

    @BeforeEach
    void image() throws IOException {
        Files.createDirectories(directory.resolve("image"));
    }

    HeadConfig read(String text) throws IOException, ConfigMistakes {
        return ConfigReader.read(Files.writeString(directory.resolve("spillway.yaml"), text), INSTALLED);
    }

    List<String> mistakes(String text) throws IOException {
        var file = Files.writeString(directory.resolve("spillway.yaml"), text);
        return catchThrowableOfType(ConfigMistakes.class, () -> ConfigReader.read(file, INSTALLED)).lines().stream()
                .map(line -> line.replace(directory + "/", ""))
                .toList();
    }
}
