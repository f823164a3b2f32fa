package org.spillway.cloud.openstack;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Console;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.Network;
import org.spillway.cloud.Power;
import org.spillway.cloud.Quotas;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;

/** Instances of any OpenStack with Keystone v3 and a Nova of Rocky (2018) or later. The options are in {@code docs/drivers/openstack.md}. */
public final class OpenStackDriver implements CloudDriver {
    @Override
    public String name() {
        return "openstack";
    }

    @Override
    public Site open(SiteSettings settings) {
        return open(settings, InstantSource.system());
    }

    Site open(SiteSettings settings, InstantSource clock) {
        OpenStackSettings options = OpenStackSettings.from(settings);
        Wire wire;
        try {
            wire = new Wire(options.caFile(), options.timeout(), settings.recorder(), clock);
        } catch (IOException unusable) {
            throw new SiteSettings.Invalid("caFile", String.valueOf(unusable.getMessage()));
        }
        Keystone keystone = new Keystone(options, wire, clock);
        Api api = new Api(keystone, wire, new Microversions(wire, clock));
        return new OpenStackSite(new Account(settings, options, api, clock), keystone, wire);
    }

    private static final class OpenStackSite implements Site {
        private final Account account;
        private final Keystone keystone;
        private final Wire wire;
        private final OpenStackCompute compute;

        OpenStackSite(Account account, Keystone keystone, Wire wire) {
            this.account = account;
            this.keystone = keystone;
            this.wire = wire;
            this.compute = new OpenStackCompute(account);
        }

        @Override
        public Compute compute() {
            return compute;
        }

        @Override
        public Optional<CallMeter> calls() {
            return Optional.of(wire.calls());
        }

        @Override
        public Diagnostics diagnostics() {
            return new OpenStackDiagnostics(account, keystone);
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
        public Optional<Network> network() {
            return Optional.of(new OpenStackNetwork(account));
        }

        @Override
        public Optional<Inventory> inventory() {
            return Optional.of(new OpenStackInventory(account, compute));
        }

        @Override
        public Optional<Quotas> quotas() {
            return Optional.of(markets -> OpenStackQuotas.of(
                    account.api()
                            .get(cloud -> cloud.compute().quotaSets().limits().getAbsolute()),
                    account.api().projectId()));
        }

        @Override
        public RateLimits rateLimits() {
            return account.settings().requests();
        }

        @Override
        public void close() {
            wire.close();
        }
    }
}
