package org.spillway.scaler.simulate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.scaler.plan.OfferingHealth;
import org.spillway.scaler.plan.Step;
import org.spillway.scaler.simulate.world.Luck;
import org.spillway.scaler.simulate.world.Scenario;
import org.spillway.scaler.simulate.world.Shortages;
import org.spillway.scaler.simulate.world.SimulatedOffering;
import org.spillway.scaler.simulate.world.SimulatedSite;

/** The simulated providers: they sell, run short, boot, take back, and write bills. */
final class Clouds {
    /** Launches of each offering from which its health is told. */
    private static final int REMEMBERED = 32;

    private final Luck luck;
    private final Map<OfferingId, Stock> stocks = new LinkedHashMap<>();
    private final Map<String, SiteNodes> sites = new LinkedHashMap<>();
    private final Map<OfferingId, Duration> bootTimes = new HashMap<>();
    private List<OfferingStatus> statuses = List.of();
    private boolean statusesKnown = true;
    private int nodesMade;

    Clouds(Scenario scenario, Luck luck, long from) {
        this.luck = luck;
        for (SimulatedSite site : scenario.sites()) {
            sites.put(site.name(), new SiteNodes(site.maxNodes()));
            site.offerings()
                    .forEach(one -> stocks.put(one.offering().id(), new Stock(one, new Shortages(one, luck, from))));
        }
    }

    private static final class SiteNodes {
        private final int most;
        private final List<SimulatedNode> nodes = new ArrayList<>();

        SiteNodes(int most) {
            this.most = most;
        }
    }

    private static final class Stock {
        private final SimulatedOffering offering;
        private final Shortages shortages;
        private final Deque<LaunchRecord> launches = new ArrayDeque<>();
        private int running;
        private long made;
        private int refused;
        private long millis;
        private Money bill = Money.ZERO;

        Stock(SimulatedOffering offering, Shortages shortages) {
            this.offering = offering;
            this.shortages = shortages;
        }
    }

    /** Nodes and record that are new after a launch. */
    record Bought(List<SimulatedNode> nodes, LaunchRecord record) {}

    Bought launch(Step.Launch step, Set<Shape> boughtFor, long now) {
        Stock stock = stocks.get(step.offering());
        if (stock == null) {
            throw new IllegalStateException(step.offering() + " is not sold");
        }
        SiteNodes site = site(step.offering().site());
        int room = Math.min(stock.offering.capacity() - stock.running, site.most - site.nodes.size());
        int count = stock.shortages.isShort(now) ? 0 : Math.clamp(step.count(), 0, Math.max(0, room));
        List<SimulatedNode> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SimulatedNode node = SimulatedNode.bought(
                    "n" + String.format(Locale.ROOT, "%07d", ++nodesMade), nodesMade, stock.offering, now, boughtFor);
            made.add(node);
            site.nodes.add(node);
        }
        stock.running += count;
        if (count < step.count()) {
            stock.refused++;
        }
        LaunchRecord record = new LaunchRecord(
                Instant.ofEpochMilli(now), step.offering(), step.count(), outcome(count, step.count()));
        if (stock.launches.size() == REMEMBERED) {
            stock.launches.removeFirst();
        }
        stock.launches.addLast(record);
        statusesKnown = false;
        return new Bought(made, record);
    }

    private static LaunchOutcome outcome(int count, int asked) {
        return count == asked
                ? new LaunchOutcome.Launched(count)
                : count == 0
                        ? new LaunchOutcome.Refused(LaunchOutcome.Reason.CAPACITY, "no capacity")
                        : new LaunchOutcome.Partial(count, LaunchOutcome.Reason.CAPACITY, "no more capacity");
    }

    /** Milliseconds until this new node takes jobs, and until it is taken back; the latter {@code Long.MAX_VALUE} for never. */
    long[] fate(SimulatedNode node) {
        SimulatedOffering offering = node.offering();
        Stock stock = stocks.get(offering.offering().id());
        SplittableRandom random = luck.of("node " + offering.offering().id(), stock == null ? 0 : stock.made++);
        long boot = Luck.logNormal(random, Math.max(1, offering.boot().toMillis()), offering.bootSpread());
        long life = offering.reclaimAfter().isZero()
                ? Long.MAX_VALUE
                : Luck.exponential(random, offering.reclaimAfter().toMillis());
        return new long[] {boot, life};
    }

    void booted(SimulatedNode node, long now) {
        bootTimes.put(node.offering().offering().id(), Duration.ofMillis(now - node.launched()));
        statusesKnown = false;
    }

    /** Ends it and writes its bill. */
    Money gone(SimulatedNode node, long now) {
        node.enter(NodeView.Phase.STOPPED, now);
        site(node.site()).nodes.remove(node);
        Money bill = node.price().perHourFor(Duration.ofMillis(now - node.launched()));
        Stock stock = stocks.get(node.offering().offering().id());
        if (stock != null) {
            stock.running--;
            stock.millis += now - node.launched();
            stock.bill = stock.bill.plus(bill);
        }
        return bill;
    }

    /** As the head tells it, with the same fold. */
    List<OfferingStatus> statuses(Instant now) {
        if (!statusesKnown || hasRetry(now)) {
            List<LaunchRecord> records = new ArrayList<>();
            stocks.values().forEach(stock -> records.addAll(stock.launches));
            statuses = OfferingHealth.fold(records, now, bootTimes);
            statusesKnown = true;
        }
        return statuses;
    }

    private boolean hasRetry(Instant now) {
        return statuses.stream().flatMap(status -> status.retryAt().stream()).anyMatch(at -> !at.isAfter(now));
    }

    private SiteNodes site(String name) {
        SiteNodes site = sites.get(name);
        if (site == null) {
            throw new IllegalStateException("there is no site " + name);
        }
        return site;
    }

    /** The nodes of each site; the lists change as nodes come and go. */
    List<List<SimulatedNode>> nodesBySite() {
        return sites.values().stream().map(site -> site.nodes).toList();
    }

    /** Use of each offering; offerings that were never had are left out. */
    List<SimulationResult.Use> uses() {
        return stocks.values().stream()
                .filter(stock -> stock.made > 0 || stock.refused > 0)
                .map(stock -> new SimulationResult.Use(
                        stock.offering.offering().id(),
                        stock.made,
                        stock.refused,
                        stock.millis / 3_600_000.0,
                        stock.bill))
                .toList();
    }
}
