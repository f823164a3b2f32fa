package org.spillway.cloud.azure;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Console;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.Network;
import org.spillway.cloud.Power;
import org.spillway.cloud.Quotas;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.Recorder;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;

/** A subscription in one location, with every role. */
final class AzureSite implements Site {
    private final AzureParts parts;
    private final AzureCompute compute;

    AzureSite(SiteSettings site, AzureSettings settings, InstantSource clock) {
        Arm arm;
        try {
            Recorder recorder = site.recorder();
            arm = recorder.isOn()
                    ? new Arm(settings, clock, client -> new RecordingHttp(client, recorder))
                    : new Arm(settings, clock);
        } catch (IOException unreadable) {
            throw new SiteSettings.Invalid("caFile", "cannot be used: " + unreadable.getMessage());
        }
        this.parts = new AzureParts(
                site, settings, Names.of(site), arm, new Operations(arm), new Catalogue(site, settings, arm), clock);
        this.compute = new AzureCompute(parts);
    }

    @Override
    public Compute compute() {
        return compute;
    }

    @Override
    public Diagnostics diagnostics() {
        return new AzureDiagnostics(parts);
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
        return Optional.of(parts.names().isGuest() ? new AzureGuestNetwork(parts) : new AzureNetwork(parts));
    }

    @Override
    public Optional<Inventory> inventory() {
        return Optional.of(new AzureInventory(parts, compute));
    }

    @Override
    public Optional<Quotas> quotas() {
        AzureQuotas usages = new AzureQuotas(parts.settings(), parts.arm());
        return Optional.of(markets -> List.copyOf(usages.all().values()));
    }

    /**
     * Per subscription, principal and region, from "Understand how Azure Resource Manager throttles requests": 250 reads
     * with 25 a second back, 200 writes with 10 a second back. A machine is one write, and is followed by reads. Listings
     * of machines are the compute provider's "High-Cost Get VM": 900 with 300 a minute back ("Compute throttling limits").
     */
    @Override
    public RateLimits rateLimits() {
        return new RateLimits(
                        new RateLimits.Bucket(200, 10), new RateLimits.Bucket(200, 10), new RateLimits.Bucket(250, 25))
                .withListings(new RateLimits.Bucket(900, 5));
    }

    @Override
    public Optional<CallMeter> calls() {
        return Optional.of(parts.arm().calls());
    }

    @Override
    public void close() {
        parts.arm().close();
    }
}
