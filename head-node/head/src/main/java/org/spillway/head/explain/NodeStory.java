package org.spillway.head.explain;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.stream.Collectors;

/** A sentence about a node: who bought it and why, why it is still there, and when it would go. */
public final class NodeStory {
    private static final int JOBS_NAMED = 6;

    /** Of the words of a check that passed. */
    private static final int MOST_FOUND = 60;

    private NodeStory() {}

    /** Times are UTC, and without a date within 20 hours of {@code now}. */
    public static String of(NodeFacts node, Instant now) {
        String bought = "bought at " + time(node.bought().at(), now)
                + (node.bought().decision().isEmpty()
                        ? ""
                        : " by decision " + node.bought().decision())
                + (node.bought().why().isEmpty() ? "" : ": " + node.bought().why());
        return bought + (node.role().isEmpty() ? "" : "; " + node.role()) + "; " + today(node, now) + gate(node);
    }

    /** Each check of its gate: one that failed with all of its words. */
    private static String gate(NodeFacts node) {
        return node.gate().isEmpty()
                ? ""
                : node.gate().stream().map(NodeStory::check).collect(Collectors.joining(", ", "; its gate: ", ""));
    }

    private static String check(NodeFacts.Check check) {
        boolean isCut = check.passed() && check.found().length() > MOST_FOUND;
        String found = isCut ? check.found().substring(0, MOST_FOUND) + "..." : check.found();
        return check.name() + (check.passed() ? " ok" : " failed") + (found.isEmpty() ? "" : " (" + found + ")");
    }

    private static String today(NodeFacts node, Instant now) {
        String since = " since " + time(node.life().since(), now);
        String why = node.life().reason().isEmpty() ? "" : ": " + node.life().reason();
        return switch (node.life().state()) {
            case REQUESTED, LAUNCHING -> "being launched" + since;
            case BOOTING -> "booting" + since;
            case PROVISIONING, JOINING -> "joining" + since;
            case READY -> ready(node, now);
            case DRAINING -> (node.parked() ? "drained by an administrator" : "draining") + since + why;
            case STOPPING, STOPPED -> "powered off" + since + why;
            case UNREACHABLE -> "not heard" + since + ": it is ended when its lease is certainly over";
            case RECLAIMING -> "being taken back by the provider" + since + why;
            case REPURPOSING -> "becoming that" + since + why;
            case TERMINATING -> "being ended" + since + why;
            case TERMINATED, FAILED -> "ended at " + time(node.life().since(), now) + why;
        };
    }

    private static String ready(NodeFacts node, Instant now) {
        if (!node.jobs().isEmpty()) {
            int more = node.jobs().size() - JOBS_NAMED;
            return "runs job "
                    + String.join(
                            ", ",
                            node.jobs()
                                    .subList(0, Math.min(JOBS_NAMED, node.jobs().size())))
                    + (more > 0 ? " and " + more + " more" : "") + "; it is not released before";
        }
        String idle = "idle since " + time(node.idle().since(), now);
        if (node.kept()) {
            return idle + "; it is kept: the policy does not release it";
        }
        Instant goes = node.idle().since().plus(node.idle().longest());
        return goes.isAfter(now)
                ? idle + "; released at " + time(goes, now) + ", unless something that waits needs it before"
                : idle + "; it would be released, but something that waits needs it, or another rule of the policy";
    }

    private static String time(Instant at, Instant now) {
        boolean near = Duration.between(now, at).abs().compareTo(Duration.ofHours(20)) < 0;
        return DateTimeFormatter.ofPattern(near ? "HH:mm:ss'Z'" : "yyyy-MM-dd HH:mm'Z'", Locale.ROOT)
                .withZone(ZoneOffset.UTC)
                .format(at);
    }
}
