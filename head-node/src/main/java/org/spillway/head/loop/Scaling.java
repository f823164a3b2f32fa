package org.spillway.head.loop;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.lifecycle.JobState;
import org.spillway.head.lifecycle.NodeState;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** Lets the scaler decide, and applies its plan. */
final class Scaling {
    private static final Logger LOG = LoggerFactory.getLogger(Scaling.class);

    private final Context context;
    private final Launches launches;
    private final Scaler<?> scaler;

    Scaling(Context context, Launches launches) {
        this.context = context;
        this.launches = launches;
        this.scaler = scaler(new Supply(context), context.ports.policy(), context.settings.zone());
    }

    private static <S extends Record> Scaler<S> scaler(Supply supply, Ports.PolicyChoice<S> choice, ZoneId zone) {
        return new Scaler<>(supply, supply, supply, choice.policy(), choice.settings(), zone);
    }

    /** What would be done now; changes nothing. */
    Plan plan(Instant now) {
        return scaler.tick(now);
    }

    void advance(Instant now) {
        ClusterSnapshot snapshot = scaler.snapshot(now);
        if (snapshot.demands().isEmpty() && snapshot.nodes().isEmpty()) {
            return;
        }
        Plan plan = scaler.plan(snapshot);
        if (plan.changesAnything()) {
            String id = "d" + context.journal.store().nextSequence();
            context.journal.commit(now, new DecisionEntry(id, snapshot, plan));
        }
        Map<String, List<JobRecord>> jobs = context.journal.jobs().stream()
                .filter(job -> job.jobState() == JobState.QUEUED || job.jobState() == JobState.STAGING_IN)
                .collect(Collectors.groupingBy(Supply::shape));
        for (Step step : plan.steps()) {
            switch (step) {
                case Step.Launch launch -> launch(launch, jobs, now);
                case Step.Release(String node, String reason) -> release(node, reason, now);
                case Step.Hold(String shape, String reason) ->
                    jobs.getOrDefault(shape, List.of()).forEach(job -> context.waits.put(job.id(), reason));
            }
        }
    }

    private void launch(Step.Launch step, Map<String, List<JobRecord>> jobs, Instant now) {
        SiteState site = context.site(step.offering().site());
        Offering offering = site.offerings.stream()
                .filter(one -> one.id().equals(step.offering()))
                .findFirst()
                .orElse(null);
        if (offering == null) {
            LOG.warn("the plan names {}, which is not offered any more", step.offering());
            return;
        }
        Duration walltime = step.shapes().stream()
                .flatMap(shape -> jobs.getOrDefault(shape, List.of()).stream())
                .map(job -> job.spec().walltime())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        Duration committedFor = context.nodeReservation(site.plan, walltime);
        // Checked once more with what is reserved here: the planner's boot estimate is shorter than the deadline.
        Money reserved = offering.pricePerHour().perHourFor(committedFor).times(step.count());
        if (reserved.isMoreThan(context.budgetLeft(now))) {
            step.shapes().stream()
                    .flatMap(shape -> jobs.getOrDefault(shape, List.of()).stream())
                    .forEach(job -> context.waits.put(
                            job.id(),
                            "the budget has " + context.budgetLeft(now) + " left, its node would reserve " + reserved));
            return;
        }
        launches.decide(site, offering, step.count(), NodeRecord.Role.NODE, committedFor, step.reason(), now);
        step.shapes().stream()
                .flatMap(shape -> jobs.getOrDefault(shape, List.of()).stream())
                .forEach(job -> context.waits.put(
                        job.id(),
                        "its node is on the way: " + step.offering().instanceType() + " in "
                                + step.offering().zone()));
    }

    private void release(String id, String reason, Instant now) {
        context.journal
                .node(id)
                .filter(node -> node.nodeState() == NodeState.READY
                        && context.runningOn(id).isEmpty())
                .ifPresent(node -> {
                    LOG.info("releasing {}: {}", id, reason);
                    context.ports.workload().drain(id, reason);
                    context.journal.commit(now, node.to(NodeState.DRAINING, reason, now));
                });
    }
}
