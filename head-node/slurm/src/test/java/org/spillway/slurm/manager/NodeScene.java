package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.spillway.head.workload.JoinedNode;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;
import org.spillway.slurm.manager.WantedNode.Phase;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.SlurmSettings;
import org.spillway.slurm.settings.Unnamed;

/** A head's wishes for its nodes beside a pretended Slurm. */
abstract class NodeScene {
    static final Map<String, Slots.Slot> DECLARED = Slots.declared(new SlurmSettings(
            Path.of("slurm.conf"),
            "slurm",
            "10.0.0.1:6817",
            Path.of("munge.socket"),
            Path.of("munge.key"),
            Map.of("West", Map.of("g5.xlarge", 3, "big", 1), "east", Map.of("big", 2)),
            JobFiles.of(Unnamed.HOME),
            Map.of()));

    final PretendedSlurm slurm = new PretendedSlurm(DECLARED.keySet());
    final Map<String, WantedNode> wanted = new LinkedHashMap<>();
    Map<String, String> slots = Map.of();
    boolean complete = true;

    NodePlan plan() {
        return NodePlan.of(DECLARED, wanted, slots, slurm.seen(), complete, slurm.now);
    }

    List<SlurmOrder> round() {
        NodePlan plan = plan();
        assertThat(plan()).isEqualTo(plan);
        slots = plan.slots();
        plan.gone().forEach(node -> wanted.remove(node.node().id(), node));
        plan.orders().forEach(slurm::apply);
        return plan.orders();
    }

    /** Each node that knows its slot starts its slurmd. */
    void boot() {
        new HashMap<>(slots).forEach((id, slot) -> {
            WantedNode node = wanted.get(id);
            if (node != null && node.phase() != Phase.LEFT) {
                slurm.registers(slot, node.node().address());
            }
        });
    }

    void join(String id, String site, String type, String address) {
        wanted.put(
                id,
                WantedNode.serving(new JoinedNode(
                        id, site, type, address, Resources.of(8, 8L << 30, 0), "", Market.ON_DEMAND, "")));
    }

    void drain(String id) {
        wanted.computeIfPresent(id, (key, node) -> node.phase() == Phase.SERVING ? node.draining("idle") : node);
    }

    void leave(String id) {
        wanted.computeIfPresent(id, (key, node) -> node.left());
    }
}
