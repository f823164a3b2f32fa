package org.spillway.head.workload;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.policy.Resources;

/**
 * The embedded queue: by priority, then by time of submission; each job on the fullest nodes of its site that have room
 * (best fit keeps large room for large jobs), a gang on all of its nodes at once or on none. It keeps nothing: the
 * journal does. Used by the loop's thread only.
 *
 * <p><b>No gang starves.</b> The first gang of a site that does not fit has as many nodes reserved as it needs, when the site
 * has as many that are large enough: those that lack the least for it. Jobs behind it use what is left. Nothing new comes
 * to a reserved node, and another is reserved in its stead only when that one lacks less, so the gang starts at the latest
 * when what runs there has ended. While the site has too few such nodes nothing is reserved: more of them have to be
 * launched first, and small jobs may use the time.
 *
 * <p>A poll costs waiting jobs times nodes of their site, and only for jobs whose shape did not already fail to fit in
 * the same poll.
 */
public final class EmbeddedWorkload implements WorkloadManager {
    private final Map<String, JoinedNode> nodes = new HashMap<>();
    private final Map<String, ReleasedJob> jobs = new HashMap<>();
    private final Set<String> draining = new HashSet<>();

    @Override
    public String name() {
        return "embedded";
    }

    @Override
    public WorkloadView poll(Instant now) {
        Map<String, Resources> free = new HashMap<>();
        nodes.values().forEach(node -> free.put(node.id(), node.resources()));
        List<WorkloadView.Allocation> allocations = new ArrayList<>();
        List<ReleasedJob> waiting = new ArrayList<>();
        for (ReleasedJob job : jobs.values()) {
            if (job.nodes().isEmpty()) {
                waiting.add(job);
            } else {
                job.nodes().forEach(node -> free.computeIfPresent(node, (id, room) -> without(room, job.perNode())));
                allocations.add(new WorkloadView.Allocation(job.id(), job.attempt(), job.nodes()));
            }
        }
        waiting.sort(Comparator.comparingInt((ReleasedJob job) -> -job.priority())
                .thenComparing(ReleasedJob::submittedAt)
                .thenComparingInt(job -> job.id().length())
                .thenComparing(ReleasedJob::id));
        Set<Shape> full = new HashSet<>();
        Map<String, Set<String>> reserved = new HashMap<>();
        for (ReleasedJob job : waiting) {
            Shape shape = new Shape(job.site(), job.perNode(), job.count());
            if (full.contains(shape)) {
                continue;
            }
            List<String> places = places(job, free, reserved.getOrDefault(job.site(), Set.of()));
            if (places.size() < job.count()) {
                full.add(shape);
                if (job.count() > 1 && !reserved.containsKey(job.site())) {
                    List<String> kept = reservation(job, free);
                    if (kept.size() == job.count()) {
                        reserved.put(job.site(), Set.copyOf(kept));
                    }
                }
                continue;
            }
            places.forEach(node -> free.computeIfPresent(node, (id, room) -> room.minus(job.perNode())));
            allocations.add(new WorkloadView.Allocation(job.id(), job.attempt() + 1, places));
        }
        return new WorkloadView(allocations);
    }

    /** What runs is a fact, even where it takes more than its node has: that node is full then. */
    private static Resources without(Resources room, Resources used) {
        boolean fits =
                new Resources(used.cpus(), used.memoryBytes(), used.gpus(), "", used.localDiskBytes()).fitsIn(room);
        return fits ? room.minus(used) : Resources.NONE;
    }

    private record Shape(String site, Resources perNode, int count) {}

    /** As many of the fullest nodes with room as the job wants; fewer when there are not as many. */
    private List<String> places(ReleasedJob job, Map<String, Resources> free, Set<String> reserved) {
        return nodes.values().stream()
                .filter(node -> node.site().equals(job.site()) && !draining.contains(node.id()))
                .filter(node -> !reserved.contains(node.id()))
                .filter(node -> job.perNode().fitsIn(free.getOrDefault(node.id(), Resources.NONE)))
                .sorted(Comparator.comparing((JoinedNode node) ->
                                free.getOrDefault(node.id(), Resources.NONE).gpus())
                        .thenComparing(node ->
                                free.getOrDefault(node.id(), Resources.NONE).cpus())
                        .thenComparing(JoinedNode::id))
                .limit(job.count())
                .map(JoinedNode::id)
                .toList();
    }

    /** The nodes that are large enough and lack the least for the gang; fewer than it needs when there are not as many. */
    private List<String> reservation(ReleasedJob gang, Map<String, Resources> free) {
        return nodes.values().stream()
                .filter(node -> node.site().equals(gang.site()) && !draining.contains(node.id()))
                .filter(node -> gang.perNode().fitsIn(node.resources()))
                .sorted(Comparator.comparingInt((JoinedNode node) ->
                                lacks(gang.perNode().gpus(), room(free, node).gpus()))
                        .thenComparingInt(node ->
                                lacks(gang.perNode().cpus(), room(free, node).cpus()))
                        .thenComparingLong(node -> Math.max(
                                0,
                                gang.perNode().memoryBytes() - room(free, node).memoryBytes()))
                        .thenComparing(JoinedNode::id))
                .limit(gang.count())
                .map(JoinedNode::id)
                .toList();
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
        jobs.put(job.id(), job);
    }

    @Override
    public void withdraw(String job) {
        jobs.remove(job);
    }
}
