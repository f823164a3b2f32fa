package org.spillway.scaler.simulate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Demand;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Resources;

/**
 * Waiting jobs that are alike to the planner. Its demand is made anew only when something of it has changed, so that a
 * tick costs nothing for shapes in which nothing happened, and never looks at single jobs.
 */
final class Shape {
    private static final int HISTORY = 8;

    static final Comparator<SimulatedJob> ORDER = Comparator.<SimulatedJob>comparingLong(job -> -job.priority())
            .thenComparingLong(SimulatedJob::submit)
            .thenComparingInt(SimulatedJob::number);

    final String name;
    final int order;
    final Resources perNode;
    final int nodes;
    final RunTimes.Group group;

    private final Key key;
    private final PriorityQueue<SimulatedJob> waiting = new PriorityQueue<>(ORDER);
    private final Deque<LaunchRecord> history = new ArrayDeque<>();
    private @Nullable Demand demand;
    private Duration limit = Duration.ZERO;

    /** Traits that jobs of one shape have in common. */
    record Key(
            String queue,
            String account,
            String user,
            long priority,
            Resources perNode,
            int nodes,
            @Nullable Duration walltime,
            @Nullable Instant deadline) {}

    Shape(Key key, int order, RunTimes.Group group) {
        this.key = key;
        this.order = order;
        this.group = group;
        this.perNode = key.perNode();
        this.nodes = key.nodes();
        this.name = key.queue() + ":" + key.nodes() + "n" + perNode.cpus() + "c" + (perNode.memoryBytes() >> 20) + "m"
                + perNode.gpus() + "g" + perNode.gpuModel()
                + (key.walltime() == null ? "" : key.walltime().toSeconds() + "s") + "#" + order;
    }

    String queue() {
        return key.queue();
    }

    String account() {
        return key.account();
    }

    /** Empty where users are not told apart. */
    String user() {
        return key.user();
    }

    void add(SimulatedJob job) {
        waiting.add(job);
        demand = null;
    }

    SimulatedJob first() {
        return waiting.element();
    }

    void removeFirst() {
        waiting.remove();
        demand = null;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    int size() {
        return waiting.size();
    }

    void launched(LaunchRecord launch) {
        if (history.size() == HISTORY) {
            history.removeFirst();
        }
        history.addLast(launch);
        demand = null;
    }

    /** The time that one of its jobs may take: what was asked for, else what ended jobs of its kind took. */
    Duration limit(RunTimes runTimes) {
        return key.walltime() != null ? key.walltime() : runTimes.limit(group);
    }

    /** @return null when nothing of it waits */
    @Nullable
    Demand demand(RunTimes runTimes, List<String> sites) {
        if (waiting.isEmpty()) {
            return null;
        }
        Duration expected = runTimes.limit(group);
        Duration now = key.walltime() != null && key.walltime().compareTo(expected) < 0 ? key.walltime() : expected;
        if (demand == null || !now.equals(limit)) {
            limit = now;
            Instant oldest = Instant.ofEpochMilli(waiting.element().submit());
            demand = Demand.of(draft -> {
                draft.shape = name;
                draft.queue = key.queue();
                draft.perNode = perNode;
                draft.nodes = nodes;
                draft.jobs = waiting.size();
                draft.oldestSubmit = oldest;
                draft.walltime = key.walltime() != null ? key.walltime() : now;
                draft.sites = sites;
                draft.history = List.copyOf(history);
                draft.terms = new Demand.Terms(
                        key.account(), key.user(), key.priority(), Map.of(), key.deadline(), now, Map.of());
            });
        }
        return demand;
    }
}
