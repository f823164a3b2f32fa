package org.spillway.scaler.policyhost;

import java.util.Map;
import org.spillway.policy.builtin.HouseRules;

/**
 * All that a policy from a file decides by, besides its version.
 *
 * @param texts as its administrator wrote them, by key; what is missing has the policy's default
 * @param rules that hold around it
 */
public record PluginSettings(Map<String, String> texts, HouseRules rules) {
    /** None are written. */
    public static final PluginSettings NONE = new PluginSettings(Map.of(), HouseRules.NONE);

    public PluginSettings {
        texts = Map.copyOf(texts);
        // A decision of an earlier release was made without them.
        rules = rules == null ? HouseRules.NONE : rules;
    }
}
