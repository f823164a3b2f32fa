package org.spillway.scaler.policyhost;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.spillway.policy.builtin.HouseRules;

/**
 * How policies from files are run.
 *
 * @param folder that they are dropped into; it need not be there
 * @param state file in which choices and history are kept, made with mode 600
 * @param configured name of the policy that decides unless another was enabled
 * @param texts settings of policies from files as the administrator wrote them, by the policy's name
 * @param rules that hold around each of them
 * @param fallback a built-in one, which decides when the other cannot
 * @param release of Spillway, as decisions are journalled with it
 * @param memoryMib heap of one child, 64 to 65536
 * @param deadline for one decision, of the policy's own time, 10 ms or more
 * @param strikes failures in a row that disable a policy for a while, 1 or more
 * @param poll how often the folder is looked at; a file counts when two looks find it the same
 */
public record PolicyHostSettings(
        Path folder,
        Path state,
        String configured,
        Map<String, Map<String, String>> texts,
        HouseRules rules,
        String fallback,
        String release,
        int memoryMib,
        Duration deadline,
        int strikes,
        Duration poll) {
    public PolicyHostSettings {
        Map<String, Map<String, String>> copy = new LinkedHashMap<>();
        texts.forEach((name, settings) -> copy.put(name, Map.copyOf(settings)));
        texts = Map.copyOf(copy);
    }

    /** Folder of the versions that passed, beside the state file. */
    Path kept() {
        return state.resolveSibling("policies");
    }

    /** With what a policy from a file is asked. */
    PluginSettings of(String policy) {
        return new PluginSettings(texts.getOrDefault(policy, Map.of()), rules);
    }
}
