package org.spillway.head.ondemand;

import org.spillway.head.lifecycle.ClusterState;
import org.spillway.head.lifecycle.ClusterState.Stage;

/**
 * The life of a cluster on demand: what follows from what is known. Pure and total. The rules it keeps, whatever comes
 * in: a cluster that is to go goes, from every state; it has ended only when nothing of it was left in a whole listing;
 * one that could not be made is removed like any other before it says so.
 */
public final class ClusterTable {
    private ClusterTable() {}

    /** What has come of the work of its state and stage. */
    public enum Progress {
        NOTHING_YET,
        DONE,
        FAILED
    }

    /** Where it goes now. */
    public enum Move {
        STAY,
        /** To the next stage; behind the last one it runs. */
        ADVANCE,
        /** Its creation failed: all of it is removed. */
        FAIL,
        /** All of it is removed. */
        DELETE,
        /** Nothing of it is left. */
        END
    }

    /** What is done meanwhile; each may be begun again after a crash. */
    public enum Act {
        NONE,
        BUY,
        INSTALL,
        START,
        AWAIT_NODES,
        CHECK,
        KEEP,
        REMOVE
    }

    public record Verdict(Move move, Act act) {}

    /**
     * @param stage of a cluster that is CREATING; of no meaning otherwise
     * @param unwanted whether it is to go: deleted, over its time, its budget, or its parent ends
     * @param progress of the work of its stage, or of its removal
     * @param late whether its stage has taken longer than it may
     */
    public static Verdict verdict(ClusterState state, Stage stage, boolean unwanted, Progress progress, boolean late) {
        return switch (state) {
            case REQUESTED -> move(unwanted ? Move.DELETE : Move.ADVANCE);
            case CREATING -> creating(stage, unwanted, progress, late);
            case RUNNING -> unwanted ? move(Move.DELETE) : new Verdict(Move.STAY, Act.KEEP);
            case DELETING -> progress == Progress.DONE ? move(Move.END) : new Verdict(Move.STAY, Act.REMOVE);
            case DELETED, FAILED -> move(Move.STAY);
        };
    }

    private static Verdict creating(Stage stage, boolean unwanted, Progress progress, boolean late) {
        if (unwanted) {
            return move(Move.DELETE);
        }
        return switch (progress) {
            case DONE -> move(Move.ADVANCE);
            case FAILED -> move(Move.FAIL);
            case NOTHING_YET -> late ? move(Move.FAIL) : new Verdict(Move.STAY, act(stage));
        };
    }

    private static Act act(Stage stage) {
        return switch (stage) {
            case HEAD_INSTANCE -> Act.BUY;
            case HEAD_INSTALL -> Act.INSTALL;
            case HEAD_START -> Act.START;
            case NODES -> Act.AWAIT_NODES;
            case READY -> Act.CHECK;
        };
    }

    private static Verdict move(Move move) {
        return new Verdict(move, Act.NONE);
    }
}
