package org.spillway.policy.builtin;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.policy.ScalingPolicy;

/** The policies that every head has. */
public final class BuiltInPolicies {
    private static final List<Entry> ALL = List.of(
            new Entry(new QueueDepthPolicy(), "buys at once for all that waits and finds no room"),
            new Entry(new AgePolicy(), "buys when enough jobs wait in a queue, and have waited for long enough"),
            new Entry(new DeadlinePolicy(), "buys at the last moment that keeps a deadline, the least laxity first"),
            new Entry(new CostFirstPolicy(), "the least of money and time: waits for home where that is worth it"),
            new Entry(new SpotThenOnDemandPolicy(), "climbs from spot to further types, on demand and further sites"),
            new Entry(new SchedulePolicy(), "keeps nodes ready while a window of the schedule is open"),
            new Entry(new BudgetCappedPolicy(), "as queue-depth, at the pace at which the budget lasts its period"),
            new Entry(new ChainPolicy(), "several policies: for each shape the first that wishes for nodes counts"));

    private BuiltInPolicies() {}

    /** @param description one line for {@code spillway policy list} */
    public record Entry(ScalingPolicy<?> policy, String description) {}

    /** All of them, the simplest first. */
    public static List<Entry> all() {
        return ALL;
    }

    /** As {@link #all}, by name. */
    public static Map<String, ScalingPolicy<?>> byName() {
        Map<String, ScalingPolicy<?>> policies = new LinkedHashMap<>();
        ALL.forEach(entry -> policies.put(entry.policy().name(), entry.policy()));
        return Collections.unmodifiableMap(policies);
    }

    /** @param name of one, or several joined by {@code +} for a chain of them with their default settings */
    public static Optional<Entry> find(String name) {
        if (name.contains("+")) {
            return chain(List.of(name.split("\\+", -1)));
        }
        return ALL.stream().filter(entry -> entry.policy().name().equals(name)).findFirst();
    }

    private static Optional<Entry> chain(List<String> names) {
        return names.stream().allMatch(name -> find(name).isPresent())
                ? Optional.of(new Entry(new ChainPolicy(names), "a chain of " + String.join(", ", names)))
                : Optional.empty();
    }
}
