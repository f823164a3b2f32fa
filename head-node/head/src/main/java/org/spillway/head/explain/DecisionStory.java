package org.spillway.head.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.NodeView;
import org.spillway.policy.OfferingId;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** A decision in words: what it saw, what it did, what kept it from more. */
public final class DecisionStory {
    private static final int MOST_NAMED = 10;

    private DecisionStory() {}

    /** Facts that the decision depended on, one each. */
    public static List<String> saw(ClusterSnapshot snapshot) {
        List<String> facts = new ArrayList<>();
        long jobs = snapshot.demands().stream().mapToLong(Demand::jobs).sum();
        facts.add(count(jobs, "waiting job") + " in " + count(snapshot.demands().size(), "shape"));
        named(facts, snapshot.demands(), DecisionStory::demand, "shape");
        Map<NodeView.Phase, Long> phases = snapshot.nodes().stream()
                .collect(Collectors.groupingBy(NodeView::phase, TreeMap::new, Collectors.counting()));
        facts.add(
                phases.isEmpty()
                        ? "no nodes"
                        : "nodes: "
                                + phases.entrySet().stream()
                                        .map(one -> one.getValue() + " "
                                                + one.getKey().name().toLowerCase(java.util.Locale.ROOT))
                                        .collect(Collectors.joining(", ")));
        long out = snapshot.statuses().stream()
                .filter(status -> !status.mayLaunchAt(snapshot.now()))
                .count();
        facts.add(count(snapshot.offerings().size(), "offering") + ", " + out + " of them out for a while");
        facts.add("budget: " + snapshot.limits().budgetLeft() + " left");
        List<Limits.Limit> reached = snapshot.limits().scoped().stream()
                .filter(limit -> limit.left() == 0)
                .toList();
        named(facts, reached, DecisionStory::limit, "limit");
        named(facts, snapshot.breakers(), breaker -> "breaker open: " + breaker.reason(), "breaker");
        return facts;
    }

    private static String demand(Demand demand) {
        return demand.shape() + ": " + count(demand.jobs(), "job")
                + (demand.nodes() > 1 ? " of " + demand.nodes() + " nodes each" : "") + " since "
                + demand.oldestSubmit();
    }

    private static String limit(Limits.Limit limit) {
        return "limit of "
                + limit.scope().name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ') + " "
                + limit.name() + " is reached: " + limit.used() + " of " + limit.most() + " "
                + limit.unit().name().toLowerCase(java.util.Locale.ROOT);
    }

    private static <T> void named(List<String> facts, List<T> things, Function<T, String> text, String noun) {
        things.stream().limit(MOST_NAMED).map(text).forEach(facts::add);
        if (things.size() > MOST_NAMED) {
            facts.add("and " + count(things.size() - MOST_NAMED, "more " + noun));
        }
    }

    /** Steps that the decision took, in its order. */
    public static List<String> did(Plan plan) {
        return plan.steps().stream()
                .filter(step -> !(step instanceof Step.Hold))
                .map(DecisionStory::sentence)
                .toList();
    }

    private static String sentence(Step step) {
        return switch (step) {
            case Step.Launch launch ->
                "launch " + launch.count() + " x " + launch.offering() + behind(launch.behind()) + ", at most "
                        + launch.committed().plus(launch.behind().more()) + ": " + launch.reason();
            case Step.Release release -> "release " + release.node() + ": " + release.reason();
            case Step.Power power ->
                "power " + (power.on() ? "on " : "off ") + power.node()
                        + (power.on() ? ", at most " + power.committed() : "") + ": " + power.reason();
            case Step.Repurpose change ->
                "repurpose " + change.node() + " as "
                        + (change.category().isEmpty() ? "one without a category" : change.category()) + ", at most "
                        + change.committed() + ": " + change.reason();
            case Step.Overlay change ->
                (change.join() ? "join" : "leave") + " overlay " + change.overlay() + " on " + change.node() + ": "
                        + change.reason();
            case Step.Hold hold -> hold.reason();
        };
    }

    private static String behind(Step.Behind behind) {
        List<String> names = new ArrayList<>();
        named(names, behind.offerings(), OfferingId::toString, "offering");
        return names.isEmpty() ? "" : " or else " + String.join(", ", names);
    }

    /** Steps that the decision did not take, and why. */
    public static List<String> limits(Plan plan) {
        return plan.steps().stream()
                .filter(Step.Hold.class::isInstance)
                .map(Step.Hold.class::cast)
                .map(hold -> (hold.shape().isEmpty() ? "" : hold.shape() + ": ") + hold.reason())
                .toList();
    }

    private static String count(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
