package org.spillway.cloud;

import java.util.List;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.OfferingId;

/**
 * Outcome of one call.
 *
 * @param outcome of the whole: {@code Launched} when all that was asked for exists, whatever it became
 * @param instances that the provider named; empty when refused or unknown
 * @param parts what the provider said of each offering, for those it said something of; empty when only one was asked for
 */
public record LaunchAnswer(LaunchOutcome outcome, List<Instance> instances, List<Part> parts) {
    public LaunchAnswer {
        instances = List.copyOf(instances);
        parts = List.copyOf(parts);
    }

    public LaunchAnswer(LaunchOutcome outcome, List<Instance> instances) {
        this(outcome, instances, List.of());
    }

    /** An offering's part of the outcome. */
    public record Part(OfferingId offering, LaunchOutcome outcome) {}
}
