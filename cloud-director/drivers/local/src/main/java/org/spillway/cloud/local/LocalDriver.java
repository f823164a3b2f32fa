package org.spillway.cloud.local;

import java.time.InstantSource;
import java.util.Optional;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Console;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.Power;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;

/**
 * Instances on this machine, from a local-cloud. Options: {@code state} (directory of a local-cloud, started when it
 * does not answer) with {@code config}, or {@code endpoint} with {@code tokenFile}; {@code timeoutSeconds} (30),
 * {@code consistencySeconds} (5) and {@code sshPort} (that of the instances).
 */
public final class LocalDriver implements CloudDriver {
    @Override
    public String name() {
        return "local";
    }

    @Override
    public boolean isOfThisMachine() {
        return true;
    }

    @Override
    public Site open(SiteSettings settings) {
        return new LocalSite(settings, new LocalApi(LocalSettings.from(settings)));
    }

    /** All roles but a network: a local-cloud needs none. */
    private static final class LocalSite implements Site {
        private final LocalApi api;
        private final LocalCompute compute;

        LocalSite(SiteSettings settings, LocalApi api) {
            this.api = api;
            this.compute = new LocalCompute(settings, api);
        }

        @Override
        public Compute compute() {
            return compute;
        }

        @Override
        public Diagnostics diagnostics() {
            return new LocalDiagnostics(api, InstantSource.system());
        }

        @Override
        public Optional<Power> power() {
            return Optional.of(compute.power());
        }

        @Override
        public Optional<Console> console() {
            return Optional.of(compute::console);
        }

        @Override
        public Optional<Inventory> inventory() {
            return Optional.of(compute.inventory());
        }

        @Override
        public void close() {
            api.close();
        }
    }
}
