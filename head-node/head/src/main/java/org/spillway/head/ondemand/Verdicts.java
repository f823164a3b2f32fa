package org.spillway.head.ondemand;

import java.io.IOException;
import org.spillway.cloud.CloudException;
import org.spillway.head.bootstrap.StepFailed;
import org.spillway.head.link.HostKeyRefused;
import org.spillway.policy.LaunchOutcome;

/** Which failures of a cluster's work say something about the cluster, and which only that somebody was not there. */
final class Verdicts {
    private Verdicts() {}

    /**
     * Whether a failure counts against the tries of a stage. A link that is cut, a machine that stands still, a provider
     * that is busy or whose name is not found do not: these pass, and the stage's own limit ends the wait for them.
     */
    static boolean counts(Exception failure) {
        return switch (failure) {
            case StepFailed said -> true;
            case HostKeyRefused impostor -> true;
            case CloudException refused -> refused.reason() != LaunchOutcome.Reason.THROTTLED;
            case IOException link -> false;
            default -> true;
        };
    }
}
