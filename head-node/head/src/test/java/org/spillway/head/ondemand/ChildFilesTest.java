package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.api.Json;
import org.spillway.head.tenant.ChildManager;
import org.spillway.head.trust.Credential;
import org.spillway.policy.Market;
import org.spillway.scaler.plan.Breakers;
import org.spillway.scaler.plan.SickGroups;

final class ChildFilesTest {
    private static final ChildFiles.BrokerAccess ACCESS = new ChildFiles.BrokerAccess(
            "10.0.0.7", 22, "", "https://127.0.0.1:8444", "secret", new Credential("key", "crt"), "authority");
    private static final ChildFiles.Inherited INHERITED = new ChildFiles.Inherited(
            "EUR", "Europe/Berlin", 1000, Duration.ofMinutes(5), Breakers.Settings.DEFAULTS, "base", 9, Market.STEADY);

    /** A manager that nobody has heard of. */
    private record Grid(String file) implements ChildManager {
        @Override
        public Optional<Lack> lack(String site) {
            return Optional.empty();
        }

        @Override
        public Map<String, Object> workload(Place place) {
            return Map.of("manager", "grid", "grid", Map.of("master", place.address(), "nodes", place.nodes()));
        }

        @Override
        public Map<String, String> files(Place place) {
            return Map.of(file, "cluster " + place.cluster() + "\n");
        }

        @Override
        public String program() {
            return "manager_can() { :; }\n";
        }
    }

    @Test
    void aManagerOfItsOwnBringsItsSectionItsFilesAndItsProgram() throws Exception {
        var files = ChildFiles.of(Kids.withManager(), ACCESS, INHERITED, Optional.of(new Grid("grid.conf")));
        var root = Json.tree(files.getOrDefault("spillway.yaml", "").getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(root.path("socket").asText()).isEqualTo("/run/spillway-main-c1/sock");
        assertThat(root.path("workload").path("grid").path("nodes").asInt()).isEqualTo(9);
        assertThat(root.path("workload").path("grid").path("master").asText()).isEqualTo("10.0.0.7");
        assertThat(files).containsEntry("grid.conf", "cluster main-c1\n");
        assertThat(files.get("manager.sh")).isEqualTo("manager='/run/spillway-main-c1'\nmanager_can() { :; }\n");
    }

    /** H4 and H7: a child's head knows whose it is, and when it ends. */
    @Test
    void knowsItsOwnerItsEndAndThePriceOfItsHead() throws Exception {
        var files = ChildFiles.of(Kids.made(Duration.ofHours(1), "5"), ACCESS, INHERITED, Optional.empty());
        var root = Json.tree(files.getOrDefault("spillway.yaml", "").getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(root.path("onDemand").toString())
                .isEqualTo(
                        "{\"ends\":\"2026-11-22T10:00:00Z\",\"headPricePerHour\":\"0.00\",\"headSince\":\"2026-11-22T09:00:00Z\",\"owner\":\"alice\",\"ownerUid\":1001}");
    }

    @Test
    void aManagersFilesStayInTheirFolderAndReplaceNoneOfTheHeads() {
        for (String name : List.of("spillway.yaml", "../x.conf", "tls/x.conf", "passwd", "head.sh")) {
            assertThatThrownBy(() -> ChildFiles.of(Kids.withManager(), ACCESS, INHERITED, Optional.of(new Grid(name))))
                    .isInstanceOf(IllegalStateException.class);
        }
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
        var breakers = new Breakers.Settings(
                7,
                33,
                4,
                Duration.ofSeconds(90),
                8,
                0,
                new SickGroups.Settings(4, 50, Duration.ofHours(6), Duration.ofMinutes(5)));
        var files = ChildFiles.of(
                Kids.made(Duration.ofHours(1), "5"),
                access,
                new ChildFiles.Inherited(
                        "EUR", "Europe/Berlin", 1000, Duration.ofMinutes(5), breakers, "base", 4, Market.STEADY),
                Optional.empty());
        var root = Json.tree(files.getOrDefault("spillway.yaml", "").getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(root.path("breakers"))
                .isEqualTo(Json.tree(
                        "{\"bootFailures\":7,\"unreadyPercent\":33,\"unreadyLeast\":4,\"directorSilence\":\"90s\",\"unusedNodes\":8,\"unproven\":0,\"sickNodes\":4,\"sickPercent\":50,\"sickWithin\":\"21600s\",\"sickRest\":\"300s\"}"
                                .getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        assertThat(root.path("socket").asText()).hasSizeLessThan(100).startsWith("/proc/self/cwd/");
    }
}
