package org.spillway.head.rollout;

import java.time.Instant;
import org.spillway.head.cause.Cause;

/**
 * A node that a rollout has given the new version.
 *
 * @param batch in which it was; 0 for one that came up with the version
 * @param since when it came to its stage
 * @param cause of a failure; none otherwise
 */
public record Member(String node, int batch, Stage stage, Instant since, Cause cause) {
    /** How far the node has come. */
    public enum Stage {
        /** The node is told; it drains, changes or boots. */
        TURNING,
        /** The node attests the version, and is to stay well for a while. */
        SOAKING,
        PASSED,
        /** The node failed in the version. */
        FAILED,
        /** The node is told to have the former version again. */
        BACK
    }

    Member to(Stage next, Instant now, Cause why) {
        return new Member(node, batch, next, now, why);
    }
}
