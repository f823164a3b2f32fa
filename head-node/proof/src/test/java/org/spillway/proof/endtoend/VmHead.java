package org.spillway.proof.endtoend;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.spillway.cloud.CloudDriver;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.Installed;
import org.spillway.head.journal.SqliteJournalStore;
import org.spillway.head.service.HeadProcess;
import org.spillway.policy.builtin.QueueDepthPolicy;

/** A head as it is, with the provider of {@link VmDriver}. */
final class VmHead {
    private VmHead() {}

    /** @param arguments the configuration */
    public static void main(String[] arguments) throws Exception {
        var policy = new QueueDepthPolicy();
        Map<String, CloudDriver> drivers = new HashMap<>();
        drivers.put("vm-lab", new VmDriver());
        var installed = new Installed(drivers, Map.of(policy.name(), policy.defaults()), Map.of());
        var config = ConfigReader.read(Path.of(arguments[0]), installed);
        new HeadProcess(
                        config,
                        installed.drivers(),
                        Map.of(policy.name(), policy),
                        Path.of(System.getenv("SPILLWAY_HOME"), "lib"),
                        Path.of(System.getenv("SPILLWAY_HOME"), "director", "lib"),
                        "test",
                        InstantSource.system())
                .run(SqliteJournalStore.open(config.state()), () -> System.err.println("a head of machines is up"));
        System.exit(0);
    }
}
