package org.spillway.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How an offering is doing, folded from the launches so far.
 *
 * @param notBefore when it may be asked again; null when it may be asked now
 * @param launchBudget how many instances may be asked of it in this tick; 1 after a shortage, doubled by each success
 * @param bootEstimate from the launch call to a node that can take a job
 * @param reason why it may not be asked, or for no more than its launch budget; empty when it may
 * @param reclaimsPerHour how often the provider takes back one running instance of it, in an hour; 0 or more, 0 when never seen
 */
public record OfferingStatus(
        OfferingId id,
        @Nullable Instant notBefore,
        int launchBudget,
        Duration bootEstimate,
        String reason,
        double reclaimsPerHour) {
    public OfferingStatus {
        if (!(reclaimsPerHour >= 0)) {
            throw new IllegalArgumentException("reclaimsPerHour is not 0 or more: " + reclaimsPerHour);
        }
        if (launchBudget < 0) {
            throw new IllegalArgumentException("launchBudget is negative: " + launchBudget);
        }
    }

    public boolean mayLaunchAt(Instant now) {
        return launchBudget > 0 && retryAt().map(at -> !now.isBefore(at)).orElse(true);
    }

    public Optional<Instant> retryAt() {
        return Optional.ofNullable(notBefore);
    }
}
