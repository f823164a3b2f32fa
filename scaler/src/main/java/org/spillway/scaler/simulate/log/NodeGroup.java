package org.spillway.scaler.simulate.log;

import org.spillway.policy.Resources;

/**
 * Alike nodes at home.
 *
 * @param count 1 or more
 */
public record NodeGroup(String name, int count, Resources each) {
    public NodeGroup {
        if (count < 1) {
            throw new IllegalArgumentException("a group has at least one node: " + name);
        }
    }
}
