package org.spillway.head.lifecycle;

/** The node's instance, as the provider's listings show it. */
public enum Sight {
    /** None is named for it. */
    UNNAMED,
    /** Named, and no listing proves anything yet. */
    UNPROVEN,
    PENDING,
    RUNNING,
    /** Stopping or stopped. */
    STOPPED,
    /** On its way out. */
    ENDING,
    /** Proven: it exists no more. */
    GONE
}
