package org.spillway.slurm.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.spillway.slurm.manager.WantedNode.Phase;

/**
 * Nodes of the head that serve and that Slurm takes for off: their slurmd has never registered, or a slurmctld that was
 * killed has forgotten that it did. Such a node is told to look after its slurmd, and replaced when that does not help.
 * No effects; used by the thread that looks.
 */
final class Missing {
    /** A slurmd that has just been started registers within this. */
    static final Duration PATIENCE = Duration.ofSeconds(15);

    private static final Duration BETWEEN = Duration.ofSeconds(30);

    /** Looks that are farther apart had no slurmctld between them, and no slurmd could register. */
    private static final Duration APART = Duration.ofSeconds(25);

    /** @param asked how often the node was told to look, in all its life */
    private record Absence(Instant since, Instant told, int asked) {}

    private final Map<String, Absence> absent = new HashMap<>();
    private final Map<String, Integer> asked = new HashMap<>();
    private Instant last = Instant.MAX;

    /** @param slots by the node's id @param seen by Slurm's name @param now when they were looked at */
    void look(Map<String, WantedNode> wanted, Map<String, String> slots, Map<String, SlurmNode> seen, Instant now) {
        if (last.isBefore(now.minus(APART))) {
            // Nobody could register while slurmctld was away.
            absent.replaceAll((id, before) -> new Absence(now, before.told, before.asked));
        }
        last = now;
        asked.keySet().retainAll(wanted.keySet());
        absent.keySet().retainAll(wanted.keySet());
        wanted.forEach((id, node) -> {
            String name = slots.get(id);
            SlurmNode slot = name == null ? null : seen.get(name);
            boolean isThere = slot != null && !slot.isPoweredDown();
            if (isThere || node.phase() != Phase.SERVING) {
                absent.remove(id);
                return;
            }
            Absence before = absent.computeIfAbsent(id, first -> new Absence(now, now.minus(BETWEEN), asked(id)));
            boolean late = now.isAfter(before.since.plus(PATIENCE)) && now.isAfter(before.told.plus(BETWEEN));
            if (late) {
                asked.put(id, before.asked + 1);
                absent.put(id, new Absence(before.since, now, before.asked + 1));
            }
        });
    }

    int asked(String node) {
        return asked.getOrDefault(node, 0);
    }

    /** Since when, by the node's id. */
    Map<String, Instant> since() {
        Map<String, Instant> since = new HashMap<>();
        absent.forEach((id, absence) -> since.put(id, absence.since));
        return since;
    }
}
