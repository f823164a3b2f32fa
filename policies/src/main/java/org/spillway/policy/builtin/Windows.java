package org.spillway.policy.builtin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.ScheduleWindow;
import org.spillway.policy.Wish;

/** Wishes of a schedule's open windows. Overlapping ones are each served by the same nodes. */
final class Windows {
    private Windows() {}

    /** Ids of the nodes that the open windows are served by: busy ones first. */
    static Set<String> serving(ClusterSnapshot now) {
        Set<String> serving = new HashSet<>();
        for (ScheduleWindow window : now.windows()) {
            ScheduleWindow.Warm warm = window.warm();
            if (warm != null) {
                there(now, warm).limit(warm.nodes()).map(NodeView::id).forEach(serving::add);
            }
        }
        return serving;
    }

    private static Stream<NodeView> there(ClusterSnapshot now, ScheduleWindow.Warm warm) {
        return now.nodes().stream()
                .filter(node -> switch (node.phase()) {
                    case IDLE, IN_FLIGHT, ALLOCATED -> true;
                    case DRAINING, STOPPED -> false;
                })
                .filter(node -> {
                    OfferingId offering = node.offering();
                    return offering != null && warm.matches(offering);
                })
                .sorted(Comparator.comparing((NodeView node) -> node.phase() != NodeView.Phase.ALLOCATED)
                        .thenComparing(NodeView::id));
    }

    /** A wish for each window that lacks nodes, the windows that close first before others. */
    static List<Wish> missing(ClusterSnapshot now, List<Offering> usable, int mostNodes) {
        List<Wish> wishes = new ArrayList<>();
        List<Wish.Provision> made = new ArrayList<>();
        int left = mostNodes;
        List<ScheduleWindow> inOrder = now.windows().stream()
                .filter(window -> window.warm() != null)
                .sorted(Comparator.comparing(ScheduleWindow::closes).thenComparing(ScheduleWindow::name))
                .toList();
        for (ScheduleWindow window : inOrder) {
            ScheduleWindow.Warm warm = Objects.requireNonNull(window.warm());
            List<OfferingId> offerings = usable.stream()
                    .filter(offering -> warm.matches(offering.id()))
                    .sorted(Offering.CHEAPEST_FIRST)
                    .map(Offering::id)
                    .toList();
            long coming = made.stream()
                    .filter(wish -> wish.offerings().stream().allMatch(warm::matches))
                    .mapToLong(Wish.Provision::count)
                    .sum();
            int count = (int) Math.min(left, warm.nodes() - there(now, warm).count() - coming);
            if (count > 0 && !offerings.isEmpty()) {
                Wish.Provision wish = new Wish.Provision(
                        List.of(), offerings, count, "window " + window.name() + " is open until " + window.closes());
                made.add(wish);
                wishes.add(wish);
                left -= count;
            }
        }
        return wishes;
    }
}
