package org.spillway.head.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.spillway.head.rest.ClusterView;
import org.spillway.head.rest.ClusterView.StageView;

/** Clusters on demand as text. */
final class ClusterPages {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    private ClusterPages() {}

    static String stage(StageView stage) {
        return String.format(Locale.ROOT, "%-14s %s", stage.stage(), took(stage));
    }

    private static String took(StageView stage) {
        return stage.endedAt() == null ? "under way" : seconds(stage.begunAt(), stage.endedAt());
    }

    private static String seconds(Instant from, Instant to) {
        return String.format(Locale.ROOT, "%.1f s", Duration.between(from, to).toMillis() / 1000.0);
    }

    static String ready(ClusterView view) {
        var stages = view.stages();
        var took = stages.isEmpty() ? "0 s" : seconds(stages.getFirst().begunAt(), view.since());
        return "cluster " + view.name() + " takes jobs after " + took + "; it ends at "
                + local(view.expiresAt(), ZoneId.systemDefault()) + "\n";
    }

    private static String local(Instant time, ZoneId zone) {
        return TIME.withZone(zone).format(time);
    }

    static String list(List<ClusterView> clusters) {
        var table = new Table("NAME", "ID", "SITE", "OWNER", "STATE", "NODES", "ENDS", "SPENT", "OF");
        clusters.forEach(one -> table.row(
                one.name(),
                one.id(),
                one.site(),
                one.owner(),
                one.state(),
                one.nodes() + " x " + one.nodeType(),
                local(one.expiresAt(), ZoneId.systemDefault()),
                one.spent(),
                one.budget()));
        return table.toString();
    }

    static String show(ClusterView view) {
        var zone = ZoneId.systemDefault();
        var text = new StringBuilder();
        line(text, "cluster", view.name() + " (" + view.id() + ")");
        line(text, "state", view.state() + (view.reason().isEmpty() ? "" : ": " + view.reason()));
        line(text, "remark", view.remark());
        line(text, "site", view.site() + ", " + view.nodes() + " x " + view.nodeType());
        line(text, "users", String.join(", ", view.users()));
        line(text, "head", view.address());
        line(text, "made", local(view.createdAt(), zone));
        line(text, "ends", local(view.expiresAt(), zone));
        line(text, "spent", view.spent() + " of " + view.budget());
        view.stages().forEach(stage -> line(text, "stage", stage(stage)));
        line(text, "failure", view.failure());
        if (!view.log().isEmpty()) {
            text.append("log of that stage:\n");
            view.log()
                    .lines()
                    .forEach(said -> text.append("  ").append(plain(said)).append('\n'));
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String what, String value) {
        if (!value.isBlank()) {
            text.append(String.format(Locale.ROOT, "%-9s%s%n", what, plain(value)));
        }
    }

    /** What a child says ends up here: nothing that steers a terminal. */
    private static String plain(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
    }
}
