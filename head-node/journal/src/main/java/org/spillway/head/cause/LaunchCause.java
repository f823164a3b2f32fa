package org.spillway.head.cause;

import org.spillway.policy.LaunchOutcome;

/** The outcome of a launch, beside {@link NodeCause.LaunchRefused}. */
public sealed interface LaunchCause extends Cause {
    /** The launch's end of which nothing more is to be said. */
    enum LaunchFact implements LaunchCause {
        ANSWER_LOST("the answer was lost, and nothing more appeared"),
        ANSWER_LOST_WITH_HEAD("its answer was lost with the head"),
        NOT_ALL_NAMED("not every instance was named"),
        CAME_LATE("an instance came late"),
        CLUSTER_REMOVED("the cluster is removed");

        private final String sentence;

        LaunchFact(String sentence) {
            this.sentence = sentence;
        }

        String sentence() {
            return sentence;
        }
    }

    /** Nobody knows what exists until a listing tells. @param said by the provider, or on the way to it */
    record LaunchUnknown(String said) implements LaunchCause {}

    /** Of a child's launch whose answer was lost. */
    record FewerSeen(int seen, int asked) implements LaunchCause {}

    /** Why not all that was asked for is there; none when it is. */
    static Cause of(LaunchOutcome outcome) {
        return switch (outcome) {
            case LaunchOutcome.Launched launched -> NONE;
            case LaunchOutcome.Refused(var reason, String message) -> new NodeCause.LaunchRefused(reason, message);
            case LaunchOutcome.Partial(int count, var reason, String message) ->
                new NodeCause.LaunchRefused(reason, message);
            case LaunchOutcome.Unknown(String message) -> new LaunchUnknown(message);
        };
    }
}
