package org.spillway.head.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.PolicyRecord;
import org.spillway.head.lifecycle.NodeState;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.scaler.Decider;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.Alternatives;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** Lets the scaler decide, and applies its plan. */
final class Scaling {
    private static final Logger LOG = LoggerFactory.getLogger(Scaling.class);

    private static final int MOST_GROUP_NAME = 40;

    private final Context context;
    private final Launches launches;
    private final Supply supply;
    private final Scaler<?> scaler;

    Scaling(Context context, Launches launches) {
        this.context = context;
        this.launches = launches;
        this.supply = new Supply(context);
        this.scaler = new Scaler<Record>(supply, supply, supply, context.ports.policy(), context.settings.zone());
    }

    /** What would be done now; changes nothing. */
    Plan plan(Instant now) {
        return scaler.decide(scaler.snapshot(now)).noted();
    }

    void advance(Instant now) {
        ClusterSnapshot snapshot = scaler.snapshot(now);
        if (snapshot.demands().isEmpty()
                && snapshot.nodes().isEmpty()
                && snapshot.windows().isEmpty()) {
            return;
        }
        apply(snapshot, scaler.decide(snapshot), now);
    }

    /** The decision and all that follows from it are one commit: no life of the head leaves one without the other. */
    private void apply(ClusterSnapshot snapshot, Scaler.Decided decided, Instant now) {
        Plan plan = decided.plan();
        Map<String, List<JobRecord>> jobs = plan.steps().isEmpty() ? Map.of() : supply.byShape(context.waiting());
        Map<String, String> holds = new HashMap<>();
        List<Entry> batch = new ArrayList<>();
        Money left = context.budgetLeft(now);
        for (Step step : decided.noted().steps()) {
            switch (step) {
                case Step.Launch launch -> left = left.minus(launch(launch, jobs, left, batch, now));
                case Step.Release release -> release(release, batch, now);
                case Step.Hold hold -> {
                    holds.put(hold.shape(), hold.reason());
                    jobs.getOrDefault(hold.shape(), List.of())
                            .forEach(job -> context.waits.put(job.id(), hold.reason()));
                }
            }
        }
        context.holds = Map.copyOf(holds);
        if (!batch.isEmpty()) {
            batch.addFirst(decision(snapshot, decided));
            context.journal.commit(now, batch);
        }
    }

    private DecisionEntry decision(ClusterSnapshot snapshot, Scaler.Decided decided) {
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
                        context.settings.zone()),
                Alternatives.of(snapshot, plan));
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
        if (!site.unusable().isEmpty()) {
            jobs.forEach(job ->
                    context.waits.put(job.id(), "site " + site.plan.name() + " cannot be used: " + site.unusable()));
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
                    context.ports.workload().name() + " has no more room for "
                            + offering.id().instanceType() + " in site " + site.plan.name()));
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
            jobs.forEach(job -> context.waits.put(
                    job.id(), "the budget has " + left + " left, its node would reserve " + reserved));
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
        Launches.Terms terms = new Launches.Terms("", fabricGroup(offering, jobs), holders);
        List<Entry> launched =
                launches.decision(site, offering, count, NodeRecord.Role.NODE, committedFor, step.reason(), terms, now);
        batch.addAll(launched);
        if (!step.shapes().isEmpty()) {
            batch.addAll(Outcomes.ordered(launched, now));
        }
        LOG.info("launching {} x {}: {}", count, step.offering(), step.reason());
        jobs.forEach(job -> context.waits.put(
                job.id(),
                "its node is on the way: " + step.offering().instanceType() + " in "
                        + step.offering().zone()));
        return each.times(count);
    }

    /** A gang's nodes stand together where the offering has a fabric to stand on. */
    private static String fabricGroup(Offering offering, List<JobRecord> jobs) {
        boolean fabric = offering.features().stream().anyMatch(feature -> feature.startsWith("fabric:"));
        return jobs.stream()
                .filter(job -> fabric && job.spec().nodes() > 1)
                .map(job -> "gang-" + job.id().replaceAll("[^A-Za-z0-9-]", "-"))
                .filter(group -> group.length() <= MOST_GROUP_NAME)
                .findFirst()
                .orElse("");
    }

    private void release(Step.Release step, List<Entry> batch, Instant now) {
        context.journal
                .node(step.node())
                .filter(node -> node.nodeState() == NodeState.READY
                        && context.runningOn(node.id()).isEmpty()
                        && !context.foreign.isAllocated(node.id()))
                .ifPresent(node -> {
                    LOG.info("releasing {}: {}", node.id(), step.reason());
                    context.ports.workload().drain(node.id(), step.reason());
                    batch.add(node.to(NodeState.DRAINING, step.reason(), now));
                });
    }
}
