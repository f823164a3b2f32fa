package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who gets a slot that a job waits for by its name. */
final class MovesTest extends NodeScene {
    @Test
    void anIdleNodeTakesTheSlotThatAJobNamesAndOneWithAJobDoesNot() {
        join("n1", "West", "g5.xlarge", "10.0.1.1");
        join("n2", "West", "g5.xlarge", "10.0.1.2");
        round();
        boot();
        round();
        slurm.submit("west-g5-xlarge-1");
        slurm.named.add("west-g5-xlarge-3");
        assertThat(round()).contains(new SlurmOrder.Drain("west-g5-xlarge-2", "its node becomes west-g5-xlarge-3"));
        // Slurm was faster: the node has a job, and stays.
        slurm.node("west-g5-xlarge-2").jobs = 1;
        assertThat(round()).contains(new SlurmOrder.Resume("west-g5-xlarge-2"));
        slurm.node("west-g5-xlarge-2").jobs = 0;
        round();
        assertThat(slots).containsEntry("n2", "west-g5-xlarge-2");
        assertThat(round()).contains(new SlurmOrder.Address("west-g5-xlarge-3", "10.0.1.2"));
        assertThat(slots).containsEntry("n1", "west-g5-xlarge-1").containsEntry("n2", "west-g5-xlarge-3");
        boot();
        round();
        assertThat(slurm.node("west-g5-xlarge-3").isUp()).isTrue();
        assertThat(slurm.isGiven("west-g5-xlarge-3")).isTrue();
        assertThat(slurm.node("west-g5-xlarge-2").isUp()).isFalse();
    }

    @Test
    void aNewNodeTakesTheSlotThatAJobNames() {
        slurm.named.add("west-g5-xlarge-2");
        join("n1", "West", "g5.xlarge", "10.0.1.1");
        join("n2", "West", "g5.xlarge", "10.0.1.2");
        round();
        assertThat(slots).isEqualTo(Map.of("n1", "west-g5-xlarge-2", "n2", "west-g5-xlarge-1"));
    }
}
