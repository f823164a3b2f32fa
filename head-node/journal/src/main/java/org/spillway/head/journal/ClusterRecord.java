package org.spillway.head.journal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterState.Stage;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.policy.Money;

/**
 * A cluster on demand, as its parent knows it.
 *
 * @param id never used again: the value of {@code spillway-cluster} on all that it owns
 * @param stage that is under way while it is CREATING or STARTING, or at which it was when it began to end
 * @param cause why it is in its state; none when nothing needs saying
 * @param since when it entered its state
 * @param failure why it could not be made, with the stage; none unless it ends because of that
 * @param log the end of what the stage that failed has said; empty for none
 * @param steps stages that were begun when it was made, or when it was last started, in their order
 * @param head its head's machine
 * @param spent what it has cost in all, once it is known for good; null before
 * @param approval what was asked of those who approve, and what they said; null where nobody had to be asked
 */
public record ClusterRecord(
        String id,
        ClusterSpec spec,
        ClusterState clusterState,
        Stage stage,
        Cause cause,
        Instant since,
        Cause failure,
        String log,
        List<Step> steps,
        ClusterMachine head,
        @Nullable Money spent,
        @Nullable Approval approval)
        implements Entry {
    private static final int MOST_LOG_CHARACTERS = 4000;

    public ClusterRecord {
        steps = List.copyOf(steps);
        log = log.length() <= MOST_LOG_CHARACTERS ? log : log.substring(log.length() - MOST_LOG_CHARACTERS);
    }

    /**
     * A question that must be answered before the cluster is made.
     *
     * @param why the limit that it is above
     * @param until unanswered it is rejected then
     * @param by who decided; empty before, and where nobody did
     * @param decidedAt null before
     */
    public record Approval(
            Cause why,
            Instant askedAt,
            Instant until,
            String by,
            @Nullable Instant decidedAt) {
        private Approval decided(String who, Instant now) {
            return new Approval(why, askedAt, until, who, now);
        }
    }

    /**
     * A user of the cluster, as the parent's directory said when it was made.
     *
     * @param groups numbers of all groups, the primary one among them
     */
    public record User(String name, int uid, int gid, String home, List<Group> groups) {
        public User {
            groups = List.copyOf(groups);
        }
    }

    public record Group(String name, int gid) {}

    /** A stage with its time. @param ended null while it is under way */
    public record Step(Stage stage, Instant begun, @Nullable Instant ended) {}

    @Override
    public String kind() {
        return "cluster";
    }

    /** With the stage, so that each of them is a line of the timeline. */
    @Override
    public String state() {
        return clusterState.hasStages() ? clusterState + " " + stage.text() : clusterState.name();
    }

    @Override
    public boolean isLive() {
        return !clusterState.isTerminal();
    }

    /** Whether anything of it was, or is to be, bought. */
    public boolean isMade() {
        return clusterState != ClusterState.WAITING_FOR_APPROVAL && clusterState != ClusterState.REJECTED;
    }

    /**
     * The amount that counts against the parent's budget: all that the cluster may spend while it lives, then what it
     * has. One that waits for approval counts nothing: the money is asked for when somebody agrees.
     */
    public Money reserved() {
        if (clusterState == ClusterState.WAITING_FOR_APPROVAL) {
            return Money.ZERO;
        }
        return spent == null ? spec.budget() : spent;
    }

    public boolean admits(int uid) {
        return spec.users().stream().anyMatch(user -> user.uid() == uid);
    }

    /** Nothing is bought before somebody agrees. @param why the limit that it is above */
    public ClusterRecord waiting(Cause why, Instant until, Instant now) {
        return new ClusterRecord(
                id,
                spec,
                ClusterState.WAITING_FOR_APPROVAL,
                stage,
                why,
                now,
                failure,
                log,
                steps,
                head,
                spent,
                new Approval(why, now, until, "", null));
    }

    /** Somebody agreed: its time begins now. */
    public ClusterRecord approved(String by, Instant now) {
        return new ClusterRecord(
                id,
                spec.madeAt(now),
                ClusterState.REQUESTED,
                stage,
                new ClusterCause.ApprovedBy(by),
                now,
                failure,
                log,
                steps,
                head,
                spent,
                decided(by, now));
    }

    /** Nobody agreed. @param by who said no; empty where nobody said anything */
    public ClusterRecord rejected(Cause why, String by, Instant now) {
        return unmade(ClusterState.REJECTED, why, by, now);
    }

    /** The cluster is not asked for any more. */
    public ClusterRecord withdrawn(Cause why, Instant now) {
        return unmade(ClusterState.DELETED, why, "", now);
    }

    private ClusterRecord unmade(ClusterState end, Cause why, String by, Instant now) {
        return new ClusterRecord(
                id, spec, end, stage, why, now, failure, log, steps, head, Money.ZERO, decided(by, now));
    }

    private @Nullable Approval decided(String by, Instant now) {
        return approval == null ? null : approval.decided(by, now);
    }

    /** The stage is over; the next one, or RUNNING, begins. */
    public ClusterRecord advanced(Instant now) {
        List<Step> done = ended(now);
        if (stage.isLast()) {
            return with(ClusterState.RUNNING, stage, Cause.NONE, now, done);
        }
        return with(clusterState, stage.following(), Cause.NONE, since, begun(done, stage.following(), now));
    }

    /** The cluster's nodes are to go, and its head's machine is to be off. */
    public ClusterRecord stopping(Cause why, String said, Instant now) {
        return new ClusterRecord(
                id, spec, ClusterState.STOPPING, stage, why, now, failure, said, ended(now), head, spent, approval);
    }

    /** @param price of its head's machine from now on; null for the same as before */
    public ClusterRecord stopped(@Nullable Money price, Instant now) {
        ClusterRecord off = with(ClusterState.STOPPED, stage, cause, now, steps);
        return price == null ? off : off.withHead(head.off(price, now));
    }

    /** The first stage of its way back begins. */
    public ClusterRecord starting(Cause why, Instant now) {
        List<Step> first = begun(List.of(), Stage.HEAD_INSTANCE, now);
        return new ClusterRecord(
                id,
                spec,
                ClusterState.STARTING,
                Stage.HEAD_INSTANCE,
                why,
                now,
                failure,
                "",
                first,
                head.on(now),
                spent,
                approval);
    }

    /** The first stage begins. */
    public ClusterRecord creating(Instant now) {
        return with(
                ClusterState.CREATING,
                Stage.HEAD_INSTANCE,
                Cause.NONE,
                now,
                begun(List.of(), Stage.HEAD_INSTANCE, now));
    }

    /** All of it is to go. */
    public ClusterRecord deleting(Cause why, Instant now) {
        return with(ClusterState.DELETING, stage, why, now, ended(now));
    }

    /** The cluster's creation failed: all of it is to go. */
    public ClusterRecord failing(Cause why, String said, Instant now) {
        ClusterRecord going = deleting(why, now);
        return new ClusterRecord(
                id, spec, going.clusterState, stage, why, now, why, said, going.steps, head, spent, approval);
    }

    /** Nothing of it is left. */
    public ClusterRecord gone(Money cost, Instant now) {
        ClusterState end = failure.isNone() ? ClusterState.DELETED : ClusterState.FAILED;
        return new ClusterRecord(id, spec, end, stage, cause, now, failure, log, steps, head.gone(now), cost, approval);
    }

    public ClusterRecord withSpec(ClusterSpec changed) {
        return new ClusterRecord(
                id, changed, clusterState, stage, cause, since, failure, log, steps, head, spent, approval);
    }

    public ClusterRecord withHead(ClusterMachine machine) {
        return new ClusterRecord(
                id, spec, clusterState, stage, cause, since, failure, log, steps, machine, spent, approval);
    }

    private ClusterRecord with(ClusterState state, Stage at, Cause why, Instant when, List<Step> all) {
        return new ClusterRecord(id, spec, state, at, why, when, failure, log, all, head, spent, approval);
    }

    private List<Step> ended(Instant now) {
        List<Step> all = new ArrayList<>();
        for (Step step : steps) {
            all.add(step.ended() == null ? new Step(step.stage(), step.begun(), now) : step);
        }
        return all;
    }

    private static List<Step> begun(List<Step> before, Stage next, Instant now) {
        List<Step> all = new ArrayList<>(before);
        all.add(new Step(next, now, null));
        return all;
    }
}
