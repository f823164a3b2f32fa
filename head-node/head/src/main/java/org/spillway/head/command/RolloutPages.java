package org.spillway.head.command;

import java.util.List;
import java.util.Locale;
import org.spillway.api.RolloutView;

/** Rollouts for people. */
final class RolloutPages {
    private static final int DIGITS = 12;

    private RolloutPages() {}

    static String all(List<RolloutView> rollouts) {
        if (rollouts.isEmpty()) {
            return "no category names a version\n";
        }
        var text = new StringBuilder();
        for (var one : rollouts) {
            text.append(text.isEmpty() ? "" : "\n");
            page(one, text);
        }
        return text.toString();
    }

    private static void page(RolloutView one, StringBuilder text) {
        text.append("category ").append(one.category()).append(": ");
        var last = one.rollout();
        if (last == null) {
            text.append(brief(one.settled())).append('\n');
            return;
        }
        text.append(brief(last.from())).append(" -> ").append(brief(last.to())).append(": ");
        text.append(phase(last)).append(", ").append(last.cause().text()).append('\n');
        text.append("  ")
                .append(last.terms())
                .append("; ")
                .append(last.failed())
                .append(" failed\n");
        if (!one.made()) {
            text.append("  its file system is being made; the head's log says when it cannot be\n");
        }
        for (var node : last.nodes()) {
            text.append("  ").append(node.node()).append("  ").append(node.stage());
            text.append(node.heldUp() ? "  holds it up: its jobs go on" : "");
            text.append(node.cause().text().isEmpty() ? "" : "  " + node.cause().text());
            text.append('\n');
        }
        for (var step : one.steps()) {
            text.append("  ").append(step.at()).append("  ").append(step.state());
            text.append(step.text().isEmpty() ? "" : "  " + step.text()).append('\n');
        }
    }

    private static String phase(RolloutView.RolloutProgress last) {
        var phase = last.phase().equals("BATCHES")
                ? "batch " + last.batch()
                : last.phase().toLowerCase(Locale.ROOT);
        return last.paused() ? phase + ", paused" : phase;
    }

    private static String brief(String version) {
        int at = version.indexOf('@');
        return version.substring(0, Math.min(version.length(), at + 1 + DIGITS));
    }
}
