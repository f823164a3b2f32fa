package org.spillway.head.loop.nodes;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.RolloutCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.Attested;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.rollout.NodeSight;
import org.spillway.head.rollout.NodeSight.Place;

/**
 * Nodes as a rollout sees them. One look is no failure: a check of the gate has to fail for half a minute, two jobs have to be
 * refused, and a node that serves says itself that it is sick only after its second look. A head that starts again counts anew.
 */
final class RolloutSights {
    static final Duration REFUSES = Duration.ofSeconds(30);
    private static final int JOBS = 2;
    /** Checks by which the version is at fault, and not the region that a machine comes up in. */
    private static final Set<String> OF_VERSION = Set.of(Directive.Root.CHECK, Report.GateCheck.HEALTH);

    private static final Set<String> OF_CHANGE =
            Set.of(Directive.Root.CHECK, Report.GateCheck.HEALTH, "image", Directive.NodeProfile.CHECK);

    private final Sites sites;
    private final LiveNodes live;
    private final ForeignJobs foreign;
    private final Map<String, Failing> failing = new HashMap<>();
    private final Map<String, Set<String>> refused = new HashMap<>();

    private final Map<String, Heard> heard = new HashMap<>();

    /** @param first in which it was told first: the same report again is no second look */
    private record Failing(String check, int turn, Report first, Instant since) {}

    private record Heard(Report report, Map<String, Report.NodeReport> nodes) {}

    RolloutSights(Sites sites, LiveNodes live, ForeignJobs foreign) {
        this.sites = sites;
        this.live = live;
        this.foreign = foreign;
    }

    /** Forgets what was heard of nodes that no rollout looks at any more. */
    void keep(Set<String> members) {
        failing.keySet().retainAll(members);
        refused.keySet().retainAll(members);
    }

    /**
     * @param given whether a rollout has given it the version
     * @param image digest of the file that it would be given
     */
    NodeSight of(NodeRecord node, boolean given, String image, Instant now) {
        Report report = sites.of(node.site()).report;
        Report.NodeReport heard =
                report == null ? null : heard(node.site(), report).get(node.id());
        boolean known =
                heard != null && OtherVersions.isOfTurn(heard, node.profile().turn());
        return new NodeSight(
                node.id(),
                place(node),
                isBusy(node),
                known,
                heard != null && known ? Attested.of(heard.gate()).version() : "",
                report != null && report.images().contains(image),
                given ? trouble(node, heard, report, now) : Cause.NONE);
    }

    private Map<String, Report.NodeReport> heard(String site, Report report) {
        Heard known = heard.get(site);
        if (known == null || !isSame(known.report(), report)) {
            Map<String, Report.NodeReport> nodes = new HashMap<>();
            report.nodes().forEach(node -> nodes.put(node.node(), node));
            known = new Heard(report, nodes);
            heard.put(site, known);
        }
        return known.nodes();
    }

    /** Whether they are the same look, and not two that say the same. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean isSame(Report one, Report other) {
        return one == other;
    }

    private boolean isBusy(NodeRecord node) {
        return !live.runningOn(node.id()).isEmpty() || foreign.isAllocated(node.id());
    }

    static Place place(NodeRecord node) {
        return switch (node.nodeState()) {
            case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING -> Place.COMING;
            case READY -> Place.SERVING;
            case DRAINING -> isDrainedForIt(node) ? Place.DRAINED : node.care().parked() ? Place.PARKED : Place.GOING;
            case REPURPOSING -> Place.CHANGING;
            case STOPPING, STOPPED -> Place.AWAY;
            case UNREACHABLE, RECLAIMING, TERMINATING -> Place.GOING;
            case TERMINATED, FAILED -> Place.ENDED;
        };
    }

    /** Drained to have another version, and by nobody's hand. */
    static boolean isDrainedForIt(NodeRecord node) {
        return node.nodeState() == NodeState.DRAINING
                && node.care().next() != null
                && node.cause() instanceof NodeCause.Repurposed(String category, Cause why)
                && why == NodeFact.OTHER_VERSION
                && category.equals(node.profile().category());
    }

    private Cause trouble(NodeRecord node, Report.@Nullable NodeReport heard, @Nullable Report report, Instant now) {
        Cause told = node.cause();
        boolean refuses = told instanceof NodeCause.GateFailed(String check, String _) && OF_CHANGE.contains(check);
        if (refuses || told instanceof NodeCause.Sick) {
            return told;
        }
        if (node.nodeState() == NodeState.TERMINATING || !node.isLive()) {
            return told == NodeFact.NOT_CHANGED_IN_TIME ? told : Cause.NONE;
        }
        return switch (place(node)) {
            case COMING -> failed(node, heard, report, OF_VERSION, now);
            case CHANGING -> failed(node, heard, report, OF_CHANGE, now);
            case SERVING -> refusals(node, report);
            case DRAINED, PARKED, AWAY, GOING, ENDED -> Cause.NONE;
        };
    }

    private Cause failed(
            NodeRecord node,
            Report.@Nullable NodeReport told,
            @Nullable Report report,
            Set<String> checks,
            Instant now) {
        Optional<Report.GateCheck> found = told == null
                ? Optional.empty()
                : told.gate().stream()
                        .filter(check -> !check.passed() && checks.contains(check.name()))
                        .findFirst();
        if (found.isEmpty() || report == null) {
            failing.remove(node.id());
            return Cause.NONE;
        }
        Report.GateCheck check = found.get();
        int turn = node.profile().turn();
        Failing before = failing.get(node.id());
        if (before == null || before.turn() != turn || !before.check().equals(check.name())) {
            failing.put(node.id(), new Failing(check.name(), turn, report, now));
            return Cause.NONE;
        }
        boolean isFirst =
                isSame(report, before.first()) || now.isBefore(before.since().plus(REFUSES));
        return isFirst ? Cause.NONE : GateWords.cause(check);
    }

    /** Jobs that its node would not begin, of which one alone may be to blame itself. */
    private Cause refusals(NodeRecord node, @Nullable Report report) {
        List<Report.JobReport> jobs = report == null ? List.of() : report.jobs();
        for (Report.JobReport job : jobs) {
            if (job.node().equals(node.id()) && job.phase() == Report.JobReport.Phase.REFUSED) {
                refused.computeIfAbsent(node.id(), _ -> new HashSet<>()).add(job.job());
            }
        }
        int count = refused.getOrDefault(node.id(), Set.of()).size();
        return count < JOBS ? Cause.NONE : new RolloutCause.JobsRefused(count);
    }
}
