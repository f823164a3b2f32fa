package org.spillway.head.loop.supply;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.PlaceCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.PolicyRecord;
import org.spillway.head.loop.launches.Launches;
import org.spillway.head.loop.money.Spending;
import org.spillway.head.loop.nodes.Outcomes;
import org.spillway.head.loop.nodes.Powering;
import org.spillway.head.loop.nodes.Repurposing;
import org.spillway.head.loop.state.Capping;
import org.spillway.head.loop.state.Context;
import org.spillway.head.loop.state.SiteState;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Fabric;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.scaler.Decider;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.Alternatives;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** Lets the scaler decide, and applies its plan. */
public final class Scaling {
    private static final Logger LOG = LoggerFactory.getLogger(Scaling.class);

    private static final int MOST_GROUP_NAME = 40;

    private final Context context;
    private final Launches launches;
    private final Supply supply;
    private final Repurposing repurposing;
    private final Scaler<?> scaler;
    /** The plan of the last dry run; a head that starts again journals it once more. */
    private Set<String> lastDry = Set.of();
    /** Why nothing was done for a shape, as last planned. */
    private Map<String, String> holds = Map.of();

    /** A decision that is waited for; nothing else is decided meanwhile. */
    private Scaler.@Nullable Asked asked;

    public Scaling(Context context, Launches launches) {
        this.context = context;
        this.launches = launches;
        this.supply = new Supply(context);
        this.repurposing = new Repurposing(context);
        this.scaler = new Scaler<Record>(supply, supply, supply, context.ports.policy(), context.settings.spending().zone());
    }

    /** Begins to find out what would be done now; changes nothing. What it answers may be waited for, but not here. */
    public Scaler.Asked plan(Instant now) {
        return scaler.ask(scaler.snapshot(now));
    }

    /** Why nothing was done for jobs of that shape, as last planned; empty when something was. */
    public String hold(String shape) {
        return holds.getOrDefault(shape, "");
    }

    /**
     * Asks the policy and never waits for it. Most answer at once. What is answered later is applied by the tick that finds
     * it, about the cluster as it was when it was asked: what could not be done any more is not done.
     */
    public void advance(Instant now) {
        Scaler.Asked waiting = asked;
        if (waiting == null) {
            ClusterSnapshot snapshot = scaler.snapshot(now);
            if (snapshot.demands().isEmpty()
                    && snapshot.nodes().isEmpty()
                    && snapshot.windows().isEmpty()) {
                return;
            }
            waiting = scaler.ask(snapshot);
            asked = waiting;
        }
        Optional<Scaler.Decided> decided = waiting.decided();
        if (decided.isPresent()) {
            asked = null;
            if (!isOvertaken(waiting.snapshot(), now)) {
                apply(waiting.snapshot(), decided.get(), now);
            }
        }
    }

    /** Whether somebody else has bought nodes since, which might be as many as a limit allows. */
    private boolean isOvertaken(ClusterSnapshot then, Instant now) {
        if (then.now().equals(now)) {
            return false;
        }
        Set<String> known = then.nodes().stream().map(NodeView::id).collect(Collectors.toSet());
        return !supply.nodes().stream().map(NodeView::id).allMatch(known::contains);
    }

    /** The decision and all that follows from it are one commit: no life of the head leaves one without the other. */
    private void apply(ClusterSnapshot snapshot, Scaler.Decided decided, Instant now) {
        Plan plan = decided.plan();
        Map<String, List<JobRecord>> jobs = plan.steps().isEmpty() ? Map.of() : supply.byShape(context.waiting());
        Map<String, String> holds = new HashMap<>();
        if (context.settings.planning().dryRun()) {
            dry(snapshot, decided, jobs, holds, now);
            return;
        }
        List<Entry> batch = new ArrayList<>();
        Money left = context.budgetLeft(now);
        for (Step step : decided.noted().steps()) {
            switch (step) {
                case Step.Launch launch -> left = left.minus(launch(launch, jobs, left, batch, now));
                case Step.Release release -> release(release, batch, now);
                case Step.Power power -> left = left.minus(power(power, jobs, left, batch, now));
                case Step.Repurpose change -> left = left.minus(repurposing.change(change, jobs, left, batch, now));
                case Step.Overlay change -> repurposing.change(change, batch, now);
                case Step.Hold hold -> hold(hold, jobs, holds);
            }
        }
        this.holds = Map.copyOf(holds);
        if (!batch.isEmpty()) {
            batch.addFirst(decision(snapshot, decided, false));
            context.journal.commit(now, batch);
        }
    }

    private void hold(Step.Hold hold, Map<String, List<JobRecord>> jobs, Map<String, String> holds) {
        holds.put(hold.shape(), hold.reason());
        jobs.getOrDefault(hold.shape(), List.of())
                .forEach(job -> context.waits.put(job.id(), new WaitCause.PlanHolds(hold.reason())));
    }

    /** Nothing is done. What would be done is journalled when it is something else than last time. */
    private void dry(
            ClusterSnapshot snapshot,
            Scaler.Decided decided,
            Map<String, List<JobRecord>> jobs,
            Map<String, String> holds,
            Instant now) {
        Set<String> would = new TreeSet<>();
        for (Step step : decided.noted().steps()) {
            switch (step) {
                case Step.Launch launch -> {
                    would.add("launch " + launch.count() + " " + launch.offering() + " " + launch.shapes());
                    dryWait(jobs, launch.shapes(), launch.count() + " x " + launch.offering() + " would be launched");
                }
                case Step.Release release -> would.add("release " + release.node());
                case Step.Power power -> {
                    would.add("power " + power.on() + " " + power.node());
                    dryWait(jobs, power.shapes(), power.node() + " would be powered on");
                }
                case Step.Repurpose change -> {
                    would.add("repurpose " + change.node() + " " + change.category());
                    dryWait(jobs, change.shapes(), change.node() + " would be repurposed");
                }
                case Step.Overlay change ->
                    would.add("overlay " + change.overlay() + " " + change.join() + " " + change.node());
                case Step.Hold hold -> hold(hold, jobs, holds);
            }
        }
        this.holds = Map.copyOf(holds);
        if (!would.equals(lastDry)) {
            lastDry = would;
            if (!would.isEmpty()) {
                LOG.info("dry run, not done: {}", String.join("; ", would));
                context.journal.commit(now, decision(snapshot, decided, true));
            }
        }
    }

    private void dryWait(Map<String, List<JobRecord>> jobs, List<String> shapes, String what) {
        shapes.stream()
                .flatMap(shape -> jobs.getOrDefault(shape, List.of()).stream())
                .forEach(job -> context.waits.put(job.id(), new WaitCause.DryRun(what)));
    }

    private DecisionEntry decision(ClusterSnapshot snapshot, Scaler.Decided decided, boolean dry) {
        Plan plan = decided.plan();
        Decider.Source source = decided.source();
        return new DecisionEntry(
                "d" + context.journal.store().nextSequence(),
                snapshot,
                plan,
                PolicyRecord.of(
                        source.release(),
                        source.policy(),
                        source.version(),
                        source.settings(),
                        context.settings.spending().zone()),
                Alternatives.of(snapshot, plan),
                dry);
    }

    /** @return what the launch reserves; zero when it is not made */
    private Money launch(
            Step.Launch step, Map<String, List<JobRecord>> byShape, Money left, List<Entry> batch, Instant now) {
        SiteState site = context.site(step.offering().site());
        Offering offering = site.offerings.stream()
                .filter(one -> one.id().equals(step.offering()))
                .findFirst()
                .orElse(null);
        if (offering == null) {
            LOG.warn("the plan names {}, which is not offered any more", step.offering());
            return Money.ZERO;
        }
        List<JobRecord> jobs = step.shapes().stream()
                .flatMap(shape -> byShape.getOrDefault(shape, List.of()).stream())
                .toList();
        if (!site.unusable().isNone()) {
            jobs.forEach(
                    job -> context.waits.put(job.id(), new PlaceCause.SiteUnusable(site.plan.name(), site.unusable())));
            return Money.ZERO;
        }
        // Of what this very plan launches, too.
        long more = batch.stream()
                .filter(entry -> entry instanceof NodeRecord node
                        && node.nodeState() == NodeState.REQUESTED
                        && node.offering().equals(offering.id()))
                .count();
        int count = (int) Math.min(step.count(), context.room(offering) - more);
        if (count <= 0) {
            jobs.forEach(job -> context.waits.put(
                    job.id(),
                    new WaitCause.NoSlots(
                            context.ports.workload().name(), offering.id().instanceType(), site.plan.name())));
            return Money.ZERO;
        }
        Duration walltime = jobs.stream()
                .map(job -> job.spec().walltime())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        Duration committedFor = context.nodeReservation(site.plan, walltime);
        // Checked once more with what is reserved here: the planner's boot estimate is shorter than the deadline.
        Money each = offering.pricePerHour().perHourFor(committedFor);
        Money reserved = each.times(count);
        if (reserved.isMoreThan(left)) {
            jobs.forEach(
                    job -> context.waits.put(job.id(), new WaitCause.Budget(left, reserved, WaitCause.Purpose.NODE)));
            return Money.ZERO;
        }
        NodeRecord.Holders holders = context.capping.holders(jobs);
        List<NodeRecord> planned = batch.stream()
                .filter(NodeRecord.class::isInstance)
                .map(NodeRecord.class::cast)
                .filter(node -> node.nodeState() == NodeState.REQUESTED)
                .toList();
        Capping.Room room = context.capping.room(holders, offering, each, planned, now);
        if (room.nodes() < count) {
            jobs.forEach(job -> context.waits.put(job.id(), room.why()));
            // Part of a gang would be paid for nothing.
            int unit = jobs.stream().mapToInt(job -> job.spec().nodes()).max().orElse(1);
            count = (int) room.nodes() / unit * unit;
            if (count == 0) {
                return Money.ZERO;
            }
        }
        Launches.Terms terms = new Launches.Terms(
                "",
                step.group() == null ? fabricGroup(offering, jobs) : step.group(),
                holders,
                context.settings.roles().launchedFor(jobs));
        List<Entry> launched = launches.decision(
                site,
                offering,
                count,
                NodeRecord.Role.NODE,
                committedFor,
                new NodeCause.Planned(step.reason()),
                terms,
                now);
        batch.addAll(launched);
        if (!step.shapes().isEmpty()) {
            batch.addAll(Outcomes.ordered(launched, now));
        }
        LOG.info("launching {} x {}: {}", count, step.offering(), step.reason());
        jobs.forEach(job -> context.waits.put(
                job.id(),
                new WaitCause.NodeOnTheWay(
                        step.offering().instanceType(), step.offering().zone())));
        return each.times(count);
    }

    /** A gang's nodes stand together where the offering has a fabric to stand on. */
    private static String fabricGroup(Offering offering, List<JobRecord> jobs) {
        boolean fabric = !Fabric.named(offering.features()).isEmpty();
        return jobs.stream()
                .filter(job -> fabric && job.spec().nodes() > 1)
                .map(job -> "gang-" + job.id().replaceAll("[^A-Za-z0-9-]", "-"))
                .filter(group -> group.length() <= MOST_GROUP_NAME)
                .findFirst()
                .orElse("");
    }

    /** @return what it reserves; zero when it is stopped, or not done */
    private Money power(
            Step.Power step, Map<String, List<JobRecord>> byShape, Money left, List<Entry> batch, Instant now) {
        NodeRecord node = context.journal.node(step.node()).orElse(null);
        if (node == null || !context.stops(node)) {
            return Money.ZERO;
        }
        if (!step.on()) {
            if (context.isFree(node)) {
                LOG.info("powering off {}: {}", node.id(), step.reason());
                List<NodeRecord> off = Powering.off(node, new NodeCause.Planned(step.reason()), now);
                context.ports.workload().nodes().drain(node.id(), off.getLast().reason());
                batch.addAll(off);
            }
            return Money.ZERO;
        }
        List<JobRecord> jobs = step.shapes().stream()
                .flatMap(shape -> byShape.getOrDefault(shape, List.of()).stream())
                .toList();
        Instant from = node.costFrom();
        if (node.nodeState() != NodeState.STOPPED || from == null) {
            return Money.ZERO;
        }
        Duration walltime = jobs.stream()
                .map(job -> job.spec().walltime())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        Duration committedFor =
                Duration.between(from, now).plus(context.nodeReservation(context.site(node.site()).plan, walltime));
        NodeRecord on =
                Powering.on(node, new NodeCause.Planned(step.reason()), now).withCommittedFor(committedFor);
        Instant period = context.settings.spending().periodStart(now);
        Money reserved = Spending.of(on, period, now).minus(Spending.of(node, period, now));
        if (reserved.isMoreThan(left)) {
            jobs.forEach(
                    job -> context.waits.put(job.id(), new WaitCause.Budget(left, reserved, WaitCause.Purpose.START)));
            return Money.ZERO;
        }
        LOG.info("powering on {}: {}", node.id(), step.reason());
        batch.add(on);
        jobs.forEach(job -> context.waits.put(job.id(), new WaitCause.NodePoweredOn(node.id())));
        return reserved;
    }

    private void release(Step.Release step, List<Entry> batch, Instant now) {
        context.journal
                .node(step.node())
                .filter(node -> node.nodeState() == NodeState.STOPPED)
                .ifPresent(node -> {
                    LOG.info("releasing {}: {}", node.id(), step.reason());
                    batch.add(node.to(NodeState.TERMINATING, new NodeCause.Planned(step.reason()), now));
                });
        context.journal.node(step.node()).filter(context::isFree).ifPresent(node -> {
            LOG.info("releasing {}: {}", node.id(), step.reason());
            context.ports.workload().nodes().drain(node.id(), step.reason());
            batch.add(node.to(NodeState.DRAINING, new NodeCause.Planned(step.reason()), now));
        });
    }
}
