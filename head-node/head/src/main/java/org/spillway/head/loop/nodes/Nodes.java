package org.spillway.head.loop.nodes;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.cloud.Instance;
import org.spillway.cloud.fleet.Listing;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.lifecycle.Contact;
import org.spillway.head.lifecycle.NodeTable;
import org.spillway.head.lifecycle.NodeVerdict;
import org.spillway.head.lifecycle.Sight;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.jobs.Jobs;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.rollout.DriftTerms;
import org.spillway.head.rollout.DriftTerms.Policy;

/** Looks each node up in the table and does what the verdict says. */
public final class Nodes {
    private static final Logger LOG = LoggerFactory.getLogger(Nodes.class);

    /** Results of a job that was stopped may be large. */
    private static final Duration TOLD_TO_STOP = Duration.ofHours(1);

    /** Longer than the manager's daemon takes between two starts, the first of which may find the manager away. */
    private static final Duration REFUSED_FOR = Duration.ofSeconds(45);

    private static final NodeVerdict BEYOND_HOPE =
            new NodeVerdict(NodeState.TERMINATING, true, false, NodeFact.JOB_DID_NOT_END);

    private static final NodeVerdict UNBOUND =
            new NodeVerdict(NodeState.TERMINATING, true, false, NodeFact.GIVEN_TO_UNBOUND);

    private static final NodeVerdict ABSENT =
            new NodeVerdict(NodeState.TERMINATING, true, false, NodeFact.NOT_REGISTERED);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final NodeMemory seen;
    private final ForeignJobs foreign;
    private final Jobs jobs;
    private final Unbound unbound;
    private final HealthFaults faults;
    private final Outcomes outcomes;
    private final Withholding withholding;
    private final Reclaiming reclaiming;
    private final Misdirected misdirected;
    private final Rules rules;

    /** {@link NodeTable#verdict}, or one with a planted mistake. */
    @FunctionalInterface
    public interface Rules {
        NodeVerdict verdict(NodeState state, Sight sight, Contact contact, boolean hasJob, boolean director);
    }

    public Nodes(
            World world,
            Sites sites,
            LiveNodes live,
            JobMemory memory,
            NodeMemory seen,
            ForeignJobs foreign,
            Jobs jobs,
            Rules rules) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.seen = seen;
        this.foreign = foreign;
        this.jobs = jobs;
        this.unbound = new Unbound(world, sites, live, memory, foreign);
        this.faults = new HealthFaults(world, sites, live);
        this.outcomes = new Outcomes(world, faults);
        this.withholding = new Withholding(world, live);
        this.reclaiming = new Reclaiming(world, sites);
        this.misdirected = new Misdirected(world, sites);
        this.rules = rules;
    }

    public void advance(Instant now) {
        withholding.advance(now);
        reclaiming.advance(now);
        Set<String> unusable = unbound.late(now);
        List<Entry> used = new ArrayList<>();
        for (NodeRecord node : live.nodes()) {
            List<JobRecord> running = live.runningOn(node.id());
            if (!running.isEmpty() || foreign.isAllocated(node.id())) {
                seen.sights().busy(node.id(), now);
                outcomes.used(node, now).ifPresent(used::add);
            }
            Contact contact = contact(node, now);
            NodeVerdict verdict = rules.verdict(
                    node.nodeState(),
                    sight(node),
                    contact,
                    // A node that was drained by hand, or where another manager may still have a job, is kept as if one
                    // were.
                    !running.isEmpty() || node.care().parked() || !isVacant(node) || runsUnknown(node),
                    node.isDirector());
            verdict = faults.judged(
                    node, GateWords.judged(node, verdict, contact, sites.of(node.site()).report, drift(node)), now);
            if (isBeyondHope(node, running, now)) {
                verdict = BEYOND_HOPE;
            } else if (unusable.contains(node.id()) && verdict.next() == node.nodeState()) {
                verdict = UNBOUND;
            }
            if (running.isEmpty() && verdict.next() == node.nodeState()) {
                verdict = absent(node, now).or(() -> misdirected.verdict(node)).orElse(verdict);
            }
            apply(node, verdict, running, now);
        }
        sites.all().forEach(site -> site.endings = site.unended.cause(now));
        world.journal().commit(now, used);
    }

    private Policy drift(NodeRecord node) {
        return world.settings()
                .roles()
                .drift(node.profile().category())
                .map(DriftTerms::policy)
                .orElse(Policy.REPORT);
    }

    /** Whether a director reports a job on that node, which may have begun in a part of the past that the journal lacks. */
    private boolean runsUnknown(NodeRecord node) {
        Report report = sites.of(node.site()).report;
        return report != null
                && world.journal().store().standing().quarantined()
                && report.jobs().stream()
                        .anyMatch(job -> job.node().equals(node.id())
                                && (job.phase() == Report.JobReport.Phase.ACCEPTED
                                        || job.phase() == Report.JobReport.Phase.RUNNING));
    }

    private boolean isVacant(NodeRecord node) {
        return (node.nodeState() != NodeState.DRAINING && node.nodeState() != NodeState.RECLAIMING)
                || node.isDirector()
                || world.ports()
                        .workload()
                        .nodeList()
                        .map(its -> its.isVacant(node.id()))
                        .orElse(true);
    }

    /**
     * The node is paid for, and the manager gives it no job: it has had as long to register there as to join. One that says
     * what keeps its daemon from starting has not to be waited for.
     */
    private Optional<NodeVerdict> absent(NodeRecord node, Instant now) {
        boolean serves = node.nodeState() == NodeState.READY
                && !node.isDirector()
                && !node.care().parked()
                && !foreign.isAllocated(node.id());
        Optional<Instant> since = serves
                ? world.ports().workload().nodeList().flatMap(its -> its.absentSince(node.id()))
                : Optional.empty();
        if (since.isEmpty()) {
            return Optional.empty();
        }
        SiteState site = sites.of(node.site());
        Duration registration = site.plan.nodes().registration();
        Optional<NodeCause> refused = GateWords.refused(
                node.id(),
                site.report == null ? List.of() : site.report.nodes(),
                world.ports().workload().name());
        boolean hopeless = refused.isPresent() && REFUSED_FOR.compareTo(registration) < 0;
        return now.isAfter(since.get().plus(hopeless ? REFUSED_FOR : registration))
                ? Optional.of(refused.map(why -> new NodeVerdict(NodeState.TERMINATING, true, false, why))
                        .orElse(ABSENT))
                : Optional.empty();
    }

    /** The node was told to stop what should have ended long ago, and has not said that it did. */
    private boolean isBeyondHope(NodeRecord node, List<JobRecord> running, Instant now) {
        boolean serves = switch (node.nodeState()) {
            case READY, DRAINING, RECLAIMING -> true;
            default -> false;
        };
        return serves
                && !node.isDirector()
                && running.stream().anyMatch(job -> sites.isOverdue(job, now.minus(TOLD_TO_STOP)));
    }

    private void apply(NodeRecord node, NodeVerdict verdict, List<JobRecord> running, Instant now) {
        List<Entry> batch = new ArrayList<>();
        List<JobRecord> lost = new ArrayList<>();
        boolean moves = verdict.next() != node.nodeState();
        // How long one takes that was stopped and started again says nothing about a launch.
        boolean isNew = moves && outcomes.isNew(node);
        NodeRecord served = moves && isTakenBack(node) ? node.takenBack() : node;
        NodeRecord next =
                served.to(verdict.next(), NodeReasons.of(node, verdict, sites.of(node.site()).directorTrouble), now);
        if (moves) {
            LOG.info("{}: {} -> {} {}", node.id(), node.nodeState(), next.nodeState(), next.reason());
            batch.add(next);
            outcomes.moved(node, next, now).ifPresent(batch::add);
        }
        // The jobs of a node that is no more are requeued by Jobs, when the director's last word on them is heard.
        if (verdict.requeue() && next.isLive() && sites.hasLastWord(node.site(), node.since())) {
            running.forEach(job -> lost.add(jobs.lost(job, node.id(), now)));
        }
        batch.addAll(lost);
        world.journal().commit(now, batch);
        lost.forEach(jobs::committed);
        if (moves) {
            entered(next);
            if (node.nodeState() == NodeState.REPURPOSING && next.nodeState() == NodeState.READY) {
                seen.bootTimes().changed(next.profile().category(), Duration.between(node.since(), now));
            }
            if (next.nodeState() == NodeState.READY && !next.isDirector() && next.costFrom() != null && isNew) {
                seen.bootTimes().booted(next.offering(), Duration.between(next.costFrom(), now));
            }
        }
        if (verdict.terminate()
                && node.instance() != null
                && !node.isGiven()
                && sites.of(node.site()).mayEnd()) {
            terminate(node, node.instance(), now);
        }
    }

    /** The head lets a node drain or stop before it ends it: one that ends while it serves is ended by its provider. */
    private boolean isTakenBack(NodeRecord node) {
        boolean serves = switch (node.nodeState()) {
            case READY, DRAINING, UNREACHABLE, RECLAIMING -> true;
            default -> false;
        };
        return serves
                && switch (sight(node)) {
                    case STOPPED, ENDING, GONE -> true;
                    case UNNAMED, UNPROVEN, PENDING, RUNNING -> false;
                };
    }

    private void entered(NodeRecord node) {
        if (node.nodeState().isTerminal() && node.instance() != null) {
            sites.of(node.site()).unended.forget(node.instance());
        }
        if (node.isDirector()) {
            return;
        }
        switch (node.nodeState()) {
            case READY -> world.ports().workload().nodes().join(LiveNodes.joined(node));
            case DRAINING, UNREACHABLE, TERMINATING, RECLAIMING, REPURPOSING ->
                world.ports().workload().nodes().drain(node.id(), node.reason());
            case TERMINATED, FAILED -> {
                world.ports().workload().nodes().leave(node.id());
                seen.sights().forget(node.id());
            }
            default -> {}
        }
    }

    /** After a restart the workload manager is told again what is so. */
    public void repeat() {
        for (NodeRecord node : live.nodes()) {
            if (!node.isDirector() && wasReady(node)) {
                // The further steps are about a node that the manager was told of before.
                world.ports().workload().nodes().join(LiveNodes.joined(node));
                world.ports().workload().nodes().drain(node.id(), node.reason());
            }
            entered(node);
        }
    }

    /** The node may have had jobs, and gets no more. */
    private static boolean wasReady(NodeRecord node) {
        return switch (node.nodeState()) {
            case DRAINING, UNREACHABLE, RECLAIMING, REPURPOSING, STOPPING -> true;
            case TERMINATING -> !node.certificate().isEmpty();
            case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING, READY, STOPPED, TERMINATED, FAILED -> false;
        };
    }

    private void terminate(NodeRecord node, String instance, Instant now) {
        String key = "terminate:" + node.id();
        SiteState site = sites.of(node.site());
        if (!world.ports().effects().isUnderWay(key) && site.unended.mayAsk(instance, now)) {
            world.ports()
                    .effects()
                    .begin(
                            key,
                            () -> {
                                site.plan.provider().compute().terminate(List.of(instance));
                                return true;
                            },
                            done -> site.unended.accepted(instance),
                            failure -> notEnded(node, instance, String.valueOf(failure.getMessage()), now));
        }
    }

    /** Written down once for each thing that the provider says: who looks sees why the machine is still paid for. */
    private void notEnded(NodeRecord node, String instance, String said, Instant now) {
        sites.of(node.site()).unended.refused(instance, said, now);
        LOG.warn("{}: its instance {} could not be ended, trying again: {}", node.id(), instance, said);
        world.journal()
                .node(node.id())
                .filter(found -> found.nodeState() == NodeState.TERMINATING)
                .filter(found -> !(found.cause() instanceof NodeCause.NotEnded refused
                        && refused.said().equals(said)))
                .ifPresent(found -> world.journal()
                        .commit(
                                now,
                                found.to(
                                        NodeState.TERMINATING,
                                        new NodeCause.NotEnded(NodeReasons.first(found.cause()), said),
                                        now)));
    }

    private Sight sight(NodeRecord node) {
        String id = node.instance();
        if (id == null) {
            return Sight.UNNAMED;
        }
        if (node.isGiven()) {
            // No provider lists it. What is not to be a director any more is as good as gone.
            return node.nodeState() == NodeState.TERMINATING ? Sight.GONE : Sight.RUNNING;
        }
        if (seen.sights().isGone(node.id())) {
            return Sight.GONE;
        }
        Instance instance = sites.of(node.site()).seen(id);
        if (instance == null) {
            return Sight.UNPROVEN;
        }
        return switch (instance.state()) {
            case PENDING -> Sight.PENDING;
            case RUNNING -> Sight.RUNNING;
            // The call that starts it again, or a listing after it, may still be under way.
            case STOPPING, STOPPED ->
                Powering.wasPoweredOn(node) || wasHeardSinceListing(node)
                        ? Sight.PENDING
                        : isProven(node, id) ? Sight.STOPPED : Sight.UNPROVEN;
            case TERMINATING ->
                node.nodeState() == NodeState.TERMINATING || isProven(node, id) ? Sight.ENDING : Sight.UNPROVEN;
            case TERMINATED -> Sight.UNPROVEN;
        };
    }

    /** A listing that calls it ended or off is one look: {@link org.spillway.cloud.fleet.FleetDiff} takes another. */
    private boolean isProven(NodeRecord node, String instance) {
        SiteState site = sites.of(node.site());
        return site.fleet.isProven(instance, site.fleetRules());
    }

    private Contact contact(NodeRecord node, Instant now) {
        return switch (node.nodeState()) {
            case UNREACHABLE, TERMINATING -> isOver(watchedSince(node), now) ? Contact.EXPIRED : Contact.SILENT;
            case READY, DRAINING, RECLAIMING -> heard(node, now);
            // Stopped on purpose.
            case STOPPING, STOPPED -> Contact.AWAITED;
            default -> {
                Contact arriving = arriving(node);
                // Of the state, not of the decision: a launch call may take minutes, and its nodes come up after it.
                boolean late = now.isAfter(watchedSince(node)
                        .plus(sites.of(node.site()).plan.nodes().registration()));
                yield late && arriving != Contact.WELL ? Contact.OVERDUE : arriving;
            }
        };
    }

    private boolean wasHeardSinceListing(NodeRecord node) {
        Listing listing = sites.of(node.site()).listing;
        return listing != null && isAfter(seen.sights().lastHeard(node.id()), listing.startedAt());
    }

    private static boolean isAfter(@Nullable Instant heard, Instant then) {
        return heard != null && heard.isAfter(then);
    }

    /**
     * Of its state, but no earlier than this head: nobody heard the node before, a clock that was set between two heads makes
     * that time as long as it likes, and a journal that lacks a part of its past does not know what came up in it.
     */
    private Instant watchedSince(NodeRecord node) {
        return node.since().isAfter(world.startedAt()) ? node.since() : world.startedAt();
    }

    private boolean isOver(Instant since, Instant now) {
        return now.isAfter(since.plus(world.settings().lease().length())
                .plus(world.settings().lease().margin()));
    }

    private Contact heard(NodeRecord node, Instant now) {
        Instant last = node.isDirector()
                ? sites.of(node.site()).syncedAt
                : seen.sights().lastHeard(node.id());
        Instant floor = watchedSince(node);
        return isOver(last == null || last.isBefore(floor) ? floor : last, now) ? Contact.SILENT : Contact.WELL;
    }

    private Contact arriving(NodeRecord node) {
        SiteState site = sites.of(node.site());
        if (node.isDirector()) {
            boolean well = node.nodeState() == NodeState.PROVISIONING
                    ? node.id().equals(site.installed)
                    : node.id().equals(site.reportFrom);
            return well ? Contact.WELL : Contact.AWAITED;
        }
        Report report = site.report;
        // Words from before it was stopped are not about this life of the node.
        boolean stale = Powering.wasPoweredOn(node) && !isAfter(seen.sights().lastHeard(node.id()), node.since());
        if (report == null || stale) {
            return Contact.AWAITED;
        }
        for (Report.NodeReport heard : report.nodes()) {
            if (heard.node().equals(node.id())) {
                return heard.ready()
                                && hasPassed(heard, node.profile().turn())
                                && !OtherVersions.isOther(world, report, node, heard)
                        ? Contact.WELL
                        : Contact.POORLY;
            }
        }
        return Contact.AWAITED;
    }

    /** Whether it is what it is to be now, and not what it was before. */
    private static boolean hasPassed(Report.NodeReport heard, int turn) {
        String detail = Integer.toString(turn);
        return turn == 0
                || (heard.gate().stream().allMatch(Report.GateCheck::passed)
                        && heard.gate().stream()
                                .anyMatch(check -> check.name().equals(Directive.NodeProfile.CHECK)
                                        && check.detail().equals(detail)));
    }
}
