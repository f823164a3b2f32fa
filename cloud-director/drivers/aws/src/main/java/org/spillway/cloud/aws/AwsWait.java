package org.spillway.cloud.aws;

import java.time.Duration;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;

/** Waits for the provider, for a bounded time. */
final class AwsWait {
    private AwsWait() {}

    /** Asked again and again until it holds. */
    interface Condition {
        boolean holds() throws CloudException;
    }

    /** @throws CloudException with {@code otherwise} when the time is over */
    static void until(Duration time, Duration poll, String otherwise, Condition condition) throws CloudException {
        long deadline = System.nanoTime() + time.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - deadline > 0) {
                throw new CloudException(
                        Reason.THROTTLED, otherwise + " after " + time.toSeconds() + " s; run it again");
            }
            try {
                Thread.sleep(poll);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new CloudException(Reason.THROTTLED, otherwise + ": interrupted", stop);
            }
        }
    }
}
