package org.spillway.head.service;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException;
import org.spillway.api.NodeExplainView;
import org.spillway.api.NodeLogsView;
import org.spillway.api.NodePageView;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.OutcomeEntry;
import org.spillway.head.loop.state.Heard;
import org.spillway.head.rest.NodeLogsApi;
import org.spillway.head.rest.NodePagesApi;
import org.spillway.policy.Fabric;

/** All that is known of a node, from where each of it is known: nothing is worked out a second time here. */
final class NodePageDesk implements NodePagesApi {
    private final Journal journal;
    private final Function<NodeRecord, NodeView> views;
    private final Function<String, Optional<NodeExplainView>> stories;
    private final Function<String, Heard> heard;
    private final NodeLogsApi logs;

    /** @param heard of a site's director, by the name of the site */
    NodePageDesk(
            Journal journal,
            Function<NodeRecord, NodeView> views,
            Function<String, Optional<NodeExplainView>> stories,
            Function<String, Heard> heard,
            NodeLogsApi logs) {
        this.journal = journal;
        this.views = views;
        this.stories = stories;
        this.heard = heard;
        this.logs = logs;
    }

    @Override
    public Optional<NodePageView> of(String id) {
        return journal.node(id).flatMap(node -> stories.apply(id).map(story -> page(node, story)));
    }

    private NodePageView page(NodeRecord node, NodeExplainView story) {
        OutcomeEntry outcome = journal.outcome(node.id()).orElse(null);
        return new NodePageView(
                views.apply(node),
                place(node, outcome),
                story.sentence(),
                story.decision(),
                held(node),
                node.isLive()
                        ? heard.apply(node.site()).gateOf(node.id()).stream()
                                .map(check -> new NodePageView.CheckView(check.name(), check.passed(), check.detail()))
                                .toList()
                        : List.of(),
                faults(outcome),
                journal.store().timeline("node", node.id()).stream()
                        .map(step -> new NodePageView.StepView(step.at(), NodeState.valueOf(step.to()), step.reason()))
                        .toList(),
                boots(node.id()));
    }

    private static Map<String, String> place(NodeRecord node, @Nullable OutcomeEntry outcome) {
        Map<String, String> place = new LinkedHashMap<>();
        place.put("zone", node.offering().zone());
        place.put("type", node.offering().instanceType());
        place.put("market", node.offering().market().text());
        place.put("host", outcome == null ? "" : outcome.outcome().host());
        place.put(
                "fabric", node.fabric().equals(Fabric.NONE) ? "" : node.fabric().name());
        place.values().removeIf(String::isEmpty);
        return place;
    }

    private static List<String> held(NodeRecord node) {
        List<String> held = new ArrayList<>();
        if (node.care().parked()) {
            held.add("drained by an administrator: it gets no further jobs until 'spillway node resume'");
        } else if (node.isLive() && node.cause() instanceof NodeCause.Withheld(String said)) {
            held.add("the workload manager's administrators keep it from jobs: " + said);
        } else if (node.nodeState() == NodeState.DRAINING) {
            held.add("the head drains it: " + node.reason());
        }
        if (node.isLive() && node.care().keep()) {
            held.add("kept by an administrator: the policy does not release it until 'spillway node unkeep'");
        }
        if (node.isLive() && node.profile().fixed()) {
            held.add("fixed by an administrator as what it is until 'spillway node unfix'");
        }
        return held;
    }

    private static List<NodePageView.FaultView> faults(@Nullable OutcomeEntry outcome) {
        var fault = outcome == null ? null : outcome.outcome().fault();
        return fault == null
                ? List.of()
                : List.of(new NodePageView.FaultView(fault.check(), fault.said(), fault.at(), fault.job()));
    }

    private List<NodeLogsView.BootView> boots(String node) {
        try {
            return logs.of(node, 0, List.of("health")).boots();
        } catch (ApiException nothing) {
            return List.of();
        }
    }
}
