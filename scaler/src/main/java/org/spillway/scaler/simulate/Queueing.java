package org.spillway.scaler.simulate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Resources;

/**
 * The simulated workload manager: jobs start in the order of priority and then of submission, at home first. The first
 * job that finds no room gets a reservation at home for the time at which, by the limits of the running jobs, there will
 * be room for it; others start before it only if they are expected to be over by then or use other nodes (EASY
 * backfilling: Lifka, 1995). A gang starts whole, in one site. Nodes that were bought serve those for whom they were
 * bought while any of these waits, and afterwards whoever fits.
 *
 * <p>Among the nodes with room the fullest is used, so that others fall idle.
 */
final class Queueing {
    private static final Comparator<SimulatedNode> FULLEST_FIRST = Comparator.<SimulatedNode>comparingInt(
                    node -> node.free().gpus())
            .thenComparingInt(node -> node.free().cpus())
            .thenComparingLong(node -> node.free().memoryBytes())
            .thenComparingInt(SimulatedNode::number);
    private static final Comparator<Shape> FIRST = Comparator.comparing(Shape::first, Shape.ORDER);

    private final List<SimulatedNode> home;
    private final List<List<SimulatedNode>> clouds;
    private final RunTimes runTimes;
    private final Set<Shape> waiting = new LinkedHashSet<>();
    private final Set<Failed> failed = new HashSet<>();
    private @Nullable Reservation reservation;
    private int jobs;

    /** @param clouds nodes of each cloud; the lists grow and shrink */
    Queueing(List<SimulatedNode> home, List<List<SimulatedNode>> clouds, RunTimes runTimes) {
        this.home = home;
        this.clouds = clouds;
        this.runTimes = runTimes;
    }

    /** Told of every start. */
    @FunctionalInterface
    interface Starts {
        void started(SimulatedJob job);
    }

    private record Reservation(long at, Set<SimulatedNode> nodes) {}

    /** A size that found no room in this pass; other shapes of the same size will not find any either. */
    private record Failed(Resources perNode, int nodes, boolean isShort) {}

    void submit(SimulatedJob job) {
        job.shape().add(job);
        waiting.add(job.shape());
        jobs++;
    }

    /** Jobs that wait. */
    int waitingJobs() {
        return jobs;
    }

    Set<Shape> waitingShapes() {
        return waiting;
    }

    /** Starts all that can start now. */
    void pass(long now, Starts starts) {
        if (waiting.isEmpty()) {
            return;
        }
        reservation = null;
        failed.clear();
        PriorityQueue<Shape> order = new PriorityQueue<>(waiting.size(), FIRST);
        order.addAll(waiting);
        for (Shape shape = order.poll(); shape != null; shape = order.poll()) {
            if (tryFirst(shape, now, starts)) {
                if (!shape.isEmpty()) {
                    order.add(shape);
                }
            }
        }
    }

    /** Nothing became free since the last pass: only this shape is new in the queue. */
    void passFor(Shape shape, long now, Starts starts) {
        failed.clear();
        while (!shape.isEmpty() && tryFirst(shape, now, starts)) {
            // The next of the same shape.
        }
    }

    private boolean tryFirst(Shape shape, long now, Starts starts) {
        SimulatedJob job = shape.first();
        long limit = shape.limit(runTimes).toMillis();
        List<SimulatedNode> found = find(shape, now + limit);
        if (found.isEmpty()) {
            if (reservation == null) {
                reservation = reserve(shape, now);
            }
            return false;
        }
        shape.removeFirst();
        jobs--;
        if (shape.isEmpty()) {
            waiting.remove(shape);
        }
        job.start(now, limit, found);
        found.forEach(node -> node.take(job, now));
        starts.started(job);
        return true;
    }

    private List<SimulatedNode> find(Shape shape, long expectedEnd) {
        boolean isShort = reservation == null || expectedEnd <= reservation.at();
        var same = new Failed(shape.perNode, shape.nodes, isShort);
        if (failed.contains(same) || failed.contains(new Failed(shape.perNode, shape.nodes, true))) {
            return List.of();
        }
        boolean claimed = false;
        List<SimulatedNode> found = among(home, shape, isShort ? Set.of() : reservedNodes());
        for (int i = 0; found.isEmpty() && i < clouds.size(); i++) {
            found = among(clouds.get(i), shape, Set.of());
            if (found.isEmpty()) {
                claimed |= clouds.get(i).stream()
                        .anyMatch(node ->
                                node.isUp() && shape.perNode.fitsIn(node.free()) && node.isClaimedByOthers(shape));
            }
        }
        if (found.isEmpty() && !claimed && shape.nodes == 1) {
            failed.add(same);
        }
        return found;
    }

    private Set<SimulatedNode> reservedNodes() {
        return reservation == null ? Set.of() : reservation.nodes();
    }

    private static List<SimulatedNode> among(List<SimulatedNode> nodes, Shape shape, Set<SimulatedNode> without) {
        if (shape.nodes == 1) {
            SimulatedNode best = null;
            for (SimulatedNode node : nodes) {
                if (node.isUp()
                        && node.takes(shape)
                        && (best == null || FULLEST_FIRST.compare(node, best) < 0)
                        && !without.contains(node)) {
                    best = node;
                }
            }
            return best == null ? List.of() : List.of(best);
        }
        List<SimulatedNode> fitting = new ArrayList<>();
        for (SimulatedNode node : nodes) {
            if (node.isUp() && node.takes(shape) && !without.contains(node)) {
                fitting.add(node);
            }
        }
        if (fitting.size() < shape.nodes) {
            return List.of();
        }
        fitting.sort(FULLEST_FIRST);
        return List.copyOf(fitting.subList(0, shape.nodes));
    }

    /** When and where a job would start at home if all run as long as they may; null if it is too large for home. */
    private @Nullable Reservation reserve(Shape shape, long now) {
        List<Opening> openings = new ArrayList<>();
        for (SimulatedNode node : home) {
            if (shape.perNode.fitsIn(node.total())) {
                openings.add(new Opening(node, opensAt(node, shape.perNode, now)));
            }
        }
        if (openings.size() < shape.nodes) {
            return null;
        }
        openings.sort(Comparator.comparingLong(Opening::at)
                .thenComparingInt(one -> one.node().number()));
        Set<SimulatedNode> nodes = new HashSet<>();
        openings.subList(0, shape.nodes).forEach(one -> nodes.add(one.node()));
        return new Reservation(openings.get(shape.nodes - 1).at(), nodes);
    }

    private record Opening(SimulatedNode node, long at) {}

    private static long opensAt(SimulatedNode node, Resources need, long now) {
        if (need.fitsIn(node.free())) {
            return now;
        }
        List<SimulatedJob> running = new ArrayList<>(node.jobs());
        running.sort(Comparator.comparingLong(SimulatedJob::expectedEnd));
        Resources free = node.free();
        long at = now;
        for (SimulatedJob job : running) {
            free = free.plus(job.shape().perNode);
            at = Math.max(at, job.expectedEnd());
            if (need.fitsIn(free)) {
                break;
            }
        }
        return at;
    }
}
