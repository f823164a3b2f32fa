package org.spillway.head.journal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.LaunchRequest;
import org.spillway.head.lifecycle.ClusterState;
import org.spillway.head.lifecycle.ClusterState.Stage;
import org.spillway.policy.Money;

/**
 * A cluster on demand, as its parent knows it.
 *
 * @param id never used again: the value of {@code spillway-cluster} on all that it owns
 * @param stage that is under way while it is CREATING, or at which it was when it began to end
 * @param reason why it is in its state; empty when nothing needs saying
 * @param since when it entered its state
 * @param failure why it could not be made, with the stage; empty unless it ends because of that
 * @param log the end of what the stage that failed has said; empty for none
 * @param steps stages that were begun, in their order
 * @param head its head's machine
 * @param spent what it has cost in all, once it is known for good; null before
 */
public record ClusterRecord(
        String id,
        Spec spec,
        ClusterState clusterState,
        Stage stage,
        String reason,
        Instant since,
        String failure,
        String log,
        List<Step> steps,
        Machine head,
        @Nullable Money spent)
        implements Entry {
    private static final int MOST_LOG_CHARACTERS = 4000;

    public ClusterRecord {
        steps = List.copyOf(steps);
        log = log.length() <= MOST_LOG_CHARACTERS ? log : log.substring(log.length() - MOST_LOG_CHARACTERS);
    }

    /**
     * What was asked for.
     *
     * @param name unique among those that have not ended
     * @param site of the parent
     * @param users who may see and use it, the owner first
     * @param nodeType instance type of its nodes
     * @param ttl counted from {@code createdAt}
     * @param budget for all of it, for all its time
     */
    public record Spec(
            String name,
            String site,
            List<User> users,
            int nodes,
            String nodeType,
            Duration ttl,
            Money budget,
            Instant createdAt) {
        public Spec {
            users = List.copyOf(users);
            if (users.isEmpty()) {
                throw new IllegalArgumentException("a cluster has an owner");
            }
        }

        public User owner() {
            return users.getFirst();
        }

        public Instant expires() {
            return createdAt.plus(ttl);
        }
    }

    /**
     * One who may use it, as the parent's directory said when it was made.
     *
     * @param groups numbers of all groups, the primary one among them
     */
    public record User(String name, int uid, int gid, String home, List<Group> groups) {
        public User {
            groups = List.copyOf(groups);
        }
    }

    public record Group(String name, int gid) {}

    /** One stage with its time. @param ended null while it is under way */
    public record Step(Stage stage, Instant begun, @Nullable Instant ended) {}

    /**
     * The machine of its head.
     *
     * @param request as it is, or will be, called; null before
     * @param pricePerHour of the offering
     * @param calledAt before the call; null before
     * @param instance the provider's id; null until one is named
     * @param goneAt when it was proven gone; null before
     */
    public record Machine(
            @Nullable LaunchRequest request,
            Money pricePerHour,
            @Nullable Instant calledAt,
            @Nullable String instance,
            String address,
            int sshPort,
            String inside,
            @Nullable Instant goneAt) {
        public static final Machine NONE = new Machine(null, Money.ZERO, null, null, "", 0, "", null);

        public Machine planned(LaunchRequest next, Money price) {
            return new Machine(next, price, null, null, "", 0, "", null);
        }

        public Machine called(Instant at) {
            return new Machine(request, pricePerHour, at, instance, address, sshPort, inside, goneAt);
        }

        public Machine named(String id, String where, int port, String within) {
            return new Machine(request, pricePerHour, calledAt, id, where, port, within, goneAt);
        }

        public Machine gone(Instant at) {
            return new Machine(request, pricePerHour, calledAt, instance, address, sshPort, inside, at);
        }

        /** What it has cost so far, from the moment before its call. */
        public Money cost(Instant now) {
            if (calledAt == null) {
                return Money.ZERO;
            }
            Instant end = goneAt == null ? now : goneAt;
            return end.isAfter(calledAt) ? pricePerHour.perHourFor(Duration.between(calledAt, end)) : Money.ZERO;
        }
    }

    @Override
    public String kind() {
        return "cluster";
    }

    /** With the stage, so that each of them is a line of the timeline. */
    @Override
    public String state() {
        return clusterState == ClusterState.CREATING ? "CREATING " + stage.text() : clusterState.name();
    }

    @Override
    public boolean isLive() {
        return !clusterState.isTerminal();
    }

    /** What counts against the parent's budget: all that it may spend while it lives, then what it has. */
    public Money reserved() {
        return spent == null ? spec.budget : spent;
    }

    public boolean admits(int uid) {
        return spec.users.stream().anyMatch(user -> user.uid() == uid);
    }

    /** The stage is over; the next one, or RUNNING, begins. */
    public ClusterRecord advanced(Instant now) {
        List<Step> done = ended(now);
        if (stage.isLast()) {
            return with(ClusterState.RUNNING, stage, "", now, done);
        }
        return with(ClusterState.CREATING, stage.following(), "", since, begun(done, stage.following(), now));
    }

    /** The first stage begins. */
    public ClusterRecord creating(Instant now) {
        return with(ClusterState.CREATING, Stage.HEAD_INSTANCE, "", now, begun(List.of(), Stage.HEAD_INSTANCE, now));
    }

    /** All of it is to go. */
    public ClusterRecord deleting(String why, Instant now) {
        return with(ClusterState.DELETING, stage, why, now, ended(now));
    }

    /** Its creation failed: all of it is to go. */
    public ClusterRecord failing(String why, String said, Instant now) {
        ClusterRecord going = deleting(why, now);
        return new ClusterRecord(id, spec, going.clusterState, stage, why, now, why, said, going.steps, head, spent);
    }

    /** Nothing of it is left. */
    public ClusterRecord gone(Money cost, Instant now) {
        ClusterState end = failure.isEmpty() ? ClusterState.DELETED : ClusterState.FAILED;
        return new ClusterRecord(id, spec, end, stage, reason, now, failure, log, steps, head.gone(now), cost);
    }

    public ClusterRecord withHead(Machine machine) {
        return new ClusterRecord(id, spec, clusterState, stage, reason, since, failure, log, steps, machine, spent);
    }

    private ClusterRecord with(ClusterState state, Stage at, String why, Instant when, List<Step> all) {
        return new ClusterRecord(id, spec, state, at, why, when, failure, log, all, head, spent);
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
