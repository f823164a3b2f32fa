package org.spillway.head.ondemand;

import org.spillway.api.ClusterState;
import org.spillway.api.ClusterState.Stage;

/**
 * The life of a cluster on demand: what follows from what is known. Pure and total. The rules it keeps, whatever comes
 * in: a cluster that is to go goes, from every state; it has ended only when nothing of it was left in a whole listing;
 * one that could not be made is removed like any other before it says so; one that could not be started is stopped again,
 * with all that it has, and so is one whose head's machine went off or away while it ran.
 */
public final class ClusterTable {
    private ClusterTable() {}

    /** Progress of the work of the cluster's state and stage. */
    public enum Progress {
        NOTHING_YET,
        DONE,
        FAILED
    }

    /** Where it goes now. */
    public enum Move {
        STAY,
        /** To the next stage; behind the last one it runs. From STOPPING to STOPPED. */
        ADVANCE,
        /** The cluster's creation failed: all of it is removed. */
        FAIL,
        /** The cluster's start failed, or its head's machine is not there any more: it is stopped. */
        STOP_AGAIN,
        /** Nobody agreed to it in time, or nobody can any more. */
        REJECT,
        /** All of it is removed. */
        DELETE,
        /** Nothing of it is left. */
        END
    }

    /** Acts that are done meanwhile; each may be begun again after a crash. */
    public enum Act {
        NONE,
        /** The site has no places for its nodes yet: nothing is bought. */
        AWAIT_ROOM,
        BUY,
        SWITCH_ON,
        INSTALL,
        START,
        AWAIT_NODES,
        CHECK,
        KEEP,
        SWITCH_OFF,
        /** The head's machine is seen to stay off. */
        REST,
        REMOVE
    }

    public record Verdict(Move move, Act act) {}

    /**
     * @param stage of a cluster that is CREATING or STARTING; of no meaning otherwise
     * @param unwanted whether it is to go: deleted, over its time, its budget, or its parent ends; of one that waits for
     *     approval, whether it has waited too long
     * @param progress of the work of its stage, of its stop, or of its removal
     * @param late whether its stage has taken longer than it may
     */
    public static Verdict verdict(ClusterState state, Stage stage, boolean unwanted, Progress progress, boolean late) {
        return switch (state) {
            case WAITING_FOR_APPROVAL -> move(unwanted ? Move.REJECT : Move.STAY);
            case REQUESTED -> {
                if (unwanted) {
                    yield move(Move.DELETE);
                }
                yield progress == Progress.DONE ? move(Move.ADVANCE) : new Verdict(Move.STAY, Act.AWAIT_ROOM);
            }
            case CREATING, STARTING -> coming(state, stage, unwanted, progress, late);
            case RUNNING -> {
                if (unwanted) {
                    yield move(Move.DELETE);
                }
                yield progress == Progress.FAILED ? move(Move.STOP_AGAIN) : new Verdict(Move.STAY, Act.KEEP);
            }
            case STOPPING -> {
                if (unwanted) {
                    yield move(Move.DELETE);
                }
                yield progress == Progress.DONE ? move(Move.ADVANCE) : new Verdict(Move.STAY, Act.SWITCH_OFF);
            }
            case STOPPED -> unwanted ? move(Move.DELETE) : new Verdict(Move.STAY, Act.REST);
            case DELETING -> progress == Progress.DONE ? move(Move.END) : new Verdict(Move.STAY, Act.REMOVE);
            case DELETED, FAILED, REJECTED -> move(Move.STAY);
        };
    }

    private static Verdict coming(ClusterState state, Stage stage, boolean unwanted, Progress progress, boolean late) {
        if (unwanted) {
            return move(Move.DELETE);
        }
        boolean made = state == ClusterState.STARTING;
        Move failed = made ? Move.STOP_AGAIN : Move.FAIL;
        return switch (progress) {
            case DONE -> move(Move.ADVANCE);
            case FAILED -> move(failed);
            case NOTHING_YET -> late ? move(failed) : new Verdict(Move.STAY, act(made, stage));
        };
    }

    private static Act act(boolean made, Stage stage) {
        return switch (stage) {
            case HEAD_INSTANCE -> made ? Act.SWITCH_ON : Act.BUY;
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
