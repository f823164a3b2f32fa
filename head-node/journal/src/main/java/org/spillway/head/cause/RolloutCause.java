package org.spillway.head.cause;

import java.util.List;

/** Why a rollout of an image's version is in its phase, or a node failed in it. */
public sealed interface RolloutCause extends Cause {
    /** A reason that needs no parameters. */
    enum RolloutFact implements RolloutCause {
        IMAGE_MOVED("the configuration names another version"),
        CANARY_PASSED("the canary has passed"),
        ALL_RENEWED("all nodes have it"),
        ALL_BACK("all nodes have the former version");

        private final String sentence;

        RolloutFact(String sentence) {
            this.sentence = sentence;
        }

        String sentence() {
            return sentence;
        }
    }

    /** An administrator's word. */
    enum Order {
        BEGIN,
        PAUSE,
        RESUME,
        ABORT,
        ROLLBACK
    }

    /** @param user an administrator */
    record Ordered(Order order, String user) implements RolloutCause {}

    /** @param failed so many nodes; {@code why} of the last of them, {@code node} */
    record NodesFailed(int failed, int allowed, String node, Cause why) implements RolloutCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param jobs so many that the node would not begin in the version */
    record JobsRefused(int jobs) implements RolloutCause {}

    static String text(RolloutCause cause) {
        return switch (cause) {
            case RolloutFact fact -> fact.sentence();
            case Ordered(Order order, String user) ->
                switch (order) {
                            case BEGIN -> "begun";
                            case PAUSE -> "paused";
                            case RESUME -> "resumed";
                            case ABORT -> "aborted";
                            case ROLLBACK -> "rolled back";
                        }
                        + " by " + user;
            case NodesFailed(int failed, int allowed, String node, Cause why) ->
                failed + (failed == 1 ? " node" : " nodes") + " failed in it, " + allowed + " may; " + node + ": "
                        + why.text();
            case JobsRefused(int jobs) -> jobs + " jobs could not begin on it";
        };
    }
}
