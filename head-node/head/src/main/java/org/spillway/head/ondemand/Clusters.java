package org.spillway.head.ondemand;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterState.Stage;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.fleet.Lapse;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.cause.ClusterCause.ClusterFact;
import org.spillway.head.journal.ClusterMachine;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.ClusterSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.LoopPart;
import org.spillway.head.loop.port.Effects;
import org.spillway.head.ondemand.ClusterTable.Act;
import org.spillway.head.ondemand.ClusterTable.Progress;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;

/**
 * Makes, keeps and removes clusters on demand: looks each up in the table, writes where it goes, and begins what is to be
 * done. What it remembers of an effect is of one state and stage; a head that starts again begins that stage's work
 * again, which finds what is done already. One thread, the loop's.
 */
public final class Clusters implements LoopPart {
    private static final Logger LOG = LoggerFactory.getLogger(Clusters.class);
    static final Duration LOOK = Duration.ofMillis(500);
    /** A look later than this after the last was late itself. */
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(30);

    private static final Duration KEEP = Duration.ofSeconds(5);

    private final Journal journal;
    private final Effects effects;
    private final Children children;
    private final Estate estate;
    private final Predicate<ClusterRecord> mayGo;
    private final ClusterPower power;
    private final StageWork stages;
    private final HeadMachines machines;
    private final Refusals refusals;
    private final Set<String> forgotten = new HashSet<>();
    private final Map<String, Seen> seen = new ConcurrentHashMap<>();

    /** The offerings for a child's head. */
    @FunctionalInterface
    public interface Offers {
        /** The offering of the site's director; empty while the site sells none. */
        Optional<HeadOffer> head(String site);
    }

    /** @param image the provider's id; empty for its default */
    public record HeadOffer(Offering offering, String image) {}

    /** Fills secrets in. */
    @FunctionalInterface
    public interface Rendering {
        LaunchRequest render(LaunchRequest request) throws java.io.IOException;
    }

    /** The price of a machine while it is off. */
    @FunctionalInterface
    public interface StoppedPrices {
        /** Per hour; empty where the configuration does not know it. */
        Optional<Money> of(String site, String instanceType);
    }

    /** Sightings of one cluster in its present state and stage. */
    static final class Seen {
        private final String state;
        Progress progress = Progress.NOTHING_YET;
        volatile Cause why = Cause.NONE;
        String log = "";
        int tries;
        boolean hasNetwork;
        /** The order that the child's head was last told to keep to. */
        private @Nullable ClusterSpec told;

        private @Nullable Instant askedAt;

        /** Time in its stage in which this head looked; what it slept through was no chance to get done. */
        private Duration watched = Duration.ZERO;

        private @Nullable Instant lookedAt;

        /** The refusal after which its head was last told to ask again. */
        @Nullable
        Instant wokenAfter;

        @Nullable
        Instant unknownSince;

        /** Looks at its head's machine that do not show it alive; null while they do. */
        @Nullable
        Lapse lapse;

        /** Whether it is proven that the machine of its head is not there any more. */
        boolean machineGone;

        Seen(String state) {
            this.state = state;
        }

        private void look(Instant now) {
            if (lookedAt != null && now.isAfter(lookedAt)) {
                Duration since = Duration.between(lookedAt, now);
                watched = watched.plus(since.compareTo(LONGEST_LOOK) > 0 ? LONGEST_LOOK : since);
            }
            lookedAt = now;
        }
    }

    /**
     * @param mayGo whether nothing holds the removal of one up that is to go
     * @param clock the time at which an effect's end is handed back
     */
    public Clusters(
            Journal journal,
            Effects effects,
            Children children,
            ChildSites sites,
            Estate estate,
            Offers offers,
            Rendering rendering,
            StoppedPrices stoppedPrices,
            Predicate<ClusterRecord> mayGo,
            Supplier<Instant> clock) {
        this.journal = journal;
        this.effects = effects;
        this.children = children;
        this.estate = estate;
        this.mayGo = mayGo;
        this.power = new ClusterPower(this, journal, effects, children, sites, estate, stoppedPrices, clock);
        this.stages = new StageWork(this, effects, children);
        var shop = new HeadMachines.Shop(offers, rendering);
        this.machines = new HeadMachines(this, stages, journal, effects, children, sites, shop, clock);
        this.refusals = new Refusals(journal, effects, children, estate);
    }

    @Override
    public boolean isBusy() {
        return journal.clusters().stream()
                .anyMatch(child -> child.isLive()
                        && child.clusterState() != ClusterState.RUNNING
                        && child.clusterState() != ClusterState.STOPPED
                        && child.clusterState() != ClusterState.WAITING_FOR_APPROVAL
                        && !(remark(child.id()) instanceof ClusterCause.SiteFull));
    }

    @Override
    public void advance(Instant now, boolean releasing) {
        refusals.look(now);
        for (ClusterRecord child : journal.clusters()) {
            if (child.isLive()) {
                advance(child, now, releasing);
            } else {
                seen.remove(child.id());
                forget(child);
            }
        }
    }

    /** The cluster's cost, with what its launches have reserved. Any thread. */
    public Money spent(ClusterRecord child, Instant now) {
        Money known = child.spent();
        return known != null ? known : child.head().cost(now).plus(estate.spent(child.id(), now));
    }

    private void advance(ClusterRecord child, Instant now, boolean releasing) {
        Seen its = seen.compute(
                child.id(),
                (id, before) ->
                        before != null && before.state.equals(child.state()) ? before : new Seen(child.state()));
        Cause unwanted = child.clusterState() == ClusterState.DELETING ? Cause.NONE : unwanted(child, now, releasing);
        its.look(now);
        boolean late = isLate(child, its);
        var verdict = ClusterTable.verdict(child.clusterState(), child.stage(), !unwanted.isNone(), its.progress, late);
        switch (verdict.move()) {
            case STAY -> act(child, verdict.act(), its, now);
            case ADVANCE ->
                commit(
                        switch (child.clusterState()) {
                            case REQUESTED -> child.creating(now);
                            case STOPPING -> power.stopped(child, now);
                            default -> child.advanced(now);
                        },
                        now);
            case REJECT -> commit(child.rejected(unwanted, "", now), now);
            case DELETE -> commit(child.deleting(unwanted, now), now);
            case FAIL -> commit(child.failing(failure(child, its, late), its.log, now), now);
            case STOP_AGAIN ->
                commit(
                        child.clusterState() == ClusterState.STARTING
                                ? child.stopping(new ClusterCause.StartFailed(failure(child, its, late)), its.log, now)
                                : child.withHead(its.machineGone ? child.head().gone(now) : child.head())
                                        .stopping(its.why, "", now),
                        now);
            case END -> end(child, now);
        }
    }

    private static Cause failure(ClusterRecord child, Seen its, boolean late) {
        return late && its.progress != Progress.FAILED
                ? new ClusterCause.StageLate(child.stage(), limit(child.stage()).toSeconds(), its.why)
                : new ClusterCause.StageFailed(child.stage(), its.why);
    }

    private void commit(ClusterRecord next, Instant now) {
        journal.commit(now, next);
        LOG.info("cluster {} ({}): {} {}", next.spec().name(), next.id(), next.state(), next.reason());
    }

    private Cause unwanted(ClusterRecord child, Instant now, boolean releasing) {
        if (releasing) {
            return ClusterFact.PARENT_ENDS;
        }
        if (child.clusterState() == ClusterState.WAITING_FOR_APPROVAL) {
            ClusterRecord.Approval approval = child.approval();
            return approval == null || now.isBefore(approval.until())
                    ? Cause.NONE
                    : new ClusterCause.Unanswered(Duration.between(approval.askedAt(), approval.until())
                            .toSeconds());
        }
        if (!now.isBefore(child.spec().expires())) {
            return ClusterFact.TIME_OVER;
        }
        return spent(child, now).isMoreThan(child.spec().budget()) ? ClusterFact.BUDGET_SPENT : Cause.NONE;
    }

    /** A parent that stood still, was away or had its clock set must not cost a cluster. */
    private static boolean isLate(ClusterRecord child, Seen its) {
        return child.clusterState().hasStages() && its.watched.compareTo(limit(child.stage())) > 0;
    }

    /** Longer than any process may stand still and go on as if nothing were. */
    private static Duration limit(Stage stage) {
        return switch (stage) {
            case HEAD_INSTANCE, HEAD_START, READY -> Duration.ofMinutes(10);
            case HEAD_INSTALL, NODES -> Duration.ofMinutes(15);
        };
    }

    private void act(ClusterRecord child, Act act, Seen its, Instant now) {
        switch (act) {
            case NONE -> {}
            case AWAIT_ROOM -> {
                its.why = estate.vacancy(child);
                its.progress = its.why.isNone() ? Progress.DONE : Progress.NOTHING_YET;
            }
            case BUY -> machines.buy(child, its, now);
            case SWITCH_ON -> power.on(child, its, now);
            case INSTALL ->
                stages.begin(child, "install", its, now, () -> {
                    children.install(child);
                    return true;
                });
            case START ->
                stages.begin(child, "start", its, now, () -> {
                    children.start(child);
                    return true;
                });
            case AWAIT_NODES -> {
                refusals.wake(child, its);
                stages.await(child, "nodes", its, now, () -> refusals.awaited(child, children.readyNodes(child)));
            }
            case CHECK ->
                stages.await(child, "check", its, now, () -> {
                    var answer = children.ask(child, null, new Children.Question("GET", "/queues", "", new byte[0]));
                    return answer.status() == 200 ? Cause.NONE : new ClusterCause.HeadAnswers(answer.status());
                });
            case KEEP -> keep(child, its, now);
            case SWITCH_OFF -> power.off(child, its, now);
            case REST -> power.rest(child, its, now);
            case REMOVE -> remove(child, its, now);
        }
    }

    private void keep(ClusterRecord child, Seen its, Instant now) {
        refusals.wake(child, its);
        if (isDue(child, "keep", its, child.spec().equals(its.told) ? KEEP : Duration.ZERO, now)) {
            its.told = child.spec();
            effects.begin(
                    key(child, "keep"),
                    () -> children.keep(child),
                    toCome -> inStage(child, (current, still) -> still.why = toCome.or(refusals.shortOf(current))),
                    failure -> inStage(child, (current, still) -> {
                        still.why = new ClusterCause.HeadAway(said(failure));
                        LOG.warn("cluster {}: {}", child.id(), still.why.text());
                        power.seek(current);
                    }));
        }
    }

    private void remove(ClusterRecord child, Seen its, Instant now) {
        if (!mayGo.test(child)) {
            its.why = ClusterFact.RESULTS_COME_HOME;
            return;
        }
        if (effects.isUnderWay(key(child, "call"))
                || effects.isUnderWay(key(child, "network"))
                || !isDue(child, "remove", its, LOOK, now)) {
            return;
        }
        its.why = Cause.NONE;
        // A machine that was asked for and never answered may appear as late as its call ended: not after this.
        Instant called = child.head().calledAt();
        Instant unknown = its.unknownSince == null ? now : its.unknownSince;
        its.unknownSince = unknown;
        Instant lastCall = child.head().request() == null
                ? Instant.EPOCH
                : called == null || child.head().instance() == null ? unknown : called;
        effects.begin(
                key(child, "remove"),
                () -> {
                    children.close(child.id());
                    return estate.removed(child.id(), child.spec().site(), lastCall);
                },
                proven -> inStage(child, (current, still) -> {
                    if (proven) {
                        still.progress = Progress.DONE;
                    }
                }),
                failure -> LOG.warn(
                        "cluster {}: not all could be removed, trying again: {}", child.id(), failure.getMessage()));
    }

    private void end(ClusterRecord child, Instant now) {
        Money cost = spent(child, now);
        commit(child.gone(cost, now), now);
        seen.remove(child.id());
    }

    /** Once in each life of the head, in case that the last one did not come to it. */
    private void forget(ClusterRecord child) {
        if (!forgotten.contains(child.id())) {
            effects.begin(
                    key(child, "forget"),
                    () -> {
                        estate.closed(child.id());
                        children.forget(child.id());
                        return true;
                    },
                    done -> forgotten.add(child.id()),
                    failure ->
                            LOG.warn("cluster {}: its secrets are still there: {}", child.id(), failure.getMessage()));
        }
    }

    /** The trouble of the cluster, or what it waits for, as last seen; none when nothing is. Any thread. */
    public Cause remark(String id) {
        Seen its = seen.get(id);
        return its == null ? Cause.NONE : its.why;
    }

    static ClusterMachine named(ClusterRecord child, Instance instance) {
        return child.head().named(instance.id(), instance.address(), instance.sshPort(), instance.inside());
    }

    static String said(Exception failure) {
        return String.valueOf(failure.getMessage());
    }

    /** Hands an effect's end to the cluster as it is now, if it is still where it was when the effect began. */
    void inStage(ClusterRecord then, Ending action) {
        Seen its = seen.get(then.id());
        journal.cluster(then.id())
                .filter(current -> current.state().equals(then.state()))
                .ifPresent(current -> {
                    if (its != null && its.state.equals(current.state())) {
                        action.accept(current, its);
                    }
                });
    }

    @FunctionalInterface
    interface Ending {
        void accept(ClusterRecord current, Seen its);
    }

    boolean isDue(ClusterRecord child, String what, Seen its, Duration pause, Instant now) {
        Instant last = its.askedAt;
        if (effects.isUnderWay(key(child, what)) || (last != null && now.isBefore(last.plus(pause)))) {
            return false;
        }
        its.askedAt = now;
        return true;
    }

    static String key(ClusterRecord child, String what) {
        return "cluster-" + what + ":" + child.id();
    }
}
