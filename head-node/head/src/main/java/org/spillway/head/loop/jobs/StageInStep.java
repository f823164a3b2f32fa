package org.spillway.head.loop.jobs;

import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRecord;

/** The next step in bringing a job's input to its site. */
sealed interface StageInStep {
    /** Something has to come first. */
    record Wait(Cause why) implements StageInStep {}

    /** The copy is under way, or was tried a moment ago: nothing new is known. */
    record Rest() implements StageInStep {}

    /** The input may never be there. @param sentence for its user */
    record Refuse(String sentence) implements StageInStep {}

    /** @param alike a job that has brought the same input; null for none */
    record Begin(@Nullable JobRecord alike) implements StageInStep {}

    /** Asked for in this order and no further than needed: some take a look at every job. */
    interface Facts {
        /** None when its director can be sent something. */
        Cause directorObstacle();

        /** Whether its copy, or the removal of what lies there, has begun. */
        boolean isUnderWay();

        /** Whether another task of its array brings it. */
        boolean isBroughtByAnother();

        /** Whether its user and its site have a copy less than they may. */
        boolean hasTurn();

        boolean wasTriedJustNow();

        @Nullable
        JobRecord alike();

        StagingQuota.Verdict room();
    }

    /** Pure. */
    static StageInStep of(String site, Facts facts) {
        Cause obstacle = facts.directorObstacle();
        if (!obstacle.isNone()) {
            return new Wait(obstacle);
        }
        if (facts.isUnderWay()) {
            return new Rest();
        }
        if (facts.isBroughtByAnother()) {
            return new Wait(new WaitCause.InputOnTheWay(site, true));
        }
        if (!facts.hasTurn()) {
            return new Wait(new WaitCause.InputInTurn(site));
        }
        if (facts.wasTriedJustNow()) {
            return new Rest();
        }
        JobRecord alike = facts.alike();
        if (alike != null) {
            // A bundle that is there already takes no more room.
            return new Begin(alike);
        }
        return switch (facts.room()) {
            case StagingQuota.Verdict.Room room -> new Begin(null);
            case StagingQuota.Verdict.Wait(Cause why) -> new Wait(why);
            case StagingQuota.Verdict.TooMuch(String sentence) -> new Refuse(sentence);
        };
    }
}
