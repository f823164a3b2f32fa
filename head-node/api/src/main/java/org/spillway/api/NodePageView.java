package org.spillway.api;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.spillway.api.form.Describes;

/** All that is known of one node or director, also of one that is gone. */
public record NodePageView(
        NodeView node,

        @Describes(
                "zone, type and market that were bought; host, the provider's machine below it; fabric: each only where it is known")
        Map<String, String> place,

        @Describes("why it is there, and when it goes, in one sentence")
        String story,

        @Describes("that bought it; empty for one that the scaler did not buy")
        String decision,

        @Describes("why it gets no jobs, or is not left to the scaler; empty where nothing holds it")
        List<String> held,

        @Describes("of its gate, as it told them last; empty for one that is gone or was not heard")
        List<CheckView> checks,

        @Describes("faults of its health that were counted, the first one")
        List<FaultView> faults,

        @Describes("its states, oldest first") List<StepView> history,

        @Describes("of which logs are kept, oldest first") List<NodeLogsView.BootView> boots) {
    public NodePageView {
        place = Map.copyOf(place);
        held = List.copyOf(held);
        checks = List.copyOf(checks);
        faults = List.copyOf(faults);
        history = List.copyOf(history);
        boots = List.copyOf(boots);
    }

    /** A check of its gate. */
    public record CheckView(
            String name,
            boolean passed,
            @Describes("what it found, in the node's words") String found) {}

    /** A fault of its health. */
    public record FaultView(
            @Describes("the check that has found it; lost for a node that was not heard any more")
            String check,

            String found,

            Instant at,

            @Describes("that was there, or was the last there; empty for none")
            String job) {}

    /** A state that it entered. */
    public record StepView(Instant at, NodeState state, String reason) {}
}
