package org.spillway.head.loop.jobs;

import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.Reclaimed;

/** The next step for what an attempt has left whose node was taken back, or lost. */
enum CheckpointStep {
    /** Nothing is to be done now. */
    REST,
    /** Made into bundles of what came home in rounds. */
    GATHER,
    /** From the only region that has it, home. */
    BRING,
    /** From home to the region that the job is bound to. */
    SEND,
    /** The checkpoint is on its way, or cannot be asked for just now. */
    WAIT,
    /** Home does not take it, and it is of use where it is. */
    STAY,
    /** The checkpoint cannot be had any more: the next attempt begins anew. */
    FORGET;

    /**
     * The facts of a job's checkpoint.
     *
     * @param bound the job's site
     * @param here the store of that site's director; null while it cannot be reached
     * @param there the store of the director where the checkpoint is; null while that cannot be reached
     * @param isThereGone no director of that site is left
     * @param waits the job has no nodes
     * @param isFree letting it out of its region costs nothing
     * @param isEnding that region is about to go
     * @param isLate it could not be had for too long
     * @param comes a round is on its way to its places
     */
    record Facts(
            String bound,
            @Nullable String here,
            @Nullable String there,
            boolean isThereGone,
            boolean waits,
            boolean isFree,
            boolean isEnding,
            boolean isLate,
            boolean comes) {}

    /** Pure. */
    static CheckpointStep of(Reclaimed left, Facts facts) {
        if (!left.isLeft()) {
            return REST;
        }
        boolean inPlace = left.site().equals(facts.bound) && left.store().equals(facts.here);
        return switch (left.way()) {
            case ROUNDS -> facts.isLate ? FORGET : facts.comes ? WAIT : GATHER;
            case STAYS -> inPlace || !facts.waits || facts.here == null ? REST : FORGET;
            case HOME -> inPlace || !facts.waits || facts.here == null ? REST : facts.isLate ? FORGET : SEND;
            case REGION -> {
                boolean wanted = facts.isFree || facts.isEnding || !left.site().equals(facts.bound);
                if (!wanted && (inPlace || facts.here == null)) {
                    yield REST;
                }
                boolean lost = facts.isThereGone
                        || facts.isLate
                        || (facts.there != null && !left.store().equals(facts.there));
                if (lost) {
                    yield inPlace ? STAY : FORGET;
                }
                yield facts.there == null ? WAIT : BRING;
            }
        };
    }
}
