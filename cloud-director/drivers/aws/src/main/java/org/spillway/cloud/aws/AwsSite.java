package org.spillway.cloud.aws;

import java.time.InstantSource;
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
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;

/** An account in one region, with all roles. */
final class AwsSite implements Site {
    /**
     * As published for the API as a whole in "Request throttling for the Amazon EC2 API" (EC2 developer guide): RunInstances
     * takes a token for each instance of a bucket of 1,000 that refills by 2 a second, and for each call one of a bucket of 5
     * that refills by 2; other changing actions have 50 and 5; describing ones have 100 and 20, of which those without
     * pages and filters have 50 and 10.
     */
    static final RateLimits LIMITS = new RateLimits(
                    new RateLimits.Bucket(1000, 2), new RateLimits.Bucket(50, 5), new RateLimits.Bucket(50, 10))
            .withLaunches(new RateLimits.Bucket(5, 2));

    private final AwsClients clients;
    private final AwsCompute compute;
    private final Network network;
    private final AwsInventory inventory;
    private final AwsDiagnostics diagnostics;
    private final Quotas quotas;

    AwsSite(SiteSettings site, AwsSettings settings) {
        InstantSource clock = InstantSource.system();
        this.clients = new AwsClients(settings, site.recorder(), clock);
        AwsTags tags = new AwsTags(site);
        AwsCatalogue catalogue = new AwsCatalogue(clients, settings, clock);
        AwsPlaces places = new AwsPlaces(settings, clients, tags, clock);
        AwsListing listing = new AwsListing(site, settings, clients, tags);
        AwsGroups groups = new AwsGroups(site, clients, tags);
        AwsLeftovers leftovers = new AwsLeftovers(clients, groups, tags);
        AwsPrices prices = new AwsPrices(clients, settings, site);
        AwsOfferings offerings = new AwsOfferings(site, settings, clients, catalogue, prices, places);
        AwsLaunch launch = new AwsLaunch(site, settings, clients, tags, catalogue, places, listing, groups, leftovers);
        this.compute = new AwsCompute(settings, clients, offerings, launch, listing, leftovers, clock);
        AwsFees fees = new AwsFees(site, offerings, clock);
        this.network = site.isGuest()
                ? new AwsGuestNetwork(site.cluster(), settings, clients, tags, places, fees)
                : new AwsNetwork(site, settings, clients, tags, places, listing, fees);
        this.inventory = new AwsInventory(site, clients, compute, listing, fees);
        this.diagnostics = new AwsDiagnostics(site, settings, clock);
        AwsQuotas account = new AwsQuotas(settings, new AwsSigned(settings, clients), clock);
        this.quotas = markets -> account.of(catalogue, markets);
    }

    @Override
    public Compute compute() {
        return compute;
    }

    @Override
    public Optional<Power> power() {
        return Optional.of(compute);
    }

    @Override
    public Optional<Console> console() {
        return Optional.of(compute);
    }

    @Override
    public Optional<Network> network() {
        return Optional.of(network);
    }

    @Override
    public Optional<Inventory> inventory() {
        return Optional.of(inventory);
    }

    @Override
    public Diagnostics diagnostics() {
        return diagnostics;
    }

    @Override
    public Optional<Quotas> quotas() {
        return Optional.of(quotas);
    }

    @Override
    public RateLimits rateLimits() {
        return LIMITS;
    }

    @Override
    public Optional<CallMeter> calls() {
        return Optional.of(clients.calls());
    }

    @Override
    public void close() {
        clients.close();
    }
}
