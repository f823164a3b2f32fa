package org.spillway.scaler.simulate;

import org.spillway.policy.ScalingPolicy;
import org.spillway.scaler.BoundPolicy;

/**
 * A policy with its settings.
 *
 * @param label as the reports name it
 */
public record PolicyChoice<S extends Record>(String label, ScalingPolicy<S> policy, S settings) {
    BoundPolicy<S> bound() {
        return new BoundPolicy<>(policy, settings);
    }
}
