package org.spillway.scaler;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.ScheduleWindow;
import org.spillway.policy.Wish;
import org.spillway.scaler.plan.FirstFitPlanner;

/** A small scene in which a built-in policy is asked once. */
abstract class PromisesScene {
    static final Instant NOW = Scene.NOW;
    static final Resources NODE = Resources.of(8, 32L << 30, 0);

    final List<Demand> demands = new ArrayList<>();
    final List<NodeView> nodes = new ArrayList<>();
    final List<Offering> offerings = new ArrayList<>();
    final List<OfferingStatus> statuses = new ArrayList<>();
    final List<ScheduleWindow> windows = new ArrayList<>();
    Limits.@Nullable Period period;
    Money left = Money.parse("1000");

    static OfferingId id(String site, String type, Market market) {
        return new OfferingId(site, "a", type, market);
    }

    static final OfferingId SMALL = id("east", "small", Market.ON_DEMAND);

    void offers(OfferingId id, String price) {
        offerings.add(Offering.of(id, NODE, Money.parse(price)));
    }

    void waits(String shape, String queue, int jobs, Duration age, @Nullable Duration deadlineIn, long priority) {
        Duration hour = Duration.ofHours(1);
        demands.add(Demand.of(draft -> {
            draft.shape = shape;
            draft.queue = queue;
            draft.perNode = Resources.of(8, 16L << 30, 0);
            draft.jobs = jobs;
            draft.oldestSubmit = NOW.minus(age);
            draft.walltime = hour;
            draft.sites = List.of("home", "east", "west");
            draft.terms = new Demand.Terms(
                    "", "", priority, Map.of(), deadlineIn == null ? null : NOW.plus(deadlineIn), hour, Map.of());
        }));
    }

    void waits(String shape, int jobs, Duration age) {
        waits(shape, "q", jobs, age, null, 0);
    }

    /** At home or in the cloud. */
    void node(
            String name,
            @Nullable OfferingId offering,
            NodeView.Phase phase,
            @Nullable Duration busyFor,
            long billedFor) {
        nodes.add(new NodeView(
                name,
                offering == null ? "home" : offering.site(),
                offering,
                phase,
                NODE,
                phase == NodeView.Phase.ALLOCATED ? Resources.NONE : NODE,
                NOW.minusSeconds(1200),
                offering == null ? Money.ZERO : Money.parse("1.00"),
                false,
                NodeView.Duty.NONE
                        .withBusyUntil(busyFor == null ? null : NOW.plus(busyFor))
                        .withBilledFrom(offering == null ? null : NOW.minus(Duration.ofMinutes(billedFor)))));
    }

    ClusterSnapshot snapshot() {
        return ClusterSnapshot.of(draft -> {
            draft.now = NOW;
            draft.demands = demands;
            draft.nodes = nodes;
            draft.offerings = offerings;
            draft.statuses = statuses;
            draft.limits = new Limits(Map.of("home", 0, "east", 100, "west", 100), left, List.of(), period);
            draft.windows = windows;
        });
    }

    <S extends Record> List<Wish> decide(ScalingPolicy<S> policy, S settings) {
        ClusterSnapshot now = snapshot();
        return policy.decide(now, settings, new FirstFitPlanner(now));
    }

    static List<Wish.Provision> provisions(List<Wish> wishes) {
        return wishes.stream()
                .filter(Wish.Provision.class::isInstance)
                .map(Wish.Provision.class::cast)
                .toList();
    }

    static int nodesIn(List<Wish> wishes) {
        return provisions(wishes).stream().mapToInt(Wish.Provision::count).sum();
    }

    static List<String> released(List<Wish> wishes) {
        return wishes.stream()
                .filter(Wish.Release.class::isInstance)
                .flatMap(wish -> ((Wish.Release) wish).nodes().stream())
                .toList();
    }

    static String held(List<Wish> wishes) {
        return wishes.stream()
                .filter(Wish.Hold.class::isInstance)
                .map(Wish::reason)
                .findFirst()
                .orElse("");
    }

    static Demand small(String shape, int jobs) {
        return Demand.of(draft -> {
            draft.shape = shape;
            draft.perNode = Resources.of(1, 1L << 30, 0);
            draft.jobs = jobs;
            draft.oldestSubmit = NOW;
            draft.walltime = Duration.ofHours(1);
            draft.sites = List.of("east");
        });
    }

    static OfferingId first(List<Wish> wishes) {
        return provisions(wishes).getFirst().offerings().getFirst();
    }

    // schedule

    void window(String name, String type, int count) {
        windows.add(new ScheduleWindow(
                name,
                NOW.minusSeconds(60),
                NOW.plusSeconds(3600),
                new ScheduleWindow.Warm("east", type, Market.ON_DEMAND, count)));
    }
}
