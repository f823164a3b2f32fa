package org.spillway.cloud;

import java.util.List;
import org.spillway.policy.LaunchOutcome;

/** An outcome with the instances that the provider named; empty when refused or unknown. */
public record LaunchAnswer(LaunchOutcome outcome, List<Instance> instances) {
    public LaunchAnswer {
        instances = List.copyOf(instances);
    }
}
