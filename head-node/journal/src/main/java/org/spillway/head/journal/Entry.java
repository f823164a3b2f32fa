package org.spillway.head.journal;

import org.spillway.head.cause.Cause;

/** A thing that the journal keeps, whole, under its kind and id; a later one replaces it. */
public sealed interface Entry
        permits JobRecord,
                NodeRecord,
                IntentRecord,
                LaunchEntry,
                DecisionEntry,
                OutcomeEntry,
                BreakerEntry,
                ClusterRecord,
                DelegatedRecord,
                NoticeRecord,
                EgressRecord,
                RecoveryRecord,
                StageRecord,
                RolloutRecord {
    String kind();

    String id();

    /** Name of its state; a change of it becomes a line of the timeline. */
    String state();

    /** Why it is in that state; none when nothing needs saying. */
    Cause cause();

    /** The same, for a person. */
    default String reason() {
        return cause().text();
    }

    /** Whether anything may still happen to it. */
    boolean isLive();
}
