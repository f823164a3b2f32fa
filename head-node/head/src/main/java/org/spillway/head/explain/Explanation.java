package org.spillway.head.explain;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.JobCause.JobFact;

/** A sentence for a job's user: what it waits for, what was done about that, and when it may start. */
public final class Explanation {
    private static final int NODES_NAMED = 2;
    private static final long MEGABYTE = 1_000_000;

    private final JobFacts facts;
    private final Instant now;

    private Explanation(JobFacts facts, Instant now) {
        this.facts = facts;
        this.now = now;
    }

    /** Times in the sentence are UTC, and without a date within 20 hours of {@code now}. */
    public static String of(JobFacts facts, Instant now) {
        return new Explanation(facts, now).sentence();
    }

    private String sentence() {
        return switch (facts.life().state()) {
            case SUBMITTED, HELD -> joined("held", held());
            case STAGING_IN, QUEUED ->
                facts.life().cancelled() ? "being cancelled, as its user asked" : joined("waiting", waiting());
            case RUNNING -> running();
            case STAGING_OUT -> joined("bringing its results home", stagingOut());
            case DONE -> ended("done");
            case FAILED -> ended("failed");
            case CANCELLED -> ended("cancelled");
        };
    }

    private static String joined(String head, List<String> parts) {
        List<String> said =
                parts.stream().filter(part -> !part.isEmpty()).distinct().toList();
        return said.isEmpty() ? head : head + ": " + String.join("; ", said);
    }

    private List<String> held() {
        String why = facts.obstacles().waitsFor().isEmpty()
                ? facts.life().reason()
                : facts.obstacles().waitsFor();
        return List.of(
                why.isEmpty() ? "the head has not looked at it yet" : why,
                facts.expectedStart() == null ? "" : expected());
    }

    private List<String> waiting() {
        List<String> parts = new ArrayList<>();
        parts.add(input());
        List<JobFacts.OneNode> coming = facts.nodes().stream()
                .filter(node -> node.state() != NodeState.READY)
                .toList();
        if (!coming.isEmpty()) {
            parts.add(onTheWay(coming));
        }
        if (coming.size() < facts.nodesWanted()) {
            parts.add(facts.obstacles().refused().isEmpty() ? facts.obstacles().waitsFor() : refused());
        }
        parts.add(onFabrics());
        parts.add(expected());
        parts.add(results());
        return parts;
    }

    /** Nodes of several zones may be enough in sum, and yet none of its business. */
    private String onFabrics() {
        String where = facts.obstacles().places().stream()
                .limit(NODES_NAMED)
                .map(place -> place.nodes() + " of " + facts.nodesWanted() + " nodes in zone " + place.zone() + " ("
                        + place.fabric() + ")")
                .collect(Collectors.joining(", "));
        return where.isEmpty() ? "" : "all of a gang is on one fabric, there are " + where;
    }

    private String input() {
        if (facts.moved().totalBytes() == 0) {
            return "";
        }
        if (facts.life().state() == JobState.QUEUED) {
            return "its input is staged";
        }
        return progress(facts.moved().inBytes(), facts.moved().totalBytes()) + " staged to site " + facts.site();
    }

    /** {@code 41 of 120 MB}: both in the unit of the whole. */
    static String progress(long moved, long total) {
        long unit = total >= 10 * MEGABYTE ? MEGABYTE : total >= 10_000 ? 1000 : 1;
        String name = unit == MEGABYTE ? "MB" : unit == 1000 ? "kB" : "bytes";
        return Math.min(moved, total) / unit + " of " + (total + unit - 1) / unit + " " + name;
    }

    private String refused() {
        return facts.obstacles().refused().stream()
                .map(one -> one.instanceType() + " " + one.why() + " in zone " + one.zone()
                        + (one.retryAt() == null ? "" : ", retry " + time(one.retryAt())))
                .collect(Collectors.joining("; "));
    }

    private String onTheWay(List<JobFacts.OneNode> coming) {
        String named = coming.stream()
                .limit(NODES_NAMED)
                .map(node -> node.id() + " (" + node.instanceType() + ") is " + doing(node.state()) + " since "
                        + time(node.since()))
                .collect(Collectors.joining(", "));
        int more = coming.size() - NODES_NAMED;
        return "node " + named + (more > 0 ? ", and " + more + " more" : "");
    }

    private static String doing(NodeState state) {
        return switch (state) {
            case REQUESTED, LAUNCHING -> "being launched";
            case BOOTING -> "booting";
            case PROVISIONING, JOINING -> "joining";
            default -> state.name().toLowerCase(Locale.ROOT);
        };
    }

    private String expected() {
        Instant start = facts.expectedStart();
        if (start == null) {
            return "when it starts cannot be said";
        }
        return "expected start " + (start.isBefore(now.plusSeconds(1)) ? "now" : time(start));
    }

    private String running() {
        if (facts.life().cancelled()) {
            return JobFact.STOPPING_FOR_USER.text();
        }
        String where = facts.nodes().stream().map(JobFacts.OneNode::id).collect(Collectors.joining(", "));
        if (facts.life().stopping()) {
            return JobFact.STOPPING_FOR_PART.text() + ", the others on " + where + " end";
        }
        return "running on " + where + " since " + time(facts.life().since())
                + (facts.life().attempt() > 1 ? ", its attempt " + facts.life().attempt() : "") + "; it ends by "
                + time(facts.life().since().plus(facts.walltime())) + " at the latest" + after(results());
    }

    private List<String> stagingOut() {
        return List.of(
                facts.moved().homeBytes() > 0 ? amount(facts.moved().homeBytes()) + " so far" : "",
                facts.obstacles().waitsFor(),
                results());
    }

    private static String after(String part) {
        return part.isEmpty() ? "" : "; " + part;
    }

    /** The site's price for letting the results out: nobody should learn that from the bill. */
    private String results() {
        JobFacts.Results results = facts.moved().results();
        if (results == null) {
            return "";
        }
        return facts.life().state() == JobState.STAGING_OUT
                ? "site " + facts.site() + " takes " + results.price() + " for their " + amount(results.bytes())
                : "bringing " + amount(results.bytes()) + " of results home from site " + facts.site()
                        + " is expected to cost " + results.price();
    }

    private static String amount(long bytes) {
        return bytes >= 10 * MEGABYTE
                ? bytes / MEGABYTE + " MB"
                : bytes >= 10_000 ? bytes / 1000 + " kB" : bytes + " bytes";
    }

    private String ended(String how) {
        return how + " at " + time(facts.life().since())
                + (facts.life().reason().isEmpty() ? "" : ": " + facts.life().reason());
    }

    private String time(@Nullable Instant at) {
        if (at == null) {
            return "";
        }
        boolean near = Duration.between(now, at).abs().compareTo(Duration.ofHours(20)) < 0;
        return DateTimeFormatter.ofPattern(near ? "HH:mm'Z'" : "yyyy-MM-dd HH:mm'Z'", Locale.ROOT)
                .withZone(ZoneOffset.UTC)
                .format(at);
    }
}
