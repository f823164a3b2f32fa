package org.spillway.policy.builtin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.NodeView;
import org.spillway.policy.Wish;

/**
 * The rules of the house around a decision, whoever makes it. Nodes that the rules and the open windows keep are shown to
 * the policy as kept, and stay whatever it says; demands are shown with the sites that the rules allow; and what it wishes
 * for is put into the order of the rules. Pure.
 */
public final class HouseRuling {
    private final HouseRules rules;

    public HouseRuling(HouseRules rules) {
        this.rules = rules;
    }

    /** The snapshot as the policy is to see it. */
    public ClusterSnapshot seen(ClusterSnapshot now) {
        Set<String> kept = kept(now);
        if (kept.isEmpty() && rules.mixLocations()) {
            return now;
        }
        List<NodeView> nodes = now.nodes().stream()
                .map(node -> kept.contains(node.id()) ? Snapshots.kept(node) : node)
                .toList();
        return Snapshots.with(now, rules.mixLocations() ? now.demands() : inOneSite(now), nodes);
    }

    /** The policy's wishes as the rules leave them, in the order of the rules. */
    public List<Wish> ruled(ClusterSnapshot now, List<Wish> answer) {
        Set<String> kept = kept(now);
        List<Wish> wishes = new ArrayList<>();
        for (Wish wish : answer) {
            if (wish instanceof Wish.Release release) {
                List<String> free = release.nodes().stream()
                        .filter(node -> !kept.contains(node))
                        .toList();
                if (!free.isEmpty()) {
                    wishes.add(new Wish.Release(free, release.reason()));
                }
            } else {
                wishes.add(wish);
            }
        }
        if (rules.orders()) {
            order(now, wishes);
        }
        return wishes;
    }

    private Set<String> kept(ClusterSnapshot now) {
        Set<String> kept = new HashSet<>(Windows.serving(now));
        Set<String> names = rules.nodes();
        Set<String> sites = rules.sites();
        for (NodeView node : now.nodes()) {
            if (names.contains(node.id()) || sites.contains(node.site()) || !quantumEnds(node, now.now())) {
                kept.add(node.id());
            }
        }
        rules.running()
                .forEach((site, count) -> now.nodes().stream()
                        .filter(node -> node.offering() != null && node.site().equals(site) && lives(node))
                        .sorted(Comparator.comparing((NodeView node) -> node.phase() != NodeView.Phase.ALLOCATED)
                                .thenComparing(NodeView::id))
                        .limit(count)
                        .map(NodeView::id)
                        .forEach(kept::add));
        return kept;
    }

    private static boolean lives(NodeView node) {
        return switch (node.phase()) {
            case IDLE, IN_FLIGHT, ALLOCATED -> true;
            case DRAINING, STOPPED -> false;
        };
    }

    /** A node of which nobody knows since when it is billed does not wait. */
    private boolean quantumEnds(NodeView node, Instant now) {
        Instant from = node.duty().billedFrom();
        if (rules.wholeTime().isZero() || from == null || from.isAfter(now)) {
            return true;
        }
        long quantum = Math.max(1, rules.wholeTime().toMillis());
        long into = Duration.between(from, now).toMillis() % quantum;
        return quantum - into <= rules.stoppingAllowance().toMillis();
    }

    /** All demands of a queue in the one site that has most nodes of those that they share, else in the first preferred. */
    private static List<Demand> inOneSite(ClusterSnapshot now) {
        Map<String, Long> nodes = now.nodes().stream()
                .filter(HouseRuling::lives)
                .filter(node -> node.offering() != null)
                .collect(Collectors.groupingBy(NodeView::site, Collectors.counting()));
        Map<String, List<String>> common = new HashMap<>();
        now.demands()
                .forEach(demand -> common.merge(
                        demand.queue(),
                        demand.sites(),
                        (a, b) -> a.stream().filter(b::contains).toList()));
        List<Demand> demands = new ArrayList<>();
        for (Demand demand : now.demands()) {
            List<String> sites = common.getOrDefault(demand.queue(), List.of());
            List<String> choice = sites.isEmpty() ? demand.sites() : sites;
            demands.add(
                    choice.isEmpty()
                            ? demand
                            : demand.in(List.of(choice.stream()
                                    .max(Comparator.comparing((String site) -> nodes.getOrDefault(site, 0L))
                                            .thenComparing(site -> -choice.indexOf(site)))
                                    .orElseThrow())));
        }
        return demands;
    }

    /** Only wishes for nodes change places, and those of one shape keep their order. */
    private void order(ClusterSnapshot now, List<Wish> wishes) {
        Map<String, Long> queues = rules.priorities();
        Map<String, Long> priorities = new HashMap<>();
        now.demands().forEach(demand -> priorities.put(demand.shape(), priority(demand, now.now(), queues)));
        wishes.sort(Comparator.comparing((Wish wish) -> wish instanceof Wish.Provision provision
                ? -provision.shapes().stream()
                        .mapToLong(shape -> priorities.getOrDefault(shape, 0L))
                        .max()
                        .orElse(Long.MAX_VALUE)
                : Long.MAX_VALUE));
    }

    private long priority(Demand demand, Instant now, Map<String, Long> queues) {
        long seconds = Math.max(0, Duration.between(demand.oldestSubmit(), now).toSeconds());
        long external = Math.clamp(demand.terms().priority(), -(1L << 40), 1L << 40);
        return rules.ageFactor() * Math.min(seconds, 1L << 40)
                + rules.externalPriorityFactor() * external
                + rules.engineFactor() * queues.getOrDefault(demand.queue(), 0L);
    }
}
