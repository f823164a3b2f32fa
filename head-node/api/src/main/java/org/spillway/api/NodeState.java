package org.spillway.api;

import java.util.EnumSet;
import java.util.Set;

/** States of a node, and of a director, which is a node with another role. */
public enum NodeState {
    /** Decided. */
    REQUESTED,
    /** The provider was called, or is about to be. */
    LAUNCHING,
    /** The provider has named an instance. */
    BOOTING,
    /** The node answers and is being installed. */
    PROVISIONING,
    /** Installed; the admission gate or the first sync is awaited. */
    JOINING,
    READY,
    DRAINING,
    STOPPING,
    STOPPED,
    TERMINATING,
    TERMINATED,
    /** Not heard from; its lease is not renewed any more. */
    UNREACHABLE,
    /** The provider takes it back. */
    RECLAIMING,
    /** Out of service, until it has passed its gate as what it is to be now. */
    REPURPOSING,
    /** Ended with a cause, and nothing is left of it. */
    FAILED;

    public boolean isTerminal() {
        return this == TERMINATED || this == FAILED;
    }

    /** Whether an instance may exist for it, so that money may be running. */
    public boolean mayCost() {
        return !isTerminal() && this != REQUESTED;
    }

    /** States that may follow this one; the journal refuses any other step. */
    public Set<NodeState> next() {
        return switch (this) {
            case REQUESTED -> EnumSet.of(LAUNCHING, FAILED, TERMINATED);
            case LAUNCHING -> EnumSet.of(BOOTING, TERMINATING, FAILED);
            case BOOTING -> EnumSet.of(PROVISIONING, JOINING, TERMINATING, FAILED, STOPPING, UNREACHABLE);
            case PROVISIONING -> EnumSet.of(JOINING, TERMINATING, FAILED, UNREACHABLE);
            case JOINING -> EnumSet.of(READY, PROVISIONING, TERMINATING, FAILED, UNREACHABLE);
            case READY -> EnumSet.of(DRAINING, UNREACHABLE, RECLAIMING, REPURPOSING, TERMINATING, FAILED, PROVISIONING);
            case DRAINING ->
                EnumSet.of(READY, STOPPING, TERMINATING, REPURPOSING, UNREACHABLE, RECLAIMING, FAILED, PROVISIONING);
            case STOPPING -> EnumSet.of(STOPPED, TERMINATING, FAILED);
            case STOPPED -> EnumSet.of(BOOTING, TERMINATING, FAILED);
            case RECLAIMING -> EnumSet.of(TERMINATING, UNREACHABLE, FAILED);
            case REPURPOSING -> EnumSet.of(READY, TERMINATING, UNREACHABLE, FAILED);
            case UNREACHABLE -> EnumSet.of(TERMINATING, FAILED);
            case TERMINATING -> EnumSet.of(TERMINATED, FAILED);
            case TERMINATED, FAILED -> EnumSet.noneOf(NodeState.class);
        };
    }
}
