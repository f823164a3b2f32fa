package org.spillway.head.web;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException;
import org.spillway.api.JobFilter;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.NodeView;
import org.spillway.api.PlanView;
import org.spillway.api.QueueView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendView;
import org.spillway.head.rest.HeadApi;
import org.spillway.policy.Money;

/**
 * The main page's content, of one moment, nearly. Lists are bounded: a page of ten thousand jobs helps nobody, and says
 * how many are left out.
 *
 * @param plan what the next tick would do; null when the head cannot say now
 */
record Board(
        SpendView spend,
        Gauge gauge,
        Counts counts,
        Waits waits,
        @Nullable PlanView plan,
        List<QueueRow> queues,
        List<SiteView> sites,
        Nodes nodes,
        Jobs jobs) {
    static final int MOST_JOBS = 200;
    static final int MOST_ENDED = 50;
    private static final int MOST_NODES = 500;
    private static final int MOST_WAITS = 8;
    private static final int MOST_NAMED = 3;

    /** Widths in percent, as SVG wants them. */
    record Gauge(String accrued, String committed, boolean over) {
        static Gauge of(SpendView spend) {
            double limit = Math.max(1, spend.limit().micros());
            double accrued = Math.min(100, Math.max(0, 100 * spend.accrued().micros() / limit));
            double committed =
                    Math.min(100 - accrued, Math.max(0, 100 * spend.committed().micros() / limit));
            return new Gauge(percent(accrued), percent(committed), spend.left().compareTo(Money.ZERO) < 0);
        }

        private static String percent(double value) {
            return String.format(Locale.ROOT, "%.2f%%", value);
        }
    }

    /** @param moving of those that wait or run; {@code nodes} that are ready, and {@code coming} those that are on the way */
    record Counts(int running, int waiting, int moving, int nodes, int coming) {}

    /** @param more that are left out */
    record Waits(List<Wait> most, int more) {}

    /** @param ended the newest of those */
    record Nodes(List<NodeView> live, List<NodeView> ended) {}

    /**
     * @param live of all that live, running ones first
     * @param more of these that are left out
     * @param ended the newest of those
     */
    record Jobs(List<JobView> live, int more, List<JobView> ended) {}

    /** @param jobs ids of some of them */
    record Wait(String reason, int count, List<String> jobs) {}

    /**
     * @param gpus that its running jobs have
     * @param oldest of those that wait; null for none
     */
    record QueueRow(
            String name,
            List<String> sites,
            List<String> markets,
            boolean isDefault,
            int waiting,
            int running,
            int gpus,
            @Nullable Instant oldest) {}

    static Board of(HeadApi head) {
        var all = head.jobs(new JobFilter(OptionalInt.empty(), false, JobFilter.MOST));
        var live = all.stream().filter(job -> !job.state().isTerminal()).toList();
        int enough = Math.min(JobFilter.MOST, live.size() + MOST_ENDED);
        var ended = head.jobs(new JobFilter(OptionalInt.empty(), true, enough)).stream()
                .filter(job -> job.state().isTerminal())
                .limit(MOST_ENDED)
                .toList();
        var waits = waits(live);
        var nodes = head.nodes();
        var spend = head.spend();
        return new Board(
                spend,
                Gauge.of(spend),
                counts(live, nodes),
                new Waits(waits.subList(0, Math.min(MOST_WAITS, waits.size())), Math.max(0, waits.size() - MOST_WAITS)),
                plan(head),
                queues(head, live),
                head.sites(),
                nodes(nodes),
                new Jobs(
                        live.stream()
                                .sorted(Comparator.comparingInt((JobView job) -> rank(job.state())))
                                .limit(MOST_JOBS)
                                .toList(),
                        Math.max(0, live.size() - MOST_JOBS),
                        ended));
    }

    private static Nodes nodes(List<NodeView> all) {
        return new Nodes(
                all.stream()
                        .filter(node -> !node.state().isTerminal())
                        .limit(MOST_NODES)
                        .toList(),
                all.stream()
                        .filter(node -> node.state().isTerminal())
                        .sorted(Comparator.comparing(NodeView::since).reversed())
                        .limit(MOST_ENDED)
                        .toList());
    }

    /** The plan is made by the loop, which may be too busy or ending. */
    private static @Nullable PlanView plan(HeadApi head) {
        try {
            return head.plan();
        } catch (ApiException notNow) {
            return null;
        }
    }

    private static int rank(JobState state) {
        return switch (state) {
            case RUNNING -> 0;
            case STAGING_OUT -> 1;
            case STAGING_IN -> 2;
            case HELD -> 3;
            case QUEUED -> 4;
            case SUBMITTED -> 5;
            case DONE, FAILED, CANCELLED -> 6;
        };
    }

    private static Counts counts(List<JobView> live, List<NodeView> nodes) {
        int running = 0;
        int waiting = 0;
        int moving = 0;
        for (var job : live) {
            running += job.state().hasStarted() ? 1 : 0;
            waiting += job.state().waitsToStart() ? 1 : 0;
            moving += job.state() == JobState.STAGING_IN || job.state() == JobState.STAGING_OUT ? 1 : 0;
        }
        int ready = 0;
        int coming = 0;
        for (var node : nodes) {
            if (node.role().equals("node")) {
                ready += Texts.tone(node.state()).equals("good") ? 1 : 0;
                coming += Texts.tone(node.state()).equals("busy") ? 1 : 0;
            }
        }
        return new Counts(running, waiting, moving, ready, coming);
    }

    /** Why jobs do not run, the reason of most of them first. */
    private static List<Wait> waits(List<JobView> live) {
        var jobs = new LinkedHashMap<String, List<String>>();
        for (var job : live) {
            if (job.state().waitsToStart()) {
                var reason = job.reason().isEmpty() ? "not looked at yet" : job.reason();
                jobs.computeIfAbsent(reason, none -> new ArrayList<>()).add(job.id());
            }
        }
        return jobs.entrySet().stream()
                .map(entry -> new Wait(
                        entry.getKey(),
                        entry.getValue().size(),
                        entry.getValue().reversed().stream().limit(MOST_NAMED).toList()))
                .sorted(Comparator.comparingInt(Wait::count).reversed())
                .toList();
    }

    private static List<QueueRow> queues(HeadApi head, List<JobView> live) {
        Map<String, List<JobView>> byQueue = new HashMap<>();
        live.forEach(job ->
                byQueue.computeIfAbsent(job.queue(), none -> new ArrayList<>()).add(job));
        return head.queues().stream()
                .map(queue -> queue(queue, byQueue.getOrDefault(queue.name(), List.of())))
                .toList();
    }

    private static QueueRow queue(QueueView queue, List<JobView> jobs) {
        int gpus = 0;
        Instant oldest = null;
        for (var job : jobs) {
            if (job.state() == JobState.RUNNING) {
                gpus += job.gpus() * job.nodeCount();
            } else if (job.state().waitsToStart()) {
                oldest = oldest == null || job.submittedAt().isBefore(oldest) ? job.submittedAt() : oldest;
            }
        }
        return new QueueRow(
                queue.name(),
                queue.sites(),
                queue.markets(),
                queue.isDefault(),
                queue.waiting(),
                queue.running(),
                gpus,
                oldest);
    }
}
