package org.spillway.head.loop.supply;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.money.Spending;
import org.spillway.head.loop.nodes.Outcomes;
import org.spillway.head.loop.nodes.Powering;
import org.spillway.head.loop.nodes.Repurposing;
import org.spillway.head.loop.state.Capping;
import org.spillway.head.loop.waits.Finder;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.policy.Fabric;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.scaler.plan.Bound;
import org.spillway.scaler.plan.Step;

/**
 * The steps of a plan against the cluster as it is now: each is checked once more, since somebody may have been there since
 * it was planned, and the planner's boot estimate is shorter than the deadline for which money is reserved. Changes nothing.
 */
final class PlanSteps {
    private static final int MOST_GROUP_NAME = 40;

    private final PlanGround ground;
    private final Map<String, List<JobRecord>> byShape;
    private final Instant now;
    private Money left;
    private final List<PlanOutcome.Drain> drains = new ArrayList<>();
    private final List<Entry> entries = new ArrayList<>();
    private final List<WaitFinding> found = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    private PlanSteps(PlanGround ground, Map<String, List<JobRecord>> byShape, Instant now) {
        this.ground = ground;
        this.byShape = byShape;
        this.now = now;
        this.left = ground.budgetLeft();
    }

    /** @param byShape waiting jobs by the shape that plans know them by */
    static PlanOutcome of(List<Step> steps, Map<String, List<JobRecord>> byShape, PlanGround ground, Instant now) {
        PlanSteps all = new PlanSteps(ground, byShape, now);
        steps.forEach(all::take);
        return all.outcome();
    }

    /** As a dry run: nothing is done, and jobs are told what would be. */
    static PlanOutcome dry(List<Step> steps, Map<String, List<JobRecord>> byShape, PlanGround ground, Instant now) {
        PlanSteps all = new PlanSteps(ground, byShape, now);
        steps.forEach(all::wouldTake);
        return all.outcome();
    }

    private PlanOutcome outcome() {
        return new PlanOutcome(drains, entries, found, notes);
    }

    private void take(Step step) {
        switch (step) {
            case Step.Launch launch -> launch(launch);
            case Step.Release release -> ground.node(release.node()).ifPresent(node -> release(node, release.reason()));
            case Step.Power power ->
                ground.node(power.node()).filter(ground::stops).ifPresent(node -> power(node, power));
            case Step.Repurpose change ->
                ground.node(change.node()).filter(this::mayChange).ifPresent(node -> repurpose(node, change));
            case Step.Overlay change ->
                ground.node(change.node())
                        .filter(this::mayChange)
                        .ifPresent(node -> begin(Repurposing.overlay(node, change, now)));
            case Step.Hold hold -> hold(hold);
        }
    }

    private void wouldTake(Step step) {
        switch (step) {
            case Step.Launch launch -> {
                notes.add("launch " + launch.count() + " " + launch.offering() + " " + launch.shapes());
                would(launch.shapes(), launch.count() + " x " + launch.offering() + " would be launched");
            }
            case Step.Release release -> notes.add("release " + release.node());
            case Step.Power power -> {
                notes.add("power " + power.on() + " " + power.node());
                would(power.shapes(), power.node() + " would be powered on");
            }
            case Step.Repurpose change -> {
                notes.add("repurpose " + change.node() + " " + change.category());
                would(change.shapes(), change.node() + " would be repurposed");
            }
            case Step.Overlay change ->
                notes.add("overlay " + change.overlay() + " " + change.join() + " " + change.node());
            case Step.Hold hold -> hold(hold);
        }
    }

    private void would(List<String> shapes, String what) {
        wait(jobs(shapes), Finder.SUPPLY, new WaitCause.DryRun(what));
    }

    private void hold(Step.Hold hold) {
        Optional<Cause> quota = hold.by() == Bound.Kind.LIMIT ? ground.quota(hold.name()) : Optional.empty();
        wait(
                jobs(List.of(hold.shape())),
                Finder.PLAN,
                quota.orElseGet(() -> new WaitCause.PlanHolds(hold.reason(), hold.by(), hold.name())));
    }

    private void wait(List<JobRecord> jobs, Finder finder, Cause why) {
        jobs.forEach(job -> found.add(new WaitFinding(job.id(), finder, why)));
    }

    private List<JobRecord> jobs(List<String> shapes) {
        return shapes.stream()
                .flatMap(shape -> byShape.getOrDefault(shape, List.of()).stream())
                .toList();
    }

    private static Duration longest(List<JobRecord> jobs) {
        return jobs.stream()
                .map(job -> job.spec().walltime())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    private void launch(Step.Launch step) {
        Optional<Offering> sold = ground.offering(step.offering());
        if (sold.isEmpty()) {
            notes.add("the plan names " + step.offering() + ", which is not offered any more");
            return;
        }
        Offering offering = sold.get();
        List<JobRecord> jobs = jobs(step.shapes());
        String site = offering.id().site();
        Cause obstacle = ground.siteObstacle(site);
        if (!obstacle.isNone()) {
            wait(jobs, Finder.SHORTAGE, obstacle);
            return;
        }
        // Nodes that this very plan launches count, too.
        List<NodeRecord> planned = planned();
        int slots = (int) Math.min(step.count(), ground.slots(offering) - alike(offering, planned));
        if (slots <= 0) {
            wait(
                    jobs,
                    Finder.SHORTAGE,
                    new WaitCause.NoSlots(ground.manager(), offering.id().instanceType(), site));
            return;
        }
        Duration committedFor = ground.reservation(site, longest(jobs));
        Money each = offering.pricePerHour().perHourFor(committedFor);
        if (each.times(slots).isMoreThan(left)) {
            wait(jobs, Finder.SHORTAGE, new WaitCause.Budget(left, each.times(slots), WaitCause.Purpose.NODE));
            return;
        }
        Holders holders = ground.holders(jobs);
        int count = permitted(slots, ground.room(holders, offering, each, planned), jobs);
        if (count > 0) {
            String group = step.group() == null ? fabricGroup(offering, jobs) : step.group();
            List<Offering> behind = new ArrayList<>();
            Money dearest = each;
            for (OfferingId id : step.behind().offerings()) {
                Money its = behind(id, count, committedFor, holders, planned);
                if (its != null) {
                    ground.offering(id).ifPresent(behind::add);
                    dearest = its.isMoreThan(dearest) ? its : dearest;
                }
            }
            buy(
                    step,
                    new PlanGround.Purchase(
                            offering,
                            behind,
                            count,
                            committedFor,
                            new NodeCause.Planned(step.reason()),
                            group,
                            holders,
                            ground.roles().launchedFor(jobs)),
                    jobs);
            left = left.minus(dearest.times(count));
        }
    }

    /** The price of a node that is bought instead; null where so many are not to be had of it. */
    private @Nullable Money behind(
            OfferingId id, int count, Duration committedFor, Holders holders, List<NodeRecord> planned) {
        Offering other = ground.offering(id).orElse(null);
        if (other == null) {
            return null;
        }
        Money each = other.pricePerHour().perHourFor(committedFor);
        boolean fits = !each.times(count).isMoreThan(left)
                && ground.slots(other) - alike(other, planned) >= count
                && ground.room(holders, other, each, planned).nodes() >= count;
        return fits ? each : null;
    }

    private static long alike(Offering offering, List<NodeRecord> planned) {
        return planned.stream()
                .filter(node -> node.offering().equals(offering.id()))
                .count();
    }

    private List<NodeRecord> planned() {
        return entries.stream()
                .filter(NodeRecord.class::isInstance)
                .map(NodeRecord.class::cast)
                .filter(node -> node.nodeState() == NodeState.REQUESTED)
                .toList();
    }

    /** Whole gangs only: part of one would be paid for nothing. */
    private int permitted(int count, Capping.Room room, List<JobRecord> jobs) {
        if (room.nodes() >= count) {
            return count;
        }
        wait(jobs, Finder.SHORTAGE, room.why());
        int unit = jobs.stream().mapToInt(job -> job.spec().nodes()).max().orElse(1);
        return (int) room.nodes() / unit * unit;
    }

    private void buy(Step.Launch step, PlanGround.Purchase purchase, List<JobRecord> jobs) {
        List<Entry> launched = ground.purchase(purchase);
        entries.addAll(launched);
        if (!step.shapes().isEmpty()) {
            entries.addAll(Outcomes.ordered(launched, now));
        }
        String behind = purchase.behind().isEmpty()
                ? ""
                : purchase.behind().stream()
                        .map(one -> one.id().toString())
                        .collect(Collectors.joining(", ", " or else ", ""));
        notes.add("launching " + purchase.count() + " x " + step.offering() + behind + ": " + step.reason());
        wait(
                jobs,
                Finder.SUPPLY,
                new WaitCause.NodeOnTheWay(
                        step.offering().instanceType(), step.offering().zone()));
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

    private void power(NodeRecord node, Step.Power step) {
        Cause why = new NodeCause.Planned(step.reason());
        if (step.on()) {
            powerOn(node, jobs(step.shapes()), why);
        } else if (ground.isFree(node)) {
            notes.add("powering off " + node.id() + ": " + step.reason());
            List<NodeRecord> off = Powering.off(node, why, now);
            drains.add(new PlanOutcome.Drain(node.id(), off.getLast().reason()));
            entries.addAll(off);
        }
    }

    private void powerOn(NodeRecord node, List<JobRecord> jobs, Cause why) {
        Instant from = node.costFrom();
        if (node.nodeState() != NodeState.STOPPED || from == null) {
            return;
        }
        Duration committedFor = Duration.between(from, now).plus(ground.reservation(node.site(), longest(jobs)));
        NodeRecord on = Powering.on(node, why, now).withCommittedFor(committedFor);
        Money reserved = more(node, on);
        if (reserved.isMoreThan(left)) {
            wait(jobs, Finder.SHORTAGE, new WaitCause.Budget(left, reserved, WaitCause.Purpose.START));
            return;
        }
        notes.add("powering on " + node.id() + ": " + why.text());
        entries.add(on);
        left = left.minus(reserved);
        wait(jobs, Finder.SUPPLY, new WaitCause.NodePoweredOn(node.id()));
    }

    private Money more(NodeRecord before, NodeRecord after) {
        return Spending.of(after, ground.periodStart(), now).minus(Spending.of(before, ground.periodStart(), now));
    }

    private void repurpose(NodeRecord node, Step.Repurpose step) {
        Instant from = node.costFrom();
        if (from == null) {
            return;
        }
        List<JobRecord> jobs = jobs(step.shapes());
        Duration needed = Duration.between(from, now).plus(ground.reservation(node.site(), longest(jobs)));
        NodeRecord longer = needed.compareTo(node.committedFor()) > 0 ? node.withCommittedFor(needed) : node;
        Money reserved = more(node, longer);
        if (reserved.isMoreThan(left)) {
            wait(jobs, Finder.SHORTAGE, new WaitCause.Budget(left, reserved, WaitCause.Purpose.REPURPOSING));
            return;
        }
        Holders holders = jobs.isEmpty() ? node.heldNow() : ground.holders(jobs);
        begin(Repurposing.into(longer.heldBy(holders, now), step, ground.roles(), now));
        left = left.minus(reserved);
        wait(jobs, Finder.SUPPLY, new WaitCause.NodeRepurposed(node.id()));
    }

    private void begin(Repurposing.Turned turned) {
        notes.add(turned.node().id() + ": " + turned.why().text());
        drains.add(new PlanOutcome.Drain(turned.node().id(), turned.why().text()));
        entries.add(turned.node());
    }

    /** An administrator may have been there since it was decided. */
    private boolean mayChange(NodeRecord node) {
        boolean taken = entries.stream()
                .anyMatch(
                        entry -> entry instanceof NodeRecord other && other.id().equals(node.id()));
        return ground.isFree(node) && !node.profile().fixed() && !taken;
    }

    private void release(NodeRecord node, String reason) {
        boolean stopped = node.nodeState() == NodeState.STOPPED;
        if (!stopped && !ground.isFree(node)) {
            return;
        }
        notes.add("releasing " + node.id() + ": " + reason);
        if (!stopped) {
            drains.add(new PlanOutcome.Drain(node.id(), reason));
        }
        NodeState next = stopped ? NodeState.TERMINATING : NodeState.DRAINING;
        entries.add(node.to(next, new NodeCause.Planned(reason), now));
    }
}
