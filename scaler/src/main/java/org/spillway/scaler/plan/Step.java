package org.spillway.scaler.plan;

import java.util.List;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/** One thing to do, already within all limits. */
public sealed interface Step {
    String reason();

    /**
     * Launch nodes of one offering.
     *
     * @param shapes that they are for; empty for pre-warmed ones
     * @param committed the most that they are expected to cost, already taken from the budget
     */
    record Launch(OfferingId offering, int count, List<String> shapes, Money committed, String reason) implements Step {
        public Launch {
            shapes = List.copyOf(shapes);
        }
    }

    /** Drain a node and then end it. */
    record Release(String node, String reason) implements Step {}

    /**
     * Stop a node that keeps its disk, or start it again.
     *
     * @param shapes that a started one is for; empty for one that is stopped, or started for no job
     * @param committed the most that a started one is expected to cost, already taken from the budget; zero for one that is
     *     stopped
     */
    record Power(String node, boolean on, List<String> shapes, Money committed, String reason) implements Step {
        public Power {
            shapes = List.copyOf(shapes);
        }
    }

    /**
     * Nothing can be done for this shape now; the reason is what its users read. An empty shape says that a wish which
     * is not about one shape (a release, pre-warmed nodes, a failed policy) was refused.
     */
    record Hold(String shape, String reason) implements Step {}
}
