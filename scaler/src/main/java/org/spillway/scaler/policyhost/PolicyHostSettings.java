package org.spillway.scaler.policyhost;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * How policies from files are run.
 *
 * @param folder that they are dropped into; it need not be there
 * @param state file in which choices and history are kept, made with mode 600
 * @param configured name of the policy that decides unless another was enabled
 * @param texts its settings as the administrator wrote them, when it comes from a file
 * @param fallback a built-in one, which decides when the other cannot
 * @param release of Spillway, as decisions are journalled with it
 * @param memoryMib heap of one child, 64 to 65536
 * @param deadline for one decision, 10 ms or more; the head's loop never waits longer
 * @param strikes failures in a row that disable a policy, 1 or more
 * @param poll how often the folder is looked at; a file counts when two looks find it the same
 */
public record PolicyHostSettings(
        Path folder,
        Path state,
        String configured,
        Map<String, String> texts,
        String fallback,
        String release,
        int memoryMib,
        Duration deadline,
        int strikes,
        Duration poll) {
    public PolicyHostSettings {
        texts = Map.copyOf(texts);
    }
}
