package org.spillway.head.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.head.staging.HeadSeal;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.image.store.VersionStore;
import org.spillway.image.store.Watch;
import org.spillway.policy.builtin.QueueDepthPolicy;

final class VersionsLookTest {
    @TempDir
    Path folder;

    private HeadConfig config(String image) throws Exception {
        Files.createDirectories(folder.resolve("image"));
        Path file = Files.writeString(folder.resolve("spillway.yaml"), """
                cluster: demo
                budget: { limit: 50.00, period: day }
                directory: { source: nss }
                image: { tree: image }
                queues: { east: { sites: [east], default: true } }
                categories: { ml: { %s queues: [east] } }
                sites: { east: { driver: local, maxNodes: 4, director: { type: small }, options: { state: c } } }
                """.formatted(image));
        var depth = new QueueDepthPolicy();
        return ConfigReader.read(file, Installed.withDrivers(Map.of(depth.name(), depth.defaults()), Map.of()));
    }

    private void build() throws Exception {
        Path state = Files.createDirectories(folder.resolve("state"));
        for (String file : new String[] {"tree/bin/sh", "tree/bin/env"}) {
            Files.createDirectories(folder.resolve("tree/bin"));
            Files.writeString(folder.resolve(file), "#!\n");
            Files.setPosixFilePermissions(folder.resolve(file), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        var seal = HeadSeal.of(SiteAuthority.open(state, Instant::now));
        try (var store = VersionStore.open(state.resolve("image-store"), seal);
                var captured = store.capture(folder.resolve("tree"), false, Instant.EPOCH, Watch.NONE)) {
            store.tag(store.keep(captured, "compute", "by hand", Instant.EPOCH, Watch.NONE), "stable");
        }
    }

    @Test
    void saysWhatTheHeadLacksForTheVersionsOfItsCategories() throws Exception {
        assertThat(VersionsLook.of(config(""), false, program -> false)).isEmpty();
        build();
        HeadConfig config = config("image: { version: 'compute:stable' },");
        assertThat(VersionsLook.of(config, false, program -> true)).get().satisfies(found -> {
            assertThat(found.verdict()).isEqualTo(Verdict.BROKEN);
            assertThat(found.repair()).startsWith("run the head as root");
        });
        assertThat(VersionsLook.of(config, true, program -> false))
                .get()
                .satisfies(found -> assertThat(found.repair()).isEqualTo("apt install erofs-utils"));
        assertThat(VersionsLook.of(config, true, program -> program.equals("mkfs.erofs")))
                .get()
                .satisfies(found -> assertThat(found.verdict()).isEqualTo(Verdict.WARNING));
        assertThat(VersionsLook.of(config, true, program -> true))
                .get()
                .satisfies(found -> assertThat(found.verdict()).isEqualTo(Verdict.GOOD));
    }
}
