package org.spillway.head.journal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterState.Stage;
import org.spillway.cloud.LaunchRequest;
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
        Spec spec,
        ClusterState clusterState,
        Stage stage,
        Cause cause,
        Instant since,
        Cause failure,
        String log,
        List<Step> steps,
        Machine head,
        @Nullable Money spent,
        @Nullable Approval approval)
        implements Entry {
    private static final int MOST_LOG_CHARACTERS = 4000;

    public ClusterRecord {
        steps = List.copyOf(steps);
        log = log.length() <= MOST_LOG_CHARACTERS ? log : log.substring(log.length() - MOST_LOG_CHARACTERS);
    }

    /** A cluster that nobody had to be asked about. */
    public ClusterRecord(
            String id,
            Spec spec,
            ClusterState clusterState,
            Stage stage,
            Cause cause,
            Instant since,
            Cause failure,
            String log,
            List<Step> steps,
            Machine head,
            @Nullable Money spent) {
        this(id, spec, clusterState, stage, cause, since, failure, log, steps, head, spent, null);
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
     * The order for a cluster.
     *
     * @param name unique among those that have not ended
     * @param site of the parent
     * @param users who may see and use it, the owner first
     * @param nodeType instance type of its nodes
     * @param ttl counted from {@code createdAt}
     * @param budget for all of it, for all its time
     * @param results folder at home that results of its jobs are brought to; empty where they stay
     * @param image of its nodes; empty for the parent's
     * @param workload who gives jobs to nodes, by a manager's name; empty for its head's own queue
     */
    public record Spec(
            String name,
            String site,
            List<User> users,
            int nodes,
            String nodeType,
            Duration ttl,
            Money budget,
            Instant createdAt,
            String results,
            String image,
            String workload) {
        public Spec {
            // Absent in what earlier releases have journalled.
            results = results == null ? "" : results;
            image = image == null ? "" : image;
            workload = workload == null ? "" : workload;
            users = List.copyOf(users);
            if (users.isEmpty()) {
                throw new IllegalArgumentException("a cluster has an owner");
            }
        }

        public boolean hasManager() {
            return !workload.isEmpty();
        }

        public User owner() {
            return users.getFirst();
        }

        public Instant expires() {
            return createdAt.plus(ttl);
        }

        private Spec madeAt(Instant now) {
            return new Spec(name, site, users, nodes, nodeType, ttl, budget, now, results, image, workload);
        }

        public Spec withNodes(int count) {
            return new Spec(name, site, users, count, nodeType, ttl, budget, createdAt, results, image, workload);
        }

        /** With more time and more money. */
        public Spec extended(Duration longer, Money more) {
            return new Spec(
                    name,
                    site,
                    users,
                    nodes,
                    nodeType,
                    ttl.plus(longer),
                    budget.plus(more),
                    createdAt,
                    results,
                    image,
                    workload);
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

    /**
     * The machine of its head.
     *
     * @param request as it is, or will be, called; null before
     * @param pricePerHour of the offering
     * @param calledAt before the call; null before
     * @param instance the provider's id; null until one is named
     * @param goneAt when it was proven gone; null before
     * @param stops when it was off and cost less, oldest first; the last one's end is null while it is. What it was off
     *     for at a price that nobody knows is not among them, and counts in full
     */
    public record Machine(
            @Nullable LaunchRequest request,
            Money pricePerHour,
            @Nullable Instant calledAt,
            @Nullable String instance,
            String address,
            int sshPort,
            String inside,
            @Nullable Instant goneAt,
            List<Purchase.Stop> stops) {
        public static final Machine NONE = new Machine(null, Money.ZERO, null, null, "", 0, "", null, List.of());

        public Machine {
            // Absent in what earlier releases have journalled.
            stops = stops == null ? List.of() : List.copyOf(stops);
        }

        public Machine planned(LaunchRequest next, Money price) {
            return new Machine(next, price, null, null, "", 0, "", null, List.of());
        }

        public Machine called(Instant at) {
            return new Machine(request, pricePerHour, at, instance, address, sshPort, inside, goneAt, stops);
        }

        /** The machine is listed, so that it costs, whatever was proven before. */
        public Machine named(String id, String where, int port, String within) {
            return new Machine(request, pricePerHour, calledAt, id, where, port, within, null, stops);
        }

        /** The machine costs nothing any more; what is proven twice counts from the first time. */
        public Machine gone(Instant at) {
            Instant first = goneAt == null ? at : goneAt;
            return new Machine(request, pricePerHour, calledAt, instance, address, sshPort, inside, first, stops);
        }

        /** The machine is off, and costs that from now on. */
        public Machine off(Money price, Instant now) {
            List<Purchase.Stop> all = new ArrayList<>(stops);
            all.add(new Purchase.Stop(price, now, null));
            return stopped(all);
        }

        /** The machine is switched on: its whole price counts again. */
        public Machine on(Instant now) {
            List<Purchase.Stop> all = new ArrayList<>();
            for (Purchase.Stop stop : stops) {
                all.add(
                        stop.until() == null
                                ? new Purchase.Stop(
                                        stop.pricePerHour(), stop.from(), now.isAfter(stop.from()) ? now : stop.from())
                                : stop);
            }
            return stopped(all);
        }

        private Machine stopped(List<Purchase.Stop> all) {
            return new Machine(request, pricePerHour, calledAt, instance, address, sshPort, inside, goneAt, all);
        }

        /** The price of an hour of the machine as it is now. */
        public Money priceNow() {
            if (calledAt == null || goneAt != null) {
                return Money.ZERO;
            }
            return !stops.isEmpty() && stops.getLast().until() == null
                    ? stops.getLast().pricePerHour()
                    : pricePerHour;
        }

        /** The machine's cost so far, from the moment before its call. */
        public Money cost(Instant now) {
            if (calledAt == null) {
                return Money.ZERO;
            }
            Instant end = goneAt == null ? now : goneAt;
            if (!end.isAfter(calledAt)) {
                return Money.ZERO;
            }
            Duration on = Duration.between(calledAt, end);
            Money off = Money.ZERO;
            for (Purchase.Stop stop : stops) {
                Instant until = stop.until() == null || stop.until().isAfter(end) ? end : stop.until();
                if (until.isAfter(stop.from())) {
                    Duration length = Duration.between(stop.from(), until);
                    on = on.minus(length);
                    off = off.plus(stop.pricePerHour().perHourFor(length));
                }
            }
            return pricePerHour.perHourFor(on).plus(off);
        }
    }

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
        return spent == null ? spec.budget : spent;
    }

    public boolean admits(int uid) {
        return spec.users.stream().anyMatch(user -> user.uid() == uid);
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

    public ClusterRecord withSpec(Spec changed) {
        return new ClusterRecord(
                id, changed, clusterState, stage, cause, since, failure, log, steps, head, spent, approval);
    }

    public ClusterRecord withHead(Machine machine) {
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
