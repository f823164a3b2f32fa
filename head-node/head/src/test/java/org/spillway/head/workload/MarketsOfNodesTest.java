package org.spillway.head.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;
import org.spillway.policy.Seeds;

/** Finding M6: the embedded queue gives no job a node of a market that it may not use. */
final class MarketsOfNodesTest {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");

    private static JoinedNode node(String id, Market market) {
        return new JoinedNode(id, "here", "std", "", Resources.of(8, 0, 0), "", market, "");
    }

    private static ReleasedJob job(String id, int cpus, int count, Set<Market> markets) {
        return new ReleasedJob(
                id,
                "here",
                Resources.of(cpus, 0, 0),
                count,
                0,
                NOW,
                0,
                "",
                List.of(),
                new ReleasedJob.Fit("", markets));
    }

    @Test
    void noDrawIsOfAnotherMarket() throws Exception {
        for (long seed : Seeds.of("markets of nodes", Seeds.some(2000))) {
            Random random = new Random(seed);
            EmbeddedWorkload queue = new EmbeddedWorkload();
            Map<String, JoinedNode> nodes = new HashMap<>();
            Map<String, ReleasedJob> jobs = new HashMap<>();
            for (int i = random.nextInt(8); i > 0; i--) {
                JoinedNode node = node("n" + i, Market.values()[random.nextInt(3)]);
                nodes.put(node.id(), node);
                queue.join(node);
            }
            for (int i = random.nextInt(12); i > 0; i--) {
                Set<Market> markets = random.nextBoolean() ? Market.STEADY : Set.of(Market.values());
                ReleasedJob job = job("j" + i, 1 + random.nextInt(8), 1 + random.nextInt(3), markets);
                jobs.put(job.id(), job);
                queue.release(job);
            }
            for (WorkloadView.Allocation one : queue.poll(NOW).allocations()) {
                Set<Market> allowed = jobs.get(one.job()).fit().markets();
                assertThat(one.nodes())
                        .as("seed %d: %s", seed, one)
                        .allMatch(id -> allowed.contains(nodes.get(id).market()));
            }
        }
    }

    @Test
    void aJobThatCannotUseASpotNodeHoldsNobodyWhoCan() throws Exception {
        EmbeddedWorkload queue = new EmbeddedWorkload();
        queue.join(node("spot", Market.SPOT));
        queue.release(job("1", 8, 1, Market.STEADY));
        queue.release(job("2", 8, 1, Set.of(Market.values())));
        assertThat(queue.poll(NOW).allocations()).containsExactly(new WorkloadView.Allocation("2", 1, List.of("spot")));
    }
}
