package org.spillway.cloud.fleet;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one site so far, as far as something may still follow from them. A head that starts again has none and begins
 * anew: everything takes a little longer then.
 *
 * @param lapses by the instance's id
 * @param strays when a listing first showed what no live node owns, by the instance's id
 * @param missed when a whole listing first lacked what a launch without an answer may have made, by its intent
 * @param buried nodes that were declared gone, by the instance's id: should it appear again
 */
public record FleetMemory(
        Map<String, Lapse> lapses,
        Map<String, Instant> strays,
        Map<String, Instant> missed,
        Map<String, String> buried) {
    public static final FleetMemory NONE = new FleetMemory(Map.of(), Map.of(), Map.of(), Map.of());

    /** The latest of the buried are kept. */
    static final int MOST_BURIED = 10_000;

    public FleetMemory {
        lapses = Map.copyOf(lapses);
        strays = Map.copyOf(strays);
        missed = Map.copyOf(missed);
        buried = Map.copyOf(buried);
    }

    public @Nullable Lapse lapse(String instance) {
        return lapses.get(instance);
    }

    /** Whether two kinds of look agree that the instance is not as it should be. */
    public boolean isProven(String instance, FleetRules rules) {
        Lapse lapse = lapses.get(instance);
        return lapse != null && lapse.isProven(rules);
    }

    /** Whether the provider, asked by id, shows the instance as it should be, against the listing. */
    public boolean isRefuted(String instance) {
        Lapse lapse = lapses.get(instance);
        return lapse != null && lapse.isRefuted();
    }

    /** Whether something may soon follow, so that the next look should not wait long. */
    public boolean isPending() {
        return !strays.isEmpty()
                || !missed.isEmpty()
                || lapses.values().stream().anyMatch(lapse -> !lapse.isRefuted());
    }
}
