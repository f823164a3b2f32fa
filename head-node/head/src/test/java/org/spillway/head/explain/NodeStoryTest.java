package org.spillway.head.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;

/** The story of a node in each of its states. */
final class NodeStoryTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

    private static String story(NodeState state, String reason, List<String> jobs, boolean kept, int idleSeconds) {
        return story(state, reason, jobs, kept, idleSeconds, List.of());
    }

    private static String story(
            NodeState state,
            String reason,
            List<String> jobs,
            boolean kept,
            int idleSeconds,
            List<NodeFacts.Check> gate) {
        return NodeStory.of(
                new NodeFacts(
                        "east-1",
                        "east",
                        new NodeFacts.Life(state, NOW.minusSeconds(600), reason),
                        new NodeFacts.Bought(NOW.minusSeconds(700), "2 jobs wait", "d17"),
                        jobs,
                        kept,
                        false,
                        new NodeFacts.Idle(NOW.minusSeconds(idleSeconds), Duration.ofSeconds(300)),
                        "",
                        gate),
                NOW);
    }

    @Test
    void whyItIsThereAndWhenItGoes() {
        assertThat(story(NodeState.READY, "", List.of("42", "43"), false, 0))
                .isEqualTo(
                        "bought at 11:48:20Z by decision d17: 2 jobs wait; runs job 42, 43; it is not released before");
        assertThat(story(NodeState.READY, "", List.of(), false, 60))
                .endsWith("; idle since 11:59:00Z; released at 12:04:00Z, unless something that waits needs it before");
        assertThat(story(NodeState.READY, "", List.of(), false, 400)).contains("something that waits needs it");
        assertThat(story(NodeState.READY, "", List.of(), true, 400)).endsWith("the policy does not release it");
        assertThat(story(NodeState.BOOTING, "", List.of(), false, 0)).endsWith("; booting since 11:50:00Z");
        assertThat(story(NodeState.TERMINATED, "idle for 300 s", List.of(), false, 0))
                .endsWith("; ended at 11:50:00Z: idle for 300 s");
        for (NodeState state : NodeState.values()) {
            assertThat(story(state, "why", List.of(), false, 0))
                    .as(state.name())
                    .startsWith("bought at 11:48:20Z");
        }
    }

    @Test
    void eachCheckOfItsGateIsTold() {
        List<NodeFacts.Check> gate = List.of(
                new NodeFacts.Check("program", true, "fetched"),
                new NodeFacts.Check("image", true, "0123456789".repeat(7)),
                new NodeFacts.Check("workdir", true, ""),
                new NodeFacts.Check(
                        "gpus", false, "2 counted, 4 sold; ".repeat(5).strip()));
        assertThat(story(NodeState.JOINING, "", List.of(), false, 0, gate))
                .endsWith("; joining since 11:50:00Z; its gate: program ok (fetched), image ok ("
                        + "0123456789".repeat(6) + "...), workdir ok, gpus failed ("
                        + "2 counted, 4 sold; ".repeat(5).strip() + ")");
    }
}
