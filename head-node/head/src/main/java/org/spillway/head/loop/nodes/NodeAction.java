package org.spillway.head.loop.nodes;

import java.util.Locale;
import java.util.Optional;

/** Orders of an administrator for a node. */
public enum NodeAction {
    /** The node gets no further jobs and is ended when those that it has are over. */
    REMOVE,
    /** The node gets no further jobs and stays. */
    DRAIN,
    /** The node gets jobs again. */
    RESUME,
    /** The policy must not release it. */
    KEEP,
    UNKEEP,
    /** The scaler may make another of it again. */
    UNFIX,
    POWER_OFF,
    POWER_ON;

    /** @param text such as {@code power-off} */
    public static Optional<NodeAction> of(String text) {
        for (NodeAction action : values()) {
            if (action.text().equals(text)) {
                return Optional.of(action);
            }
        }
        return Optional.empty();
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
