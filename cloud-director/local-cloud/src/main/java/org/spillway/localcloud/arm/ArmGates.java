package org.spillway.localcloud.arm;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;

/**
 * Faults that strike a whole launch. Here a launch is many calls: those of one intent and attempt for one size are taken
 * as one, until a name comes again.
 */
final class ArmGates {
    private static final int KEPT = 1000;
    private final CloudBehind cloud;
    private final Map<String, Gate> gates = new LinkedHashMap<>();

    ArmGates(CloudBehind cloud) {
        this.cloud = cloud;
    }

    /** @param atOnce by the answer; else it is accepted and then fails, if it is for want of capacity */
    record Refusal(String reason, boolean atOnce) {}

    private static final class Gate {
        private final Refusal refusal;
        private int room;
        private final Set<String> seen = new HashSet<>();

        Gate(Refusal refusal, int room) {
            this.refusal = refusal;
            this.room = room;
        }
    }

    /** Empty for a machine that may come. A {@code REFUSE} with {@code instances} 0 refuses at once. */
    synchronized Optional<Refusal> pass(String name, String size, String zone, Map<String, String> tags) {
        String launch = tags.get(Instance.TAG_CLUSTER) + "|" + tags.get(Instance.TAG_SITE) + "|"
                + tags.get(Instance.TAG_INTENT) + "|" + tags.get(Instance.TAG_ATTEMPT) + "|" + size + "|" + zone;
        Gate gate = gates.get(launch);
        if (gate != null && gate.seen.contains(name)) {
            gates.remove(launch);
            gate = null;
        }
        if (gate == null) {
            Optional<Fault> refuse = cloud.strikes(Fault.Kind.REFUSE, size, zone);
            Optional<Fault> fault = refuse.or(() -> cloud.strikes(Fault.Kind.PARTIAL, size, zone));
            if (fault.isEmpty()) {
                return Optional.empty();
            }
            Refusal refusal = new Refusal(
                    fault.get().reason().name(),
                    refuse.isPresent() && fault.get().instances() == 0);
            gate = new Gate(refusal, refuse.isPresent() ? 0 : fault.get().instances());
            gates.put(launch, gate);
            if (gates.size() > KEPT) {
                gates.remove(gates.keySet().iterator().next());
            }
        }
        gate.seen.add(name);
        if (gate.room > 0) {
            gate.room--;
            return Optional.empty();
        }
        return Optional.of(gate.refusal);
    }
}
