package org.spillway.api;

import java.util.EnumSet;
import java.util.Set;

/** How far a cluster on demand is. */
public enum ClusterState {
    /** More is asked for than its owner may have without being asked: nothing is bought before somebody agrees. */
    WAITING_FOR_APPROVAL,
    REQUESTED,
    /** The cluster's stages follow one another; see {@link Stage}. */
    CREATING,
    RUNNING,
    /** The cluster's nodes are ended and its head is switched off; what its head knows stays on its disk. */
    STOPPING,
    /** The cluster takes no jobs and has no nodes. Its time and its budget go on. */
    STOPPED,
    /** The cluster comes back, by the same stages as when it was made. */
    STARTING,
    /** All that it owns is being removed, be it wanted, over, or because its creation failed. */
    DELETING,
    /** The cluster was deleted, and nothing of it was left in a whole listing. */
    DELETED,
    /** The cluster could not be made, and nothing of it was left in a whole listing. */
    FAILED,
    /** Nobody agreed to it: nothing was ever bought. */
    REJECTED;

    /** Stages between nothing, or a stopped cluster, and one that takes jobs, in this order. */
    public enum Stage {
        /** The machine of its head is bought, or switched on, and boots. */
        HEAD_INSTANCE,
        /** The head's distribution, its configuration and its secrets are brought there. */
        HEAD_INSTALL,
        /** The head is started and answers. */
        HEAD_START,
        /** Director and first nodes come up. */
        NODES,
        /** The cluster says itself that it takes jobs. */
        READY;

        public boolean isLast() {
            return this == READY;
        }

        /** The one behind it. @throws IllegalStateException for the last */
        public Stage following() {
            if (isLast()) {
                throw new IllegalStateException("nothing follows " + this);
            }
            return values()[ordinal() + 1];
        }

        /** As users read it, such as {@code head-install}. */
        public String text() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    public boolean isTerminal() {
        return this == DELETED || this == FAILED || this == REJECTED;
    }

    /** Whether {@link Stage stages} follow one another in it. */
    public boolean hasStages() {
        return this == CREATING || this == STARTING;
    }

    /** States that may follow this one; the journal refuses any other step. */
    public Set<ClusterState> next() {
        return switch (this) {
            case WAITING_FOR_APPROVAL -> EnumSet.of(REQUESTED, REJECTED, DELETED);
            case REQUESTED -> EnumSet.of(CREATING, DELETING);
            case CREATING -> EnumSet.of(RUNNING, DELETING);
            case RUNNING -> EnumSet.of(STOPPING, DELETING);
            case STOPPING -> EnumSet.of(STOPPED, DELETING);
            case STOPPED -> EnumSet.of(STARTING, DELETING);
            case STARTING -> EnumSet.of(RUNNING, STOPPING, DELETING);
            case DELETING -> EnumSet.of(DELETED, FAILED);
            case DELETED, FAILED, REJECTED -> EnumSet.noneOf(ClusterState.class);
        };
    }
}
