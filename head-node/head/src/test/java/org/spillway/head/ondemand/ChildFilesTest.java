package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.spillway.api.Json;
import org.spillway.head.trust.Credential;
import org.spillway.scaler.plan.Breakers;

final class ChildFilesTest {
    @Test
    void aSlurmHasItsOwnPlacesAndNoKeyOfItsParents() throws Exception {
        var files = ChildFiles.of(
                Kids.withSlurm(),
                new ChildFiles.BrokerAccess(
                        "10.0.0.7",
                        22,
                        "",
                        "https://127.0.0.1:8444",
                        "secret",
                        new Credential("key", "crt"),
                        "authority"),
                new ChildFiles.Inherited(
                        "EUR", "Europe/Berlin", 1000, Duration.ofMinutes(5), Breakers.Settings.DEFAULTS, "base", 9));
        var root = Json.tree(files.getOrDefault("spillway.yaml", "").getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(root.path("socket").asText()).isEqualTo("/run/spillway-main-c1/sock");
        assertThat(root.path("workload").toString())
                .contains("\"controller\":\"10.0.0.7:6817\"", "\"nodes\":{\"west\":{\"small\":9}}");
        assertThat(files.get("slurm.conf"))
                .startsWith("# folder /run/spillway-main-c1\n")
                .contains("ClusterName=mainc1\n", "SlurmctldHost=@HOST@(10.0.0.7)\n");
        assertThat(files.keySet()).noneMatch(name -> name.contains("munge"));
    }

    @Test
    void inheritsItsParentsBreakersAndHasAShortSocket() throws Exception {
        var access = new ChildFiles.BrokerAccess(
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
                access,
                new ChildFiles.Inherited("EUR", "Europe/Berlin", 1000, Duration.ofMinutes(5), breakers, "base", 4));
        var root = Json.tree(files.getOrDefault("spillway.yaml", "").getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(root.path("breakers"))
                .isEqualTo(Json.tree(
                        "{\"bootFailures\":7,\"unreadyPercent\":33,\"unreadyLeast\":4,\"directorSilence\":\"90s\",\"unusedNodes\":8,\"unproven\":0}"
                                .getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        assertThat(root.path("socket").asText()).hasSizeLessThan(100).startsWith("/proc/self/cwd/");
    }
}
