package org.spillway.head.workload;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;

/**
 * The embedded queue: by priority, then by time of submission; each job on the fullest nodes of its site that have room
 * (best fit keeps large room for large jobs), a gang on all of its nodes at once or on none, and on one fabric where they
 * stand on one. It keeps nothing: the journal does. Used by the loop's thread only.
 *
 * <p><b>No gang starves.</b> The first gang of a site that does not fit has as many nodes reserved as it needs, when the site
 * has as many that are large enough: those that lack the least for it. Jobs behind it use what is left. Nothing new comes
 * to a reserved node, and another is reserved in its stead only when that one lacks less, so the gang starts at the latest
 * when what runs there has ended. While the site has too few such nodes nothing is reserved: more of them have to be
 * launched first, and small jobs may use the time.
 *
 * <p>A poll costs what runs, and nodes for each job that finds room and each shape that does not, however many wait.
 */
public final class EmbeddedWorkload implements WorkloadManager, NodeIntake, JobIntake {
    private static final Comparator<ReleasedJob> IN_TURN = Comparator.comparingInt((ReleasedJob job) -> -job.priority())
            .thenComparing(ReleasedJob::submittedAt)
            .thenComparingInt(job -> job.id().length())
            .thenComparing(ReleasedJob::id);

    private final Map<String, JoinedNode> nodes = new HashMap<>();
    private final Map<String, ReleasedJob> jobs = new HashMap<>();
    private final Map<String, ReleasedJob> running = new HashMap<>();
    /** No set is empty. */
    private final Map<Shape, SortedSet<ReleasedJob>> waiting = new HashMap<>();

    private final Set<String> draining = new HashSet<>();

    @Override
    public String name() {
        return "embedded";
    }

    @Override
    public NodeIntake nodes() {
        return this;
    }

    @Override
    public JobIntake jobs() {
        return this;
    }

    @Override
    public WorkloadView poll(Instant now) {
        Map<String, Resources> free = new HashMap<>();
        nodes.values().forEach(node -> free.put(node.id(), node.resources()));
        List<WorkloadView.Allocation> allocations = new ArrayList<>();
        for (ReleasedJob job : running.values()) {
            job.nodes().forEach(node -> free.computeIfPresent(node, (id, room) -> without(room, job.perNode())));
            allocations.add(new WorkloadView.Allocation(job.id(), job.attempt(), job.nodes()));
        }
        // The first of each shape that may still find room: jobs of a shape are alike, and one that does not fit says
        // so for all of them.
        PriorityQueue<Line> lines = new PriorityQueue<>(Comparator.comparing(Line::first, IN_TURN));
        waiting.values().forEach(jobs -> lines.add(new Line(jobs)));
        Map<Place, Set<String>> reserved = new HashMap<>();
        for (Line line = lines.poll(); line != null; line = lines.poll()) {
            ReleasedJob job = line.first();
            List<String> places = places(job, free, reserved.getOrDefault(placeOf(job), Set.of()));
            if (places.size() == job.count()) {
                places.forEach(node -> free.computeIfPresent(node, (id, room) -> room.minus(job.perNode())));
                allocations.add(new WorkloadView.Allocation(job.id(), job.attempt() + 1, places));
                if (line.next()) {
                    lines.add(line);
                }
            } else if (job.count() > 1 && !reserved.containsKey(placeOf(job))) {
                List<String> kept = reservation(job, free);
                if (kept.size() == job.count()) {
                    reserved.put(placeOf(job), Set.copyOf(kept));
                }
            }
        }
        return new WorkloadView(allocations);
    }

    /** Jobs that wait are not looked at: those that could begin have begun. */
    @Override
    public List<String> wouldGive(ReleasedJob job) {
        Map<String, Resources> free = new HashMap<>();
        nodes.values().forEach(node -> free.put(node.id(), node.resources()));
        for (ReleasedJob one : running.values()) {
            one.nodes().forEach(node -> free.computeIfPresent(node, (id, room) -> without(room, one.perNode())));
        }
        List<String> places = places(job, free, Set.of());
        return places.size() == job.count() ? places : List.of();
    }

    /** Where nodes are that have nothing to do with those of another place. */
    private record Place(String site, String category) {}

    private static Place placeOf(ReleasedJob job) {
        return new Place(job.site(), job.fit().category());
    }

    /** The jobs of one shape in their order, from one on. */
    private static final class Line {
        private final Iterator<ReleasedJob> rest;
        private ReleasedJob first;

        Line(SortedSet<ReleasedJob> jobs) {
            rest = jobs.iterator();
            first = rest.next();
        }

        ReleasedJob first() {
            return first;
        }

        boolean next() {
            if (rest.hasNext()) {
                first = rest.next();
                return true;
            }
            return false;
        }
    }

    /** Running jobs are a fact, even where they take more than their node has: that node is full then. */
    private static Resources without(Resources room, Resources used) {
        boolean fits =
                new Resources(used.cpus(), used.memoryBytes(), used.gpus(), "", used.localDiskBytes()).fitsIn(room);
        return fits ? room.minus(used) : Resources.NONE;
    }

    private record Shape(String site, ReleasedJob.Fit fit, Resources perNode, int count) {
        static Shape of(ReleasedJob job) {
            return new Shape(job.site(), job.fit(), job.perNode(), job.count());
        }
    }

    /** As many of the fullest nodes with room as the job wants; none when there are not as many on one fabric. */
    private List<String> places(ReleasedJob job, Map<String, Resources> free, Set<String> reserved) {
        return onOneFabric(
                job.count(),
                nodes.values().stream()
                        .filter(node -> mayTake(node, job))
                        .filter(node -> !reserved.contains(node.id()))
                        .filter(node -> job.perNode().fitsIn(room(free, node)))
                        .sorted(Comparator.comparingInt(
                                        (JoinedNode node) -> room(free, node).gpus())
                                .thenComparingInt(node -> room(free, node).cpus())
                                // So that what is paid by the hour idles, and ends, first.
                                .thenComparing(JoinedNode::market, Market.PAID_ANYWAY_FIRST)
                                .thenComparing(JoinedNode::id)));
    }

    /** The nodes that are large enough and lack the least for the gang; none when there are not as many on one fabric. */
    private List<String> reservation(ReleasedJob gang, Map<String, Resources> free) {
        return onOneFabric(
                gang.count(),
                nodes.values().stream()
                        .filter(node -> mayTake(node, gang))
                        .filter(node -> gang.perNode().fitsIn(node.resources()))
                        .sorted(Comparator.comparingInt((JoinedNode node) -> lacks(
                                        gang.perNode().gpus(), room(free, node).gpus()))
                                .thenComparingInt(node -> lacks(
                                        gang.perNode().cpus(), room(free, node).cpus()))
                                .thenComparingLong(node -> Math.max(
                                        0,
                                        gang.perNode().memoryBytes()
                                                - room(free, node).memoryBytes()))
                                .thenComparing(JoinedNode::id)));
    }

    /** The first so many of one fabric, or of none; the fabric that has them first. One node is on one in any case. */
    private static List<String> onOneFabric(int count, Stream<JoinedNode> bestFirst) {
        if (count == 1) {
            return bestFirst.limit(1).map(JoinedNode::id).toList();
        }
        Map<String, List<String>> byFabric = new HashMap<>();
        Iterator<JoinedNode> all = bestFirst.iterator();
        while (all.hasNext()) {
            JoinedNode node = all.next();
            List<String> those = byFabric.computeIfAbsent(node.fabric(), fabric -> new ArrayList<>());
            those.add(node.id());
            if (those.size() == count) {
                return those;
            }
        }
        return List.of();
    }

    private boolean mayTake(JoinedNode node, ReleasedJob job) {
        return node.site().equals(job.site()) && job.fit().takes(node) && !draining.contains(node.id());
    }

    private static int lacks(int wanted, int there) {
        return Math.max(0, wanted - there);
    }

    private static Resources room(Map<String, Resources> free, JoinedNode node) {
        return free.getOrDefault(node.id(), Resources.NONE);
    }

    @Override
    public void join(JoinedNode node) {
        nodes.put(node.id(), node);
        // Joined again after it was drained: it serves again.
        draining.remove(node.id());
    }

    @Override
    public void drain(String node, String reason) {
        if (nodes.containsKey(node)) {
            draining.add(node);
        }
    }

    @Override
    public void leave(String node) {
        nodes.remove(node);
        draining.remove(node);
    }

    @Override
    public void release(ReleasedJob job) {
        withdraw(job.id());
        jobs.put(job.id(), job);
        if (job.nodes().isEmpty()) {
            waiting.computeIfAbsent(Shape.of(job), shape -> new TreeSet<>(IN_TURN))
                    .add(job);
        } else {
            running.put(job.id(), job);
        }
    }

    @Override
    public void withdraw(String job) {
        ReleasedJob known = jobs.remove(job);
        if (known != null && running.remove(job) == null) {
            waiting.computeIfPresent(Shape.of(known), (shape, alike) -> {
                alike.remove(known);
                return alike.isEmpty() ? null : alike;
            });
        }
    }
}
