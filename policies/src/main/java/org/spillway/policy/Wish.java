package org.spillway.policy;

import java.util.List;

/**
 * A policy's wish. The host turns wishes into steps, cut down to limits and budgets; a wish is never an order. Variants
 * flow from a plugin to the host only, so that a plugin built earlier meets no variant it does not know.
 */
public sealed interface Wish {
    /** Why, in one sentence, for the user who asks. */
    String reason();

    /**
     * Have this many more nodes, of the first of these offerings that can be had.
     *
     * @param shapes the demand shapes that they are for; empty for pre-warmed nodes
     * @param offerings acceptable offerings, best first
     * @param count nodes, 1 or more
     */
    record Provision(List<String> shapes, List<OfferingId> offerings, int count, String reason) implements Wish {
        public Provision {
            shapes = List.copyOf(shapes);
            offerings = List.copyOf(offerings);
            if (count < 1) {
                throw new IllegalArgumentException("a provision wish is for at least one node, not " + count);
            }
        }
    }

    /** Drain and end these nodes; those that their site stops instead ({@link NodeView.Duty#stops()}) are stopped. */
    record Release(List<String> nodes, String reason) implements Wish {
        public Release {
            nodes = List.copyOf(nodes);
        }
    }

    /** Start or stop nodes that keep their disk ({@link NodeView.Duty#stops()}); others are left as they are. */
    record Power(List<String> nodes, boolean on, String reason) implements Wish {
        public Power {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * Take idle nodes out of service, and have them serve again as ones of another category
     * ({@link ClusterSnapshot.Changeable#categories()}), with its image and overlays. The price of a node runs on meanwhile.
     * A node of which something else is needed is left as it is: the host does the like by itself where a {@link Provision}
     * can be met so.
     */
    record Repurpose(List<String> nodes, String category, String reason) implements Wish {
        public Repurpose {
            nodes = List.copyOf(nodes);
        }
    }

    /** Let idle nodes join or leave a configuration overlay ({@link ClusterSnapshot.Changeable#overlays()}). */
    record Overlay(List<String> nodes, String overlay, boolean join, String reason) implements Wish {
        public Overlay {
            nodes = List.copyOf(nodes);
        }
    }

    /** Do nothing for this shape now, and say why. */
    record Hold(String shape, String reason) implements Wish {}
}
