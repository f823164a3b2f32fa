package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.head.workload.JoinedNode;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;

/** Which nodes Slurm does not have, and how often they are told. */
final class MissingTest {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    private static final Map<String, String> SLOTS = Map.of("n1", "west-big-1");
    private static final WantedNode NODE = WantedNode.serving(
            new JoinedNode("n1", "west", "big", "10.0.0.1", Resources.of(1, 1, 0), "", Market.ON_DEMAND, ""));

    private final PretendedSlurm slurm = new PretendedSlurm(Set.of("west-big-1"));
    private final Missing missing = new Missing();

    private void look(Map<String, WantedNode> wanted, long second) {
        missing.look(wanted, SLOTS, slurm.seen().nodes(), NOW.plusSeconds(second));
    }

    @Test
    void aNodeThatIsOffIsToldAfterAWhileAndAgain() {
        look(Map.of("n1", NODE), 0);
        assertThat(missing.since()).containsEntry("n1", NOW);
        look(Map.of("n1", NODE), Missing.PATIENCE.toSeconds());
        assertThat(missing.asked("n1")).isZero();
        look(Map.of("n1", NODE), Missing.PATIENCE.toSeconds() + 1);
        assertThat(missing.asked("n1")).isEqualTo(1);
        look(Map.of("n1", NODE), Missing.PATIENCE.toSeconds() + 2);
        assertThat(missing.asked("n1")).isEqualTo(1);
        look(Map.of("n1", NODE), 30);
        look(Map.of("n1", NODE), 45);
        look(Map.of("n1", NODE), 60);
        assertThat(missing.asked("n1")).isEqualTo(2);
        assertThat(missing.since()).containsEntry("n1", NOW);
    }

    @Test
    void whileSlurmctldIsAwayNobodyIsMissed() {
        look(Map.of("n1", NODE), 0);
        look(Map.of("n1", NODE), 200);
        assertThat(missing.since()).containsEntry("n1", NOW.plusSeconds(200));
    }

    @Test
    void oneThatRegistersIsNotMissedAndIsNotToldOtherwiseThanBefore() {
        look(Map.of("n1", NODE), 0);
        look(Map.of("n1", NODE), 20);
        slurm.node("west-big-1").address = "10.0.0.1";
        slurm.registers("west-big-1", "10.0.0.1");
        look(Map.of("n1", NODE), 30);
        assertThat(missing.since()).isEmpty();
        // Another word would make it look again.
        assertThat(missing.asked("n1")).isEqualTo(1);
        slurm.node("west-big-1").power = "powered_down";
        look(Map.of("n1", NODE), 40);
        assertThat(missing.since()).containsEntry("n1", NOW.plus(Duration.ofSeconds(40)));
        look(Map.of("n1", NODE), 60);
        assertThat(missing.asked("n1")).isEqualTo(2);
    }

    @Test
    void whoDrainsOrHasLeftIsNotMissed() {
        look(Map.of("n1", NODE), 0);
        look(Map.of("n1", NODE.draining("idle")), 20);
        assertThat(missing.since()).isEmpty();
        look(Map.of(), 30);
        assertThat(missing.since()).isEmpty();
        assertThat(missing.asked("n1")).isZero();
    }
}
