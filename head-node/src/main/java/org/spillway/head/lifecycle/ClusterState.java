package org.spillway.head.lifecycle;

import java.util.EnumSet;
import java.util.Set;

/** How far a cluster on demand is. */
public enum ClusterState {
    REQUESTED,
    /** Its stages follow one another; see {@link Stage}. */
    CREATING,
    RUNNING,
    /** All that it owns is being removed, be it wanted, over, or because its creation failed. */
    DELETING,
    /** It was deleted, and nothing of it was left in a whole listing. */
    DELETED,
    /** It could not be made, and nothing of it was left in a whole listing. */
    FAILED;

    /** What is done between nothing and a cluster that takes jobs, in this order. */
    public enum Stage {
        /** The machine of its head is bought and boots. */
        HEAD_INSTANCE,
        /** The head's distribution, its configuration and its secrets are brought there. */
        HEAD_INSTALL,
        /** The head is started and answers. */
        HEAD_START,
        /** Director and first nodes come up. */
        NODES,
        /** It says itself that it takes jobs. */
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
        return this == DELETED || this == FAILED;
    }

    /** States that may follow this one; the journal refuses any other step. */
    public Set<ClusterState> next() {
        return switch (this) {
            case REQUESTED -> EnumSet.of(CREATING, DELETING);
            case CREATING -> EnumSet.of(RUNNING, DELETING);
            case RUNNING -> EnumSet.of(DELETING);
            case DELETING -> EnumSet.of(DELETED, FAILED);
            case DELETED, FAILED -> EnumSet.noneOf(ClusterState.class);
        };
    }
}
