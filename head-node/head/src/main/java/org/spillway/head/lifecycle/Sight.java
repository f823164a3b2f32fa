package org.spillway.head.lifecycle;

/** What the provider's listings say of a node's instance. */
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
