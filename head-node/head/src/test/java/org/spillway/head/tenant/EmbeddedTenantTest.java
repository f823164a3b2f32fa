package org.spillway.head.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.FakeDriver;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.head.workload.WorkloadManager;
import org.spillway.policy.builtin.BuiltInPolicies;

final class EmbeddedTenantTest {
    @TempDir
    Path folder;

    private HeadConfig config() throws Exception {
        Map<String, Record> defaults = new HashMap<>();
        BuiltInPolicies.byName().forEach((name, policy) -> defaults.put(name, policy.defaults()));
        Files.createDirectories(folder.resolve("tree"));
        Path file = Files.writeString(folder.resolve("spillway.yaml"), """
                cluster: demo
                budget: { limit: 50.00, period: day }
                directory: { source: nss }
                image: { name: base, tree: ./tree }
                queues: { gpu: { sites: [east] } }
                sites: { east: { driver: local, maxNodes: 4, director: { type: small } } }
                """);
        return ConfigReader.read(file, new Installed(Map.of("local", new FakeDriver()), defaults, Map.of()));
    }

    @Test
    void theHeadsOwnQueueIsFoundAndOpenedAsOthersAre() throws Exception {
        HeadConfig config = config();
        WorkloadTenant found = WorkloadTenants.of(config.workload().manager());
        assertThat(found).isInstanceOf(EmbeddedTenant.class);
        var ground = new Ground(
                config,
                new Logins(uid -> Optional.empty(), user -> Optional.empty()),
                List.of(),
                InstantSource.system(),
                () -> {});
        Tenancy tenancy = found.open(ground);
        try (WorkloadManager manager = tenancy.manager()) {
            assertThat(manager.name()).isEqualTo("embedded");
            assertThat(manager.poll(Instant.EPOCH).allocations()).isEmpty();
            assertThat(tenancy.manager()).isSameAs(manager);
        }
    }

    @Test
    void itHasNoSectionAndNoClusterNeedsToSetItUp() {
        assertThat(WorkloadTenants.all()).containsKey("embedded");
        assertThatThrownBy(() -> WorkloadTenants.of("pbs"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no workload manager 'pbs'; it has: embedded");
        assertThat(WorkloadTenants.sections()).doesNotContainKey("embedded");
        assertThat(WorkloadTenants.children()).doesNotContainKey("embedded");
    }
}
