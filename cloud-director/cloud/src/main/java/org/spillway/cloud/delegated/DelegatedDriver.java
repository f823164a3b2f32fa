package org.spillway.cloud.delegated;

import java.time.InstantSource;
import java.util.Optional;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.Power;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;

/**
 * Driver of a child cluster, which buys of its parent. Options: {@code endpoint}, {@code tokenFile}, {@code
 * certificateFile}, {@code keyFile}, {@code caFile}, {@code timeoutSeconds} (60). The parent has the credentials,
 * checks each call against the child's limits, and writes it down before it makes it.
 */
public final class DelegatedDriver implements CloudDriver {
    @Override
    public String name() {
        return "delegated";
    }

    @Override
    public boolean makesHeads() {
        return false;
    }

    @Override
    public Site open(SiteSettings settings) {
        return new DelegatedSite(settings, new ParentApi(DelegatedSettings.from(settings)));
    }

    /** No console and no network: both are the parent's. Power is refused where the parent's provider has none. */
    private static final class DelegatedSite implements Site {
        private final ParentApi api;
        private final DelegatedCompute compute;

        DelegatedSite(SiteSettings settings, ParentApi api) {
            this.api = api;
            this.compute = new DelegatedCompute(settings, api);
        }

        @Override
        public Compute compute() {
            return compute;
        }

        @Override
        public Diagnostics diagnostics() {
            return new DelegatedDiagnostics(api, InstantSource.system());
        }

        @Override
        public Optional<Power> power() {
            return Optional.of(compute);
        }

        @Override
        public Optional<Inventory> inventory() {
            return Optional.of(compute);
        }

        @Override
        public void close() {
            // Connections end with their calls.
        }
    }
}
