package org.spillway.head.journal;

import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Told;

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
                EgressRecord {
    String kind();

    String id();

    /** Name of its state; a change of it becomes a line of the timeline. */
    String state();

    /** Why it is in that state, for a person; empty when nothing needs saying. */
    String reason();

    /** The same, for programs; words alone where a kind has no causes of its own. */
    default Cause cause() {
        return Told.of(reason());
    }

    /** Whether anything may still happen to it. */
    boolean isLive();
}
