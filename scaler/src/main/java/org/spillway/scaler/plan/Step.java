package org.spillway.scaler.plan;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/** A step to take, already within all limits. */
public sealed interface Step {
    String reason();

    /**
     * Launch nodes of one offering, or of those behind it where the provider is short of it.
     *
     * @param shapes that they are for; empty for pre-warmed ones
     * @param committed the most that nodes of the offering are expected to cost, already taken from the budget
     * @param group the fabric group of nodes that exist and that these make a whole gang with; null for one of their own, and
     *     in what earlier releases have journalled
     * @param behind what is bought instead; nothing in what earlier releases have journalled
     */
    record Launch(
            OfferingId offering,
            int count,
            List<String> shapes,
            Money committed,
            String reason,
            @Nullable String group,
            Behind behind)
            implements Step {
        public Launch {
            shapes = List.copyOf(shapes);
            behind = behind == null ? Behind.NOTHING : behind;
        }

        Launch withReason(String other) {
            return new Launch(offering, count, shapes, committed, other, group, behind);
        }

        public Launch with(Behind others) {
            return new Launch(offering, count, shapes, committed, reason, group, others);
        }
    }

    /**
     * The rest of a ranked set.
     *
     * @param offerings of the same site and market, best first
     * @param more by how much the dearest of them is over what the launch has committed, already taken from the budget as well
     */
    record Behind(List<OfferingId> offerings, Money more) {
        public static final Behind NOTHING = new Behind(List.of(), Money.ZERO);

        public Behind {
            offerings = List.copyOf(offerings);
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
     * Make an idle node one of another category.
     *
     * @param category empty for a node without one
     * @param shapes that it is for; empty where a policy wished for it by name
     * @param committed the most that it is expected to cost from now on, already taken from the budget
     */
    record Repurpose(String node, String category, List<String> shapes, Money committed, String reason)
            implements Step {
        public Repurpose {
            shapes = List.copyOf(shapes);
        }
    }

    /** Let an idle node join or leave a configuration overlay. */
    record Overlay(String node, String overlay, boolean join, String reason) implements Step {}

    /**
     * Nothing can be done for this shape now; the reason is what its users read. An empty shape says that a wish which
     * is not about one shape (a release, pre-warmed nodes, a failed policy) was refused.
     *
     * @param by the first obstacle's kind, and {@code name} its name as in {@link Bound}
     */
    record Hold(String shape, String reason, Bound.Kind by, String name) implements Step {
        public Hold {
            // Absent in what earlier releases have journalled.
            by = by == null ? Bound.Kind.OTHER : by;
            name = name == null ? "" : name;
        }

        static Hold of(String shape, Bound why) {
            return new Hold(shape, why.text(), why.kind(), why.name());
        }

        /** The obstacle's kind and name follow from the rest, and older decisions are compared with new ones. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Hold hold
                    && Objects.equals(shape, hold.shape)
                    && Objects.equals(reason, hold.reason);
        }

        @Override
        public int hashCode() {
            return Objects.hash(shape, reason);
        }
    }
}
