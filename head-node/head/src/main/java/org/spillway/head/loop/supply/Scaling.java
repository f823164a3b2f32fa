package org.spillway.head.loop.supply;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.PolicyRecord;
import org.spillway.head.loop.launches.Launches;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.Offers;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.NodeView;
import org.spillway.scaler.Decider;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.Alternatives;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** Lets the scaler decide, and applies its plan. */
public final class Scaling {
    private static final Logger LOG = LoggerFactory.getLogger(Scaling.class);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Offers offers;
    private final Purse purse;
    private final Launches launches;
    private final Supply supply;
    private final Scaler<?> scaler;
    /** The plan of the last dry run; a head that starts again journals it once more. */
    private Set<String> lastDry = Set.of();

    /** A decision that is waited for; nothing else is decided meanwhile. */
    private Scaler.@Nullable Asked asked;

    public Scaling(
            World world, Sites sites, LiveNodes live, Offers offers, Purse purse, Supply supply, Launches launches) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.offers = offers;
        this.purse = purse;
        this.launches = launches;
        this.supply = supply;
        this.scaler = new Scaler<Record>(supply, supply, supply, world.ports().policy(), ZoneOffset.UTC);
    }

    /** Begins to find out what would be done now; changes nothing. What it answers may be waited for, but not here. */
    public Scaler.Asked plan(Instant now) {
        return scaler.ask(scaler.snapshot(now));
    }

    /**
     * Asks the policy and never waits for it. Most answer at once. What is answered later is applied by the tick that finds
     * it, about the cluster as it was when it was asked: what could not be done any more is not done.
     *
     * @return all that was found out about why jobs wait
     */
    public List<WaitFinding> advance(Instant now) {
        Scaler.Asked waiting = asked;
        if (waiting == null) {
            ClusterSnapshot snapshot = scaler.snapshot(now);
            if (snapshot.demands().isEmpty()
                    && snapshot.nodes().isEmpty()
                    && snapshot.windows().isEmpty()) {
                return List.of();
            }
            waiting = scaler.ask(snapshot);
            asked = waiting;
        }
        Optional<Scaler.Decided> decided = waiting.decided();
        if (decided.isPresent()) {
            asked = null;
            if (!isOvertaken(waiting.snapshot(), now)) {
                return apply(waiting.snapshot(), decided.get(), now);
            }
        }
        return List.of();
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
    private List<WaitFinding> apply(ClusterSnapshot snapshot, Scaler.Decided decided, Instant now) {
        Map<String, List<JobRecord>> jobs =
                decided.plan().steps().isEmpty() ? Map.of() : supply.byShape(world.waiting());
        PlanGround ground = new JournalGround(world, sites, live, offers, purse, launches, now);
        List<Step> steps = decided.noted().steps();
        PlanOutcome outcome;
        if (world.settings().planning().dryRun()) {
            outcome = PlanSteps.dry(steps, jobs, ground, now);
            dry(snapshot, decided, outcome.notes(), now);
        } else {
            outcome = PlanSteps.of(steps, jobs, ground, now);
            outcome.notes().forEach(LOG::info);
            outcome.drains().forEach(drain -> world.ports().workload().nodes().drain(drain.node(), drain.reason()));
            if (!outcome.entries().isEmpty()) {
                List<Entry> batch = new ArrayList<>();
                batch.add(decision(snapshot, decided, false));
                batch.addAll(outcome.entries());
                world.journal().commit(now, batch);
            }
        }
        return outcome.found();
    }

    /** The steps are journalled when they are others than last time. */
    private void dry(ClusterSnapshot snapshot, Scaler.Decided decided, List<String> steps, Instant now) {
        Set<String> would = new TreeSet<>(steps);
        if (!would.equals(lastDry)) {
            lastDry = would;
            if (!would.isEmpty()) {
                LOG.info("dry run, not done: {}", String.join("; ", would));
                world.journal().commit(now, decision(snapshot, decided, true));
            }
        }
    }

    private DecisionEntry decision(ClusterSnapshot snapshot, Scaler.Decided decided, boolean dry) {
        Plan plan = decided.plan();
        Decider.Source source = decided.source();
        return new DecisionEntry(
                "d" + world.journal().store().nextSequence(),
                snapshot,
                plan,
                PolicyRecord.of(source.release(), source.policy(), source.version(), source.settings(), ZoneOffset.UTC),
                Alternatives.of(snapshot, plan),
                dry);
    }
}
