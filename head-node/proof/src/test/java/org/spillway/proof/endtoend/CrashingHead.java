package org.spillway.proof.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.Installed;
import org.spillway.head.journal.SqliteJournalStore;
import org.spillway.head.service.HeadProcess;
import org.spillway.head.tenant.WorkloadTenants;
import org.spillway.policy.builtin.QueueDepthPolicy;

/** A head as it is, but for a journal that ends its process by SIGKILL at each kind of transition, once. */
final class CrashingHead {
    private CrashingHead() {}

    /**
     * @param arguments the configuration, the file of transitions that were crashed at, BEFORE or AFTER the write, and
     *     the places to die at, none for all
     */
    public static void main(String[] arguments) throws Exception {
        var policy = new QueueDepthPolicy();
        var installed = Installed.withDrivers(Map.of(policy.name(), policy.defaults()), WorkloadTenants.sections());
        var config = ConfigReader.read(Path.of(arguments[0]), installed);
        var store = new CrashingStore(
                SqliteJournalStore.open(config.state()),
                Path.of(arguments[1]),
                CrashingStore.Moment.valueOf(arguments[2]),
                List.of(arguments).subList(3, arguments.length));
        new HeadProcess(
                        config,
                        installed.drivers(),
                        Map.of(policy.name(), policy),
                        Path.of(System.getenv("SPILLWAY_HOME"), "lib"),
                        directorDistribution(),
                        "test",
                        InstantSource.system())
                .run(store, () -> System.err.println("a head that will crash is up"));
        System.exit(0);
    }

    private static Path directorDistribution() throws IOException {
        Path lib = Path.of(System.getenv("SPILLWAY_HOME"), "director", "lib");
        if (!Files.isDirectory(lib)) {
            throw new IOException(lib + " is missing");
        }
        return lib;
    }
}
