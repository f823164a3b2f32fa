package org.spillway.head.placement;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Told;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;

/** Jobs and sites of the tests of placement: nodes of 8 CPUs, of which 4 are free. */
final class PlacementScene {
    static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    static final Money RICH = Money.parse("1000");
    static final Duration LONG_AGO = Duration.ofMinutes(1);

    private PlacementScene() {}

    static List<String> decide(List<WaitingJob> jobs, SiteOutlook... sites) {
        return Placement.decide(jobs, List.of(sites), RICH, NOW).stream()
                .map(placed ->
                        placed instanceof Placed.Bind bind ? bind.job() + "->" + bind.site() : placed.job() + " stays")
                .toList();
    }

    private static WaitingJob.Need need(int cpus, int nodes, List<String> types, String... sites) {
        return new WaitingJob.Need(List.of(sites), types, cpus(cpus), nodes, Duration.ofHours(1), Market.STEADY);
    }

    /** @param bound the site that it is bound to for a while; empty for none */
    static WaitingJob job(String id, int cpus, int nodes, String bound, String... sites) {
        WaitingJob.Binding binding = new WaitingJob.Binding(bound, LONG_AGO, 0, false);
        return new WaitingJob(id, need(cpus, nodes, List.of(), sites), 0, NOW, binding, 0, 0);
    }

    static WaitingJob leaving(long resultBytes, String... sites) {
        return new WaitingJob("1", need(4, 1, List.of(), sites), 0, NOW, WaitingJob.Binding.NONE, 0, resultBytes);
    }

    static WaitingJob only(List<String> types) {
        return new WaitingJob("1", need(1, 1, types, "home", "west"), 0, NOW, WaitingJob.Binding.NONE, 0, 0);
    }

    static WaitingJob staging(String id, long inputBytes, WaitingJob.Binding binding, String... sites) {
        return new WaitingJob(id, need(1, 1, List.of(), sites), 0, NOW, binding, inputBytes, 0);
    }

    static WaitingJob withPriority(WaitingJob job, int priority) {
        return new WaitingJob(job.id(), job.need(), priority, job.submittedAt(), job.binding(), job.inputBytes(), 0);
    }

    static WaitingJob bound(WaitingJob job, String site, Duration age) {
        WaitingJob.Binding binding = new WaitingJob.Binding(site, age, 0, false);
        return new WaitingJob(job.id(), job.need(), job.priority(), job.submittedAt(), binding, job.inputBytes(), 0);
    }

    static SiteOutlook site(String name, boolean home, String trouble, int free, int left, String price) {
        List<SiteOutlook.NodeRoom> nodes = new ArrayList<>();
        for (int i = 0; i < free; i++) {
            nodes.add(new SiteOutlook.NodeRoom(
                    name + "-" + i, "a/std/ON_DEMAND", cpus(8), cpus(4), Money.parse(price), NOW, NOW));
        }
        return outlook(
                name, home, Told.of(trouble), new SiteOutlook.Supply(nodes, offerings(name, price), Map.of(), Map.of(), left));
    }

    /** With a node of it, too. */
    static SiteOutlook sellingOnly(Offering offering) {
        String what = "a/std/" + offering.id().market();
        SiteOutlook.NodeRoom node = new SiteOutlook.NodeRoom(
                "spot-0", what, offering.resources(), offering.resources(), offering.pricePerHour(), NOW, NOW);
        return outlook(
                offering.id().site(),
                false,
                Cause.NONE,
                new SiteOutlook.Supply(List.of(node), List.of(offering), Map.of(), Map.of(), 5));
    }

    static SiteOutlook busy(String name, boolean home, Duration left) {
        SiteOutlook.NodeRoom node = new SiteOutlook.NodeRoom(
                name + "-0", "a/std/ON_DEMAND", cpus(8), cpus(0), Money.ZERO, NOW, NOW.plus(left));
        return outlook(
                name, home, Cause.NONE, new SiteOutlook.Supply(List.of(node), offerings(name, "0"), Map.of(), Map.of(), 0));
    }

    private static List<Offering> offerings(String site, String price) {
        OfferingId id = new OfferingId(site, "a", "std", Market.ON_DEMAND);
        return List.of(Offering.of(id, cpus(8), Money.parse(price)));
    }

    private static SiteOutlook outlook(String name, boolean home, Cause trouble, SiteOutlook.Supply supply) {
        return new SiteOutlook(
                name,
                home,
                trouble,
                0,
                supply,
                new SiteOutlook.Waits(Duration.ZERO, Duration.ofSeconds(60), 1000),
                new SiteOutlook.Prices(Money.ZERO, Duration.ofMinutes(10), Money.ZERO));
    }

    static SiteOutlook egress(SiteOutlook site, String perGigabyte) {
        SiteOutlook.Prices prices =
                new SiteOutlook.Prices(Money.ZERO, site.prices().overhead(), Money.parse(perGigabyte));
        return new SiteOutlook(
                site.name(), site.home(), site.trouble(), site.priority(), site.supply(), site.waits(), prices);
    }

    static SiteOutlook with(SiteOutlook site, Map<OfferingId, OfferingStatus> statuses) {
        SiteOutlook.Supply supply = new SiteOutlook.Supply(
                site.supply().nodes(),
                site.supply().offerings(),
                statuses,
                site.supply().full(),
                site.supply().nodesLeft());
        return outlook(site.name(), site.home(), site.trouble(), supply);
    }

    static SiteOutlook with(SiteOutlook site, int priority) {
        return new SiteOutlook(
                site.name(), site.home(), site.trouble(), priority, site.supply(), site.waits(), site.prices());
    }

    static OfferingStatus status(OfferingId id, @Nullable Instant retry, int budget) {
        return new OfferingStatus(
                id, retry, budget, Duration.ofSeconds(60), retry == null ? "" : "refused for capacity", 0);
    }

    static Resources cpus(int count) {
        return Resources.of(count, 0, 0);
    }
}
