package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.spillway.head.rest.Json;
import org.spillway.head.trust.Credential;
import org.spillway.scaler.plan.Breakers;

final class ChildFilesTest {
    @Test
    void inheritsItsParentsBreakersAndHasAShortSocket() throws Exception {
        var door = new ChildFiles.Door(
                "10.0.0.7",
                22,
                "ssh-ed25519 AAAA",
                "https://127.0.0.1:8444",
                "secret",
                new Credential("key", "certificate"),
                "authority");
        var breakers = new Breakers.Settings(7, 33, 4, Duration.ofSeconds(90), 8, 0);
        var files = ChildFiles.of(
                Kids.made(Duration.ofHours(1), "5"),
                door,
                new ChildFiles.Inherited("EUR", "Europe/Berlin", 1000, Duration.ofMinutes(5), breakers, "base"));
        var root = Json.tree(files.getOrDefault("spillway.yaml", "").getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(root.path("breakers"))
                .isEqualTo(Json.tree(
                        "{\"bootFailures\":7,\"unreadyPercent\":33,\"unreadyLeast\":4,\"directorSilence\":\"90s\",\"unusedNodes\":8,\"unproven\":0}"
                                .getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        assertThat(root.path("socket").asText()).hasSizeLessThan(100).startsWith("/proc/self/cwd/");
    }
}
