package org.spillway.scaler;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Limits;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Planner;
import org.spillway.policy.Resources;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.policy.check.SnapshotGenerator;
import org.spillway.scaler.plan.OfferingHealth;
import org.spillway.scaler.plan.Plan;

/** A small cluster to decide about, written down line by line: one site "east", 8 CPUs for 1.00 an hour. */
public final class Scene {
    public static final Instant NOW = SnapshotGenerator.NOW;
    public static final long GIB = 1L << 30;
    public static final OfferingId SMALL = id("east", "small");

    private final List<Demand> demands = new ArrayList<>();
    private final List<NodeView> nodes = new ArrayList<>();
    private final List<Offering> offerings = new ArrayList<>();
    private final Map<String, Integer> maxNodes = new HashMap<>(Map.of("east", 100));
    private List<OfferingStatus> statuses = List.of();
    private Money budgetLeft = Money.parse("1000");

    public static OfferingId id(String site, String type) {
        return new OfferingId(site, "a", type, Market.ON_DEMAND);
    }

    public static Offering offering(OfferingId id, Resources resources, String price) {
        return Offering.of(id, resources, Money.parse(price));
    }

    /** With the offering {@link #SMALL}. */
    public static Scene small() {
        return new Scene().offers(SMALL, Resources.of(8, 32 * GIB, 0), "1.00");
    }

    public Scene offers(OfferingId id, Resources resources, String price) {
        offerings.add(offering(id, resources, price));
        return this;
    }

    public Scene budget(String left) {
        budgetLeft = Money.parse(left);
        return this;
    }

    public Scene limit(String site, int nodes) {
        maxNodes.put(site, nodes);
        return this;
    }

    public Scene health(List<OfferingStatus> folded) {
        statuses = folded;
        return this;
    }

    /** Jobs that fill one small node each, submitted 60 s ago, walltime one hour. */
    public Scene waits(String shape, int nodesEach, int jobs) {
        return waits(shape, Resources.of(8, 16 * GIB, 0), nodesEach, jobs, Duration.ZERO);
    }

    public Scene waits(String shape, Resources perNode, int nodesEach, int jobs, Duration stageInRest) {
        demands.add(Demand.of(draft -> {
            draft.shape = shape;
            draft.perNode = perNode;
            draft.nodes = nodesEach;
            draft.jobs = jobs;
            draft.oldestSubmit = NOW.minusSeconds(60);
            draft.walltime = Duration.ofHours(1);
            draft.sites = List.of("east");
            draft.stageInRest = Map.of("east", stageInRest);
        }));
        return this;
    }

    /** Small nodes that are in this phase for 20 minutes; allocated ones are full. */
    public Scene nodes(NodeView.Phase phase, int count) {
        Resources total = Resources.of(8, 32 * GIB, 0);
        for (int i = 0; i < count; i++) {
            nodes.add(node("n" + nodes.size(), SMALL, phase, total, false));
        }
        return this;
    }

    public Scene node(NodeView node) {
        nodes.add(node);
        return this;
    }

    public static NodeView node(
            String name, @Nullable OfferingId offering, NodeView.Phase phase, Resources total, boolean keep) {
        Resources free = phase == NodeView.Phase.ALLOCATED ? Resources.NONE : total;
        return new NodeView(
                name,
                "east",
                offering,
                phase,
                total,
                free,
                NOW.minusSeconds(1200),
                Money.parse("1.00"),
                keep,
                NodeView.Duty.NONE);
    }

    public ClusterSnapshot snapshot() {
        return ClusterSnapshot.of(draft -> {
            draft.now = NOW;
            draft.demands = demands;
            draft.nodes = nodes;
            draft.offerings = offerings;
            draft.statuses = statuses;
            draft.limits = new Limits(maxNodes, budgetLeft);
        });
    }

    /** The plan of queue-depth. */
    public Plan plan() {
        return plan(snapshot(), new QueueDepthPolicy(), QueueDepthSettings.DEFAULTS);
    }

    public Plan plan(QueueDepthSettings settings) {
        return plan(snapshot(), new QueueDepthPolicy(), settings);
    }

    /** The plan of exactly these wishes. */
    public Plan plan(Wish... wishes) {
        return plan(snapshot(), new Fixed(List.of(wishes)), QueueDepthSettings.DEFAULTS);
    }

    public static <S extends Record> Plan plan(ClusterSnapshot now, ScalingPolicy<S> policy, S settings) {
        return new Scaler<>(
                        at -> now.demands(), new SnapshotFleet(now), at -> Money.ZERO, policy, settings, ZoneOffset.UTC)
                .plan(now);
    }

    /** A policy that always answers the same. */
    record Fixed(List<Wish> wishes) implements ScalingPolicy<QueueDepthSettings> {
        @Override
        public String name() {
            return "fixed";
        }

        @Override
        public QueueDepthSettings defaults() {
            return QueueDepthSettings.DEFAULTS;
        }

        @Override
        public List<Wish> decide(ClusterSnapshot now, QueueDepthSettings settings, Planner planner) {
            return wishes;
        }
    }

    /** The parts of a snapshot as ports. */
    record SnapshotFleet(ClusterSnapshot now) implements Fleet {
        @Override
        public List<NodeView> nodes() {
            return now.nodes();
        }

        @Override
        public List<Offering> offerings() {
            return now.offerings();
        }

        @Override
        public List<LaunchRecord> launches() {
            return List.of();
        }

        @Override
        public Map<String, Integer> maxNodes() {
            return now.limits().maxNodesBySite();
        }
    }

    /** Health after these launches. */
    public static List<OfferingStatus> folded(LaunchRecord... records) {
        return OfferingHealth.fold(List.of(records), NOW);
    }
}
