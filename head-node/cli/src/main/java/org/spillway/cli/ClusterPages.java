package org.spillway.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.spillway.api.ClusterView;
import org.spillway.api.ClusterView.NoticeView;
import org.spillway.api.ClusterView.StageView;

/** Clusters on demand as text. */
final class ClusterPages {
    private ClusterPages() {}

    static String stage(StageView stage) {
        return String.format(Locale.ROOT, "%-14s %s", stage.stage(), took(stage));
    }

    private static String took(StageView stage) {
        return stage.endedAt() == null ? "under way" : seconds(stage.begunAt(), stage.endedAt());
    }

    private static String seconds(Instant from, Instant to) {
        return seconds(Duration.between(from, to));
    }

    static String seconds(Duration took) {
        return String.format(Locale.ROOT, "%.1f s", took.toMillis() / 1000.0);
    }

    static String extended(ClusterView view) {
        return "cluster " + view.name() + " ends at " + at(view.expiresAt()) + "; it may cost " + view.budget()
                + ", and has cost " + view.spent() + "\n";
    }

    /** Things that still cost are said. */
    static String stopped(ClusterView view, Duration took) {
        return "cluster " + view.name() + " is stopped after " + seconds(took)
                + "; the machine of its head still counts "
                + view.headPricePerHour() + " an hour; it ends at "
                + at(view.expiresAt()) + ", and has cost " + view.spent() + " of "
                + view.budget() + "\n";
    }

    static String ready(ClusterView view) {
        var stages = view.stages();
        var took = stages.isEmpty() ? "0 s" : seconds(stages.getFirst().begunAt(), view.since());
        return "cluster " + view.name() + " takes jobs after " + took + "; it ends at " + at(view.expiresAt()) + "\n";
    }

    private static String at(Instant time) {
        return Pages.CLOCK.format(time);
    }

    static String begun(ClusterView view) {
        var asked = view.approval();
        return asked == null || !view.isWaiting()
                ? "cluster " + view.name() + " is being made\n"
                : "cluster " + view.name() + " waits for approval: " + plain(asked.why()) + "\n  " + answer(asked)
                        + "\n";
    }

    private static String answer(ClusterView.ApprovalView asked) {
        return String.join(", ", asked.approvers()) + " may approve it until " + at(asked.until());
    }

    private static String remark(ClusterView view) {
        var asked = view.approval();
        return asked == null || !view.isWaiting()
                ? view.remark()
                : "since " + at(asked.askedAt()) + "; " + answer(asked);
    }

    static String list(List<ClusterView> clusters) {
        var table = new Table("NAME", "ID", "SITE", "OWNER", "STATE", "NODES", "ENDS", "SPENT", "OF", "REMARK");
        clusters.forEach(one -> table.row(
                one.name(),
                one.id(),
                one.site(),
                one.owner(),
                one.state(),
                one.nodes() + " x " + one.nodeType(),
                one.isWaiting() ? "-" : at(one.expiresAt()),
                one.spent(),
                one.budget(),
                remark(one).isEmpty() ? "-" : plain(remark(one))));
        return table.toString();
    }

    static String show(ClusterView view) {
        var text = new StringBuilder();
        line(text, "cluster", view.name() + " (" + view.id() + ")");
        line(text, "state", view.state() + (view.reason().isEmpty() ? "" : ": " + view.reason()));
        line(text, "remark", remark(view));
        line(text, "approval", approval(view));
        line(text, "site", view.site() + ", " + view.nodes() + " x " + view.nodeType());
        line(text, "image", view.image());
        line(text, "workload", view.workload());
        line(text, "users", String.join(", ", view.users()));
        line(text, "head", view.address());
        boolean unmade = view.isWaiting() || view.state().equals("REJECTED");
        line(text, unmade ? "asked" : "made", at(view.createdAt()));
        line(
                text,
                unmade ? "time" : "ends",
                unmade
                        ? Duration.between(view.createdAt(), view.expiresAt()).toMinutes() + " min"
                        : at(view.expiresAt()));
        line(text, "spent", view.spent() + " of " + view.budget());
        line(text, "costs", costs(view));
        line(text, "results", view.results().isEmpty() ? "" : "to " + view.results());
        view.stages().forEach(stage -> line(text, "stage", stage(stage)));
        view.notices()
                .forEach(one -> line(
                        text,
                        "told",
                        at(one.at()) + "  " + (one.to().isEmpty() ? "" : one.to() + ": ") + one.text()
                                + (one.letter().equals("TOLD") ? "" : " (mail: " + mail(one) + ")")));
        line(text, "failure", view.failure());
        if (!view.log().isEmpty()) {
            text.append("log of that stage:\n");
            view.log()
                    .lines()
                    .forEach(said -> text.append("  ").append(plain(said)).append('\n'));
        }
        return text.toString();
    }

    private static String approval(ClusterView view) {
        var asked = view.approval();
        return asked == null || asked.decidedAt() == null || asked.by().isEmpty()
                ? ""
                : (view.state().equals("REJECTED") ? "rejected" : "approved") + " by " + asked.by() + " at "
                        + at(asked.decidedAt()) + ": " + asked.why();
    }

    /** Nodes come and go; the head's machine is there as long as the cluster. */
    private static String costs(ClusterView view) {
        return view.isOver() || view.isWaiting()
                ? ""
                : view.headPricePerHour() + " an hour for its head"
                        + (view.state().equals("STOPPED") ? ", which is off" : ", and its nodes");
    }

    private static String mail(NoticeView notice) {
        return switch (notice.letter()) {
            case "SENT" -> "sent";
            case "WAITING" -> "not sent yet";
            case "DELAYED" -> "not sent yet, " + notice.why();
            default -> "not sent, " + notice.why();
        };
    }

    private static void line(StringBuilder text, String what, String value) {
        if (!value.isBlank()) {
            text.append(String.format(Locale.ROOT, "%-9s%s%n", what, plain(value)));
        }
    }

    /** Text from a child ends up here: nothing that steers a terminal. */
    static String plain(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
    }
}
