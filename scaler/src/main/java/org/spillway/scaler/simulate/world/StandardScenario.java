package org.spillway.scaler.simulate.world;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;
import org.spillway.scaler.simulate.log.GpuNodes;
import org.spillway.scaler.simulate.log.LoggedJob;
import org.spillway.scaler.simulate.log.NodeGroup;
import org.spillway.scaler.simulate.log.WorkloadLog;

/**
 * Two made-up clouds beside a home. Prices are round figures of the order of public list prices of 2025; {@code cloud-a}
 * boots sooner and is dearer, {@code cloud-b} is cheaper, slower, and takes its spot instances back sooner.
 */
public final class StandardScenario {
    /** The share of home that the log would fill on average, where it does not say what machines there were. */
    public static final double HOME_LOAD = 0.85;

    /** Standard deviation of the logarithm of boot times. */
    public static final double BOOT_SPREAD = 0.3;

    public static final Duration SHORTAGE_EVERY = Duration.ofHours(96);
    public static final Duration SHORTAGE_LASTS = Duration.ofHours(1);
    public static final Duration SPOT_SHORTAGE_EVERY = Duration.ofHours(12);
    public static final Duration SPOT_SHORTAGE_LASTS = Duration.ofHours(2);
    private static final Duration NEVER = Duration.ZERO;

    private StandardScenario() {}

    public static List<SimulatedSite> clouds() {
        return List.of(
                new SimulatedSite(
                        "cloud-a",
                        400,
                        offerings(
                                "cloud-a",
                                Duration.ofSeconds(90),
                                Duration.ofHours(24),
                                new Type("a-cpu16", Resources.of(16, gib(64), 0), "0.80", "0.28", 200),
                                new Type("a-cpu64", Resources.of(64, gib(256), 0), "3.20", "1.12", 100),
                                new Type("a-mem96", Resources.of(96, gib(768), 0), "6.00", "2.10", 40),
                                new Type("a-gpu1", Resources.of(8, gib(64), 1), "2.50", "0.90", 100),
                                new Type("a-gpu4", Resources.of(32, gib(256), 4), "10.00", "3.60", 60),
                                new Type("a-gpu8", Resources.of(64, gib(512), 8), "20.00", "7.20", 40))),
                new SimulatedSite(
                        "cloud-b",
                        400,
                        offerings(
                                "cloud-b",
                                Duration.ofSeconds(240),
                                Duration.ofHours(12),
                                new Type("b-cpu32", Resources.of(32, gib(128), 0), "1.44", "0.43", 150),
                                new Type("b-cpu96", Resources.of(96, gib(576), 0), "4.60", "1.38", 60),
                                new Type("b-gpu2", Resources.of(16, gib(128), 2), "4.50", "1.35", 80),
                                new Type("b-gpu8", Resources.of(64, gib(512), 8), "18.00", "5.40", 40))));
    }

    private record Type(String name, Resources resources, String price, String spotPrice, int capacity) {}

    private static List<SimulatedOffering> offerings(String site, Duration boot, Duration spotLife, Type... types) {
        List<SimulatedOffering> all = new ArrayList<>();
        for (Type type : types) {
            all.add(new SimulatedOffering(
                    offering(site, type, Market.ON_DEMAND, type.price()),
                    type.capacity(),
                    boot,
                    BOOT_SPREAD,
                    SHORTAGE_EVERY,
                    SHORTAGE_LASTS,
                    NEVER));
            all.add(new SimulatedOffering(
                    offering(site, type, Market.SPOT, type.spotPrice()),
                    type.capacity() / 2,
                    boot,
                    BOOT_SPREAD,
                    SPOT_SHORTAGE_EVERY,
                    SPOT_SHORTAGE_LASTS,
                    spotLife));
        }
        return all;
    }

    private static Offering offering(String site, Type type, Market market, String price) {
        return Offering.of(
                new OfferingId(site, site + "-1", type.name(), market), type.resources(), Money.parse(price));
    }

    private static long gib(long count) {
        return count << 30;
    }

    /**
     * The machines of the log; else alike nodes, so many that its jobs would fill {@link #HOME_LOAD} of them on average
     * between the first and the last submission. A given count or load scales either in proportion.
     *
     * @param nodes 0 for by the rule above
     * @param load 0 for by the rule above; else the average share that the log would fill
     */
    public static List<NodeGroup> home(WorkloadLog log, int nodes, double load) {
        List<NodeGroup> base = log.machines();
        if (base.isEmpty()) {
            boolean gpus = log.jobs().stream().anyMatch(job -> job.perNode().gpus() > 0);
            base = List.of(new NodeGroup("node", 1, gpus ? GpuNodes.node() : Resources.of(64, gib(512), 0)));
        } else if (nodes == 0 && load == 0) {
            return base;
        }
        double have = base.stream().mapToInt(NodeGroup::count).sum();
        double factor = nodes > 0 ? nodes / have : demand(log, base) / (load > 0 ? load : HOME_LOAD);
        return base.stream()
                .map(group -> new NodeGroup(
                        group.name(), (int) Math.max(1, Math.ceil(group.count() * factor - 1e-9)), group.each()))
                .toList();
    }

    /** How often over the jobs would fill these nodes, by GPUs where there are any, else by CPUs. */
    private static double demand(WorkloadLog log, List<NodeGroup> nodes) {
        boolean gpus = nodes.stream().anyMatch(group -> group.each().gpus() > 0);
        double used = 0;
        for (LoggedJob job : log.jobs()) {
            double units = gpus ? job.perNode().gpus() : job.perNode().cpus();
            used += units * job.nodes() * job.duration().toMillis();
        }
        double span = Math.max(
                3_600_000,
                Duration.between(
                                log.jobs().getFirst().submit(),
                                log.jobs().getLast().submit())
                        .toMillis());
        double have = nodes.stream()
                .mapToDouble(group -> (double) group.count()
                        * (gpus ? group.each().gpus() : group.each().cpus()))
                .sum();
        return used / span / have;
    }
}
