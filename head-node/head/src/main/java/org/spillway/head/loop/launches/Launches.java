package org.spillway.head.loop.launches;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.fleet.Intent;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.LaunchCause;
import org.spillway.head.cause.LaunchText;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.IntentRecord;
import org.spillway.head.journal.LaunchEntry;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.port.Credentials;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Offering;

/**
 * Buys instances. The order is the point: intent and nodes are on disk before the provider is called, and what it
 * answers is on disk before anything is done with it.
 */
public class Launches {
    private static final Logger LOG = LoggerFactory.getLogger(Launches.class);

    protected final World world;
    protected final Sites sites;
    protected final NodeMemory seen;
    private final Supplier<Instant> clock;

    public Launches(World world, Sites sites, NodeMemory seen, Supplier<Instant> clock) {
        this.world = world;
        this.sites = sites;
        this.seen = seen;
        this.clock = clock;
    }

    /** Journals the decision to launch; the call follows in {@link #advance}. */
    public void decide(
            SiteState site,
            Offering offering,
            int count,
            NodeRecord.Role role,
            Duration committedFor,
            Cause why,
            Instant now) {
        world.journal().commit(now, decision(site, offering, count, role, committedFor, why, now));
        LOG.info("launching {} x {}: {}", count, offering.id(), why.text());
    }

    /**
     * Further terms of a launch.
     *
     * @param owner who asked for it; empty for the head
     * @param where what besides its offering may be bought
     * @param holders whose jobs it is for
     * @param profile what its nodes are to be
     */
    public record Terms(String owner, LaunchDecision.Where where, Holders holders, NodeRecord.Profile profile) {
        static final Terms USUAL = of("");

        /** As decided, for nobody's jobs. */
        public static Terms of(String owner) {
            return new Terms(owner, LaunchDecision.Where.AS_DECIDED, Holders.NOBODY, NodeRecord.Profile.PLAIN);
        }
    }

    public final List<Entry> decision(
            SiteState site,
            Offering offering,
            int count,
            NodeRecord.Role role,
            Duration committedFor,
            Cause why,
            Instant now) {
        return decision(site, offering, count, role, committedFor, why, Terms.USUAL, now);
    }

    /** The intent, then its nodes. */
    public final List<Entry> decision(
            SiteState site,
            Offering offering,
            int count,
            NodeRecord.Role role,
            Duration committedFor,
            Cause why,
            Terms terms,
            Instant now) {
        var decision = new LaunchDecision(
                world.journal().store().nextSequence(),
                site.plan.name(),
                offering,
                count,
                role,
                site.plan.imageFor(role == NodeRecord.Role.DIRECTOR),
                terms.owner().isEmpty() ? site.plan.owner() : terms.owner(),
                committedFor,
                why,
                now);
        return decision.planned(
                userData(decision), terms, world.journal().store().standing().tag());
    }

    private String userData(LaunchDecision decision) {
        Credentials credentials = world.ports().credentials();
        String site = decision.site();
        return decision.role() == NodeRecord.Role.DIRECTOR
                ? credentials.directorUserData(site, decision.nodes().getFirst())
                : credentials.nodeUserData(
                        site,
                        decision.intent(),
                        sites.addressedDirector(site).map(NodeRecord::inside).orElseThrow());
    }

    /**
     * A call whose answer there is no room for waits until there is.
     *
     * @param releasing what was decided and not called yet is not called any more
     */
    public void advance(Instant now, boolean releasing) {
        for (SiteState site : sites.all()) {
            for (Intent intent : world.journal().open(site.plan.name())) {
                if (intent.state() == Intent.State.PLANNED && releasing) {
                    drop(intent, now);
                } else if (intent.state() == Intent.State.PLANNED) {
                    if (!world.journal().store().isShortOfRoom()) {
                        call(site, intent, now);
                    }
                } else if (!world.ports().effects().isUnderWay("launch:" + intent.id())) {
                    // Called in an earlier life of this head: only a listing can tell what became of it.
                    seen.unknownLaunches().inherited(intent.id(), now);
                }
            }
        }
    }

    private void drop(Intent intent, Instant now) {
        List<Entry> batch = new ArrayList<>();
        nodesOf(intent.id())
                .forEach(node -> batch.add(node.withCostFrom(now).to(NodeState.FAILED, NodeFact.RELEASED, now)));
        batch.add(new IntentRecord(
                new Intent(intent.request(), Intent.State.REFUSED, null, List.of(), intent.createdAt()),
                NodeFact.RELEASED));
        world.journal().commit(now, batch);
    }

    /** Writes down that the provider is about to be called, then calls. */
    void call(SiteState site, Intent intent, Instant now) {
        journalCall(intent, now);
        begin(site, intent, now);
    }

    protected final void journalCall(Intent intent, Instant now) {
        List<Entry> batch = new ArrayList<>();
        batch.add(new IntentRecord(
                new Intent(intent.request(), Intent.State.CALLED, now, List.of(), intent.createdAt()),
                world.journal().whyIntent(intent.id())));
        nodesOf(intent.id()).forEach(node -> batch.add(node.to(NodeState.LAUNCHING, node.cause(), now)));
        world.journal().commit(now, batch);
    }

    final void begin(SiteState site, Intent intent, Instant now) {
        world.ports()
                .effects()
                .begin(
                        "launch:" + intent.id(),
                        () -> site.plan
                                .provider()
                                .compute()
                                .launch(world.ports().credentials().render(intent.request())),
                        answer -> answered(intent.id(), answer),
                        failure -> answered(
                                intent.id(),
                                new LaunchAnswer(
                                        new LaunchOutcome.Unknown(String.valueOf(failure.getMessage())), List.of())));
    }

    protected final void answered(String id, LaunchAnswer answer) {
        Instant now = clock.get();
        Intent intent = world.journal().intent(id).orElseThrow();
        List<Entry> batch = new ArrayList<>();
        List<LaunchEntry> outcomes = outcomes(intent, answer, now);
        batch.addAll(outcomes);
        List<NodeRecord> waiting = new ArrayList<>(nodesOf(id));
        waiting.removeIf(node -> node.instance() != null);
        for (Instance instance : answer.instances()) {
            if (!waiting.isEmpty()) {
                NodeRecord node = waiting.removeFirst();
                batch.add(sites.named(node, instance).to(NodeState.BOOTING, Cause.NONE, now));
            }
        }
        Cause why = LaunchCause.of(answer.outcome());
        if (why instanceof NodeCause.LaunchRefused) {
            waiting.forEach(node -> batch.add(node.withCostFrom(now).to(NodeState.FAILED, why, now)));
            waiting.clear();
        }
        boolean settled = waiting.isEmpty() && !(answer.outcome() instanceof LaunchOutcome.Unknown);
        boolean refused = answer.outcome() instanceof LaunchOutcome.Refused;
        Intent.State state = refused ? Intent.State.REFUSED : settled ? Intent.State.SETTLED : Intent.State.CALLED;
        batch.add(new IntentRecord(
                new Intent(
                        intent.request(),
                        state,
                        intent.calledAt(),
                        answer.instances().stream().map(Instance::id).toList(),
                        intent.createdAt()),
                why));
        world.journal().commit(now, batch);
        LaunchText.lines(id, outcomes.stream().map(LaunchEntry::launch).toList())
                .forEach(line -> LOG.warn("{}", line));
        if (state == Intent.State.CALLED) {
            seen.unknownLaunches().unanswered(id, now);
            String said = why instanceof LaunchCause.LaunchUnknown unknown ? unknown.said() : "fewer than it counts";
            LOG.warn("launch {}: no certain answer ({}); its budget stays reserved until a listing tells", id, said);
        }
    }

    /** A record for the call, or one for each offering that the provider said something of. */
    private static List<LaunchEntry> outcomes(Intent intent, LaunchAnswer answer, Instant now) {
        LaunchRequest request = intent.request();
        if (answer.parts().isEmpty()) {
            return List.of(new LaunchEntry(
                    intent.id(), new LaunchRecord(now, request.offering(), request.count(), answer.outcome())));
        }
        List<LaunchEntry> outcomes = new ArrayList<>();
        for (LaunchAnswer.Part part : answer.parts()) {
            // A launch beside a failure of the same offering is a part of what was asked, and no success.
            boolean whole = answer.parts().stream()
                    .allMatch(other -> !other.offering().equals(part.offering())
                            || other.outcome() instanceof LaunchOutcome.Launched);
            int asked = part.outcome() instanceof LaunchOutcome.Launched(int count) && whole ? count : request.count();
            outcomes.add(new LaunchEntry(
                    intent.id() + "-" + outcomes.size(),
                    new LaunchRecord(now, part.offering(), asked, part.outcome())));
        }
        return outcomes;
    }

    private List<NodeRecord> nodesOf(String intent) {
        return List.copyOf(world.journal().liveNodesUnder(intent));
    }
}
