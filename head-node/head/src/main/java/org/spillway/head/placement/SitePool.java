package org.spillway.head.placement;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;

/** The rest of one site's room while jobs are placed, one after the other. Lives within one decision. */
final class SitePool {
    /** A longer walltime is a missing one. */
    private static final Duration LONGEST = Duration.ofDays(366);
    /** The number of nodes that an offering which was never refused may be asked for. */
    private static final int HEALTHY = 1000;

    private final SiteOutlook site;
    private final Placement.Purse purse;
    private final Instant now;
    private final List<Room> rooms = new ArrayList<>();
    private final Map<OfferingId, Integer> bought = new HashMap<>();
    private final Set<Shape> full = new HashSet<>();
    private final Map<Shape, Outlook> outlooks = new HashMap<>();
    private int nodesLeft;
    private boolean directorReserved;
    private Duration backlog = Duration.ZERO;

    SitePool(SiteOutlook site, Placement.Purse purse, Instant now) {
        this.site = site;
        this.purse = purse;
        this.now = now;
        this.nodesLeft = site.supply().nodesLeft();
        site.supply().nodes().forEach(node -> rooms.add(new Room(node, true)));
    }

    /** A node with what is left of it. */
    static final class Room {
        private final SiteOutlook.NodeRoom node;
        private final boolean exists;
        private Resources free;
        private Instant freeAt;

        /** @param exists not bought by this very decision */
        Room(SiteOutlook.NodeRoom node, boolean exists) {
            this.node = node;
            this.exists = exists;
            this.free = node.free();
            this.freeAt = node.freeAt();
        }

        /** From its start on, for as long as it may run. */
        void take(WaitingJob job, Instant now) {
            free = free.minus(job.perNode());
            freeAt = later(freeAt, later(now, node.readyAt()).plus(limited(job)));
        }

        Resources free() {
            return free;
        }
    }

    private record Shape(Resources perNode, int nodes, Duration walltime, List<String> types, Set<Market> markets) {
        static Shape of(WaitingJob job) {
            return new Shape(job.perNode(), job.nodes(), limited(job), job.types(), job.markets());
        }
    }

    /**
     * How a job could be served now.
     *
     * @param places nodes that exist with room for it
     * @param offering what its other nodes would be; null when it needs none
     * @param costMicros of its share of the nodes for its walltime, and of bringing its results home
     * @param egress the latter by itself
     */
    record Option(String site, List<Room> places, @Nullable Offering offering, long costMicros, Money egress) {
        boolean buys() {
            return offering != null;
        }
    }

    int priority() {
        return site.priority();
    }

    boolean isHome() {
        return site.home();
    }

    static Duration limited(WaitingJob job) {
        return job.walltime().compareTo(LONGEST) > 0 ? LONGEST : job.walltime();
    }

    /** Null when it cannot be served now. Changes nothing. */
    @Nullable
    Option option(WaitingJob job) {
        Shape shape = Shape.of(job);
        if (!site.trouble().isNone() || full.contains(shape)) {
            return null;
        }
        List<Room> places = rooms.stream()
                .filter(room -> job.perNode().fitsIn(room.free) && job.takes(site.name(), room.node))
                .sorted(Comparator.comparing((Room room) -> room.node.readyAt().isAfter(now))
                        .thenComparingInt(room -> room.free().gpus())
                        .thenComparingInt(room -> room.free().cpus())
                        .thenComparing(room -> room.node.id()))
                .limit(job.nodes())
                .toList();
        int more = job.nodes() - places.size();
        Offering offering = more == 0 ? null : offering(job, more);
        if (more > 0 && offering == null) {
            full.add(shape);
            return null;
        }
        Money egress = egress(job, site);
        long cost = egress.micros();
        for (Room room : places) {
            cost += cost(job, room.node.total(), room.node.pricePerHour());
        }
        cost += offering == null ? 0 : more * cost(job, offering.resources(), offering.pricePerHour());
        return new Option(site.name(), places, offering, cost, egress);
    }

    private @Nullable Offering offering(WaitingJob job, int count) {
        if (count > nodesLeft) {
            return null;
        }
        return site.supply().offerings().stream()
                .filter(job::takes)
                .filter(one -> isHealthy(one.id(), count) && isAffordable(job, one, count))
                .min(cheapest(job))
                .orElse(null);
    }

    private Comparator<Offering> cheapest(WaitingJob job) {
        return Comparator.comparingLong((Offering one) -> cost(job, one.resources(), one.pricePerHour()))
                .thenComparing(Offering.CHEAPEST_FIRST);
    }

    /** A gang that is larger than what a careful probe may ask for is itself the probe, as with the scaler. */
    private boolean isHealthy(OfferingId id, int count) {
        OfferingStatus status = site.supply().statuses().get(id);
        int asked = bought.getOrDefault(id, 0);
        int most = status == null ? HEALTHY : status.launchBudget();
        return (status == null || status.mayLaunchAt(now)) && (asked == 0 || asked + count <= most);
    }

    private boolean isAffordable(WaitingJob job, Offering offering, int count) {
        return !reserve(job, offering, count).plus(egress(job, site)).isMoreThan(purse.left());
    }

    /** The site's price for the results that the job is expected to leave. */
    static Money egress(WaitingJob job, SiteOutlook site) {
        return site.prices().egressPerGigabyte().perGigabyteFor(job.resultBytes());
    }

    private Money reserve(WaitingJob job, Offering offering, int count) {
        Money nodes = offering.pricePerHour()
                .perHourFor(limited(job).plus(site.prices().overhead()))
                .times(count);
        return directorReserved ? nodes : nodes.plus(site.prices().director());
    }

    /** The price of the larger share that it takes of a node, for its walltime, in millionths. */
    private static long cost(WaitingJob job, Resources total, Money pricePerHour) {
        return pricePerHour.perHourFor(limited(job)).micros() / 10_000 * tenThousandths(job.perNode(), total);
    }

    private static long tenThousandths(Resources need, Resources total) {
        long share = Math.max(share(need.cpus(), total.cpus()), share(need.gpus(), total.gpus()));
        return Math.max(share, share(need.memoryBytes() >> 20, total.memoryBytes() >> 20));
    }

    private static long share(long need, long total) {
        return total <= 0 ? 0 : Math.min(10_000, (need * 10_000 + total - 1) / total);
    }

    /** When the job could start as the option says. Changes nothing. */
    Instant start(WaitingJob job, Option option) {
        Instant ready = now;
        for (Room room : option.places()) {
            ready = later(ready, room.node.readyAt());
        }
        Offering offering = option.offering();
        Instant launched = offering == null ? ready : now.plus(site.bootOf(offering.id()));
        return later(later(ready, launched), staged(job));
    }

    /** Takes what the option says. */
    Prospect take(WaitingJob job, Option option) {
        Instant ready = now;
        Money price = Money.ZERO;
        String what = "";
        for (Room room : option.places()) {
            room.take(job, now);
            ready = later(ready, room.node.readyAt());
            price = price.plus(room.node.pricePerHour());
            what = room.node.offering();
        }
        Offering offering = option.offering();
        if (offering != null) {
            int count = job.nodes() - option.places().size();
            buy(job, offering, count);
            ready = later(ready, now.plus(site.bootOf(offering.id())));
            price = price.plus(offering.pricePerHour().times(count));
            what = text(offering.id());
        }
        Money egress = egress(job, site);
        purse.take(egress);
        // Room that was free is not any more.
        outlooks.clear();
        List<String> nodes = option.places().stream()
                .filter(room -> room.exists)
                .map(room -> room.node.id())
                .toList();
        return new Prospect(
                site.name(), true, nodes, option.buys(), what, price, egress, later(ready, staged(job)), Cause.NONE);
    }

    private void buy(WaitingJob job, Offering offering, int count) {
        purse.take(reserve(job, offering, count));
        directorReserved = true;
        nodesLeft -= count;
        bought.merge(offering.id(), count, Integer::sum);
        Instant ready = now.plus(site.bootOf(offering.id()));
        for (int i = 0; i < count; i++) {
            Room room = new Room(
                    new SiteOutlook.NodeRoom(
                            "new-" + rooms.size(),
                            text(offering.id()),
                            offering.resources(),
                            offering.resources().minus(job.perNode()),
                            offering.pricePerHour(),
                            ready,
                            later(ready, staged(job)).plus(limited(job))),
                    false);
            rooms.add(room);
        }
        // The rest of the new nodes may be room for jobs that found none before.
        full.clear();
        outlooks.clear();
    }

    private static String text(OfferingId id) {
        return id.zone() + "/" + id.instanceType() + "/" + id.market();
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private Instant staged(WaitingJob job) {
        long rest = job.restBytes(site.name());
        return now.plus(site.waits().director())
                .plusMillis(rest * 1000 / site.waits().bytesPerSecond());
    }

    /** The job waits here: those behind it wait longer. */
    void wait(WaitingJob job) {
        long nodes = Math.max(1, rooms.size());
        Duration share = limited(job).multipliedBy(job.nodes()).dividedBy(nodes);
        backlog = backlog.compareTo(LONGEST) > 0 ? backlog : backlog.plus(share);
    }

    /**
     * The outlook of all jobs of a shape that cannot be served now.
     *
     * @param retried what can be bought first; null for nothing
     * @param freed when enough nodes are free, without those who wait for them already; null for never
     */
    private record Outlook(
            Cause obstacle,
            @Nullable Offering retried,
            @Nullable Instant freed,
            SiteOutlook.@Nullable NodeRoom first) {}

    /** The prospect of a job that cannot be served now: nodes that become free by walltime, or an offering's retry. */
    Prospect expected(WaitingJob job) {
        Outlook outlook = outlooks.computeIfAbsent(Shape.of(job), shape -> outlook(job));
        if (!site.trouble().isNone()) {
            return Prospect.none(site.name(), outlook.obstacle);
        }
        Offering retried = outlook.retried;
        Instant freed = outlook.freed == null ? null : outlook.freed.plus(backlog);
        if (retried != null && (freed == null || ready(retried).isBefore(freed))) {
            return waiting(job, text(retried.id()), retried.pricePerHour(), ready(retried), outlook.obstacle);
        }
        if (freed == null || outlook.first == null) {
            return Prospect.none(site.name(), outlook.obstacle);
        }
        return waiting(job, outlook.first.offering(), outlook.first.pricePerHour(), freed, outlook.obstacle);
    }

    private Prospect waiting(WaitingJob job, String what, Money pricePerHour, Instant room, Cause obstacle) {
        Money price = pricePerHour.times(job.nodes());
        return new Prospect(
                site.name(),
                false,
                List.of(),
                false,
                what,
                price,
                egress(job, site),
                later(room, staged(job)),
                obstacle);
    }

    private Outlook outlook(WaitingJob job) {
        List<Room> large = rooms.stream()
                .filter(room -> job.perNode().fitsIn(room.node.total()) && job.takes(site.name(), room.node))
                .sorted(Comparator.comparing((Room room) -> room.freeAt).thenComparing(room -> room.node.id()))
                .toList();
        Offering retried = nodesLeft < job.nodes()
                ? null
                : site.supply().offerings().stream()
                        .filter(one -> job.takes(one) && isAffordable(job, one, job.nodes()))
                        .min(Comparator.comparing(this::ready).thenComparing(cheapest(job)))
                        .orElse(null);
        boolean enough = large.size() >= job.nodes();
        return new Outlook(
                Obstacle.of(job, site, nodesLeft, purse),
                retried,
                enough ? later(now, large.get(job.nodes() - 1).freeAt) : null,
                enough ? large.getFirst().node : null);
    }

    private Instant ready(Offering offering) {
        OfferingStatus status = site.supply().statuses().get(offering.id());
        Instant from = status == null ? now : later(now, status.retryAt().orElse(now));
        return from.plus(site.bootOf(offering.id()));
    }
}
