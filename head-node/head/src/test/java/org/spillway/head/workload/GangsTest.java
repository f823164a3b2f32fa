package org.spillway.head.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.spillway.head.workload.WorkloadView.Allocation;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;

/** A gang gets all of its nodes at once, and gets them at last. */
final class GangsTest {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    private static final long SEEDS = 300;

    @Test
    void aGangGetsDistinctNodesOfItsSiteOrNone() {
        EmbeddedWorkload queue = new EmbeddedWorkload();
        queue.join(node("n1", "here"));
        queue.join(node("n2", "there"));
        queue.release(waiting("gang", "here", 4, 2, 0));
        assertThat(queue.poll(NOW).allocations()).isEmpty();
        queue.join(node("n3", "here"));
        assertThat(queue.poll(NOW).allocations()).containsExactly(new Allocation("gang", 1, List.of("n1", "n3")));
    }

    @Test
    void whatIsBehindAGangDoesNotTakeItsNodes() {
        EmbeddedWorkload queue = new EmbeddedWorkload();
        List.of("n1", "n2", "n3").forEach(id -> queue.join(node(id, "here")));
        queue.release(running("long", 5, "n1"));
        queue.release(running("short", 8, "n3"));
        queue.release(waiting("gang", "here", 8, 2, 0));
        queue.release(waiting("small", "here", 1, 1, 1));
        // n2 is free and n1 lacks less than n3, so these two wait for the gang.
        assertThat(queue.poll(NOW).allocations()).extracting(Allocation::job).containsOnly("long", "short");
        queue.withdraw("short");
        assertThat(queue.poll(NOW).allocations()).contains(new Allocation("gang", 1, List.of("n2", "n3")));
    }

    @Test
    void aGangThatNeedsMoreNodesThanThereAreKeepsNobodyBack() {
        EmbeddedWorkload queue = new EmbeddedWorkload();
        queue.join(node("n1", "here"));
        queue.release(waiting("gang", "here", 8, 2, 0));
        queue.release(waiting("small", "here", 1, 1, 1));
        assertThat(queue.poll(NOW).allocations()).containsExactly(new Allocation("small", 1, List.of("n1")));
    }

    @Test
    void aMoreUrgentJobGoesBeforeAGang() {
        EmbeddedWorkload queue = new EmbeddedWorkload();
        queue.join(node("n1", "here"));
        queue.join(node("n2", "here"));
        queue.release(running("long", 8, "n1"));
        queue.release(waiting("gang", "here", 8, 2, 0));
        queue.release(new ReleasedJob(
                "urgent", "here", cpus(1), 1, 9, NOW.plusSeconds(5), 0, "", List.of(), ReleasedJob.Fit.USUAL));
        assertThat(queue.poll(NOW).allocations()).contains(new Allocation("urgent", 1, List.of("n2")));
    }

    /** Small jobs keep coming, each runs for a few rounds: the oldest gang starts after a bounded number of rounds. */
    @Test
    void noGangStarves() {
        for (long seed = first(); seed < first() + SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            EmbeddedWorkload queue = new EmbeddedWorkload();
            int nodes = random.nextInt(2, 6);
            for (int i = 0; i < nodes; i++) {
                queue.join(node("n" + i, "here"));
            }
            Map<String, Integer> endsAt = new HashMap<>();
            Map<String, ReleasedJob> jobs = new HashMap<>();
            ReleasedJob gang = waiting("gang", "here", random.nextInt(3, 9), random.nextInt(2, nodes + 1), 50);
            boolean started = false;
            for (int round = 0; round < 400 && !started; round++) {
                int coming = random.nextInt(0, 6);
                for (int i = 0; i < coming; i++) {
                    String id = "s" + round + "-" + i;
                    ReleasedJob small = waiting(id, "here", random.nextInt(1, 6), 1, round);
                    jobs.put(id, small);
                    queue.release(small);
                }
                if (round == 50) {
                    queue.release(gang);
                    jobs.put("gang", gang);
                }
                started = take(queue, jobs, endsAt, round, random);
                int now = round;
                List.copyOf(endsAt.keySet()).stream()
                        .filter(id -> endsAt.getOrDefault(id, 0) <= now)
                        .forEach(id -> {
                            endsAt.remove(id);
                            jobs.remove(id);
                            queue.withdraw(id);
                        });
            }
            assertThat(started)
                    .as("seed %d: the gang of %d of %d nodes starts", seed, gang.count(), nodes)
                    .isTrue();
        }
    }

    /** Takes what the queue gives. @return whether the gang was among it */
    private static boolean take(
            EmbeddedWorkload queue,
            Map<String, ReleasedJob> jobs,
            Map<String, Integer> endsAt,
            int round,
            SplittableRandom random) {
        Map<String, Integer> used = new HashMap<>();
        boolean gang = false;
        for (Allocation allocation : queue.poll(NOW).allocations()) {
            ReleasedJob job = jobs.get(allocation.job());
            assertThat(job).isNotNull();
            assertThat(new HashSet<>(allocation.nodes())).hasSize(job.count());
            allocation.nodes().forEach(node -> used.merge(node, job.perNode().cpus(), Integer::sum));
            if (job.nodes().isEmpty()) {
                endsAt.put(job.id(), round + random.nextInt(1, 12));
                ReleasedJob bound = new ReleasedJob(
                        job.id(),
                        "here",
                        job.perNode(),
                        job.count(),
                        0,
                        job.submittedAt(),
                        1,
                        "",
                        allocation.nodes(),
                        ReleasedJob.Fit.USUAL);
                jobs.put(job.id(), bound);
                queue.release(bound);
                gang |= job.id().equals("gang");
            }
        }
        assertThat(used.values()).allMatch(cpus -> cpus <= 8);
        return gang;
    }

    private static long first() {
        return Long.getLong("spillway.seed", 1);
    }

    private static JoinedNode node(String id, String site) {
        return new JoinedNode(id, site, "", "", cpus(8), "", Market.ON_DEMAND, "");
    }

    private static ReleasedJob waiting(String id, String site, int cpus, int count, int secondsLater) {
        return new ReleasedJob(
                id, site, cpus(cpus), count, 0, NOW.plusSeconds(secondsLater), 0, "", List.of(), ReleasedJob.Fit.USUAL);
    }

    private static ReleasedJob running(String id, int cpus, String node) {
        return new ReleasedJob(id, "here", cpus(cpus), 1, 0, NOW, 1, "", List.of(node), ReleasedJob.Fit.USUAL);
    }

    private static Resources cpus(int count) {
        return Resources.of(count, 0, 0);
    }
}
