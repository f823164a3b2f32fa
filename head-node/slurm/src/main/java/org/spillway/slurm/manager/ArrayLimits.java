package org.spillway.slurm.manager;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.spillway.slurm.manager.JobBook.Item;

/** Tasks of arrays beyond what their users let run at once ({@code --array=1-1000%10}): nothing is bought for them. Pure. */
final class ArrayLimits {
    private ArrayLimits() {}

    /**
     * @param throttle of a task's array, as far as it is known of this task
     * @param waits whether nodes would help a task
     * @return the numbers of those that have to wait for others of their array
     */
    static Set<String> beyond(List<Item> items, Function<Item, Optional<Integer>> throttle, Predicate<Item> waits) {
        Map<Long, Integer> left = new HashMap<>();
        for (Item item : items) {
            throttle.apply(item).ifPresent(most -> left.merge(item.row().array(), most, Math::min));
        }
        if (left.isEmpty()) {
            return Set.of();
        }
        List<Item> waiting = new ArrayList<>();
        for (Item item : items) {
            if (!left.containsKey(item.row().array())) {
                continue;
            }
            if (isActive(item.row())) {
                left.merge(item.row().array(), -1, Integer::sum);
            } else if (item.row().isPending() && waits.test(item)) {
                waiting.add(item);
            }
        }
        // Tasks that have an id of their own have run already, or have been asked for their data.
        waiting.sort(Comparator.comparing((Item item) -> item.target().indexOf('_') >= 0)
                .thenComparingInt(Item::index));
        Set<String> beyond = new HashSet<>();
        for (Item item : waiting) {
            if (left.merge(item.row().array(), -1, Integer::sum) < 0) {
                beyond.add(item.number());
            }
        }
        return beyond;
    }

    private static boolean isActive(SlurmJob row) {
        return switch (row.state()) {
            case "R", "CF", "CG", "S", "SI", "ST", "RS" -> true;
            default -> false;
        };
    }
}
