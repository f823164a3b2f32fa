package org.spillway.director;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.JoinAnswer;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.NodeReport;

/**
 * All that this process knows, in memory: the latest directive and what nodes said since. A new process learns both
 * again. {@code now} is by a clock that never jumps.
 */
final class SiteState {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Directive directive;
    private Instant directiveAt = Instant.EPOCH;
    private Map<Attempt, JobOrder> orders = Map.of();
    private Map<Attempt, JobReport> refused = Map.of();
    private final Map<String, Heard> heard = new LinkedHashMap<>();
    private final Map<Attempt, JobReport> jobs = new LinkedHashMap<>();

    record Attempt(String job, int attempt) {}

    private record Heard(Instant at, LeaseText said) {}

    /** The answer to a renewal. */
    sealed interface Verdict {
        /** No directive yet, or the node's grant is on its way: nothing begins and nothing ends. */
        record NotYet() implements Verdict {}

        /** From the time at which the node asked. */
        record Granted(Duration lease) implements Verdict {}

        record End(String reason) implements Verdict {}
    }

    /** Takes over a directive, unless one as new is known. */
    void accept(Directive next, Instant now) {
        lock.lock();
        try {
            if (directive != null && next.sequence() <= directive.sequence()) {
                return;
            }
            Map<Attempt, JobOrder> good = new LinkedHashMap<>();
            Map<Attempt, JobReport> bad = new LinkedHashMap<>();
            for (JobOrder order : next.jobs()) {
                Attempt attempt = new Attempt(order.job(), order.attempt());
                OrderCheck.problem(order)
                        .ifPresentOrElse(
                                problem -> bad.put(attempt, refusal(order, problem)), () -> good.put(attempt, order));
            }
            directive = next;
            directiveAt = now;
            orders = good;
            refused = bad;
            jobs.keySet().retainAll(orders.keySet());
            heard.keySet().removeIf(node -> !named(next, node));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The latest directive; empty in a process that has not heard from the head yet. */
    Optional<Directive> directive() {
        lock.lock();
        try {
            return Optional.ofNullable(directive);
        } finally {
            lock.unlock();
        }
    }

    /** The head's latest word on this node's lease, which cannot outlive the head's silence by more than its length. */
    Verdict lease(String node, LeaseText said, List<JobReport> reports, Instant now) {
        lock.lock();
        try {
            Directive current = directive;
            if (current == null) {
                return new Verdict.NotYet();
            }
            if (!named(current, node)) {
                return current.joins().stream()
                                .anyMatch(join -> join.accepted() && join.node().equals(node))
                        ? new Verdict.NotYet()
                        : new Verdict.End("the head does not name this node");
            }
            heard.put(node, new Heard(now, said));
            reports.forEach(this::remember);
            Duration left = Duration.between(now, directiveAt.plusSeconds(current.leaseSeconds()));
            return new Verdict.Granted(left.isNegative() ? Duration.ZERO : left);
        } finally {
            lock.unlock();
        }
    }

    /** An order that this node has now. */
    Optional<JobOrder> order(String node, String job, int attempt) {
        lock.lock();
        try {
            return Optional.ofNullable(orders.get(new Attempt(job, attempt)))
                    .filter(order -> order.node().equals(node));
        } finally {
            lock.unlock();
        }
    }

    /**
     * A node's orders as lines, once they are other than {@code known} or {@code wait} is over; empty when the node is
     * not named. Never empty text: the first line is {@code version V}.
     */
    Optional<String> orders(String node, String known, Duration wait) throws InterruptedException {
        lock.lock();
        try {
            long left = wait.toNanos();
            while (true) {
                Directive current = directive;
                if (current == null || !named(current, node)) {
                    return Optional.empty();
                }
                String lines = orders.values().stream()
                        .filter(order -> order.node().equals(node))
                        .map(order -> (order.cancel() ? "stop " : "start ") + order.job() + " " + order.attempt())
                        .collect(Collectors.joining("\n", "", "\n"));
                String version = Digests.hex(lines).substring(0, 16);
                if (!version.equals(known) || left <= 0) {
                    return Optional.of("version " + version + "\n" + lines);
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isNamed(String node) {
        return directive().filter(current -> named(current, node)).isPresent();
    }

    Optional<JoinAnswer> joinAnswer(String request) {
        return directive().stream()
                .flatMap(current -> current.joins().stream())
                .filter(answer -> answer.request().equals(request))
                .findFirst();
    }

    List<NodeReport> nodeReports(Instant now) {
        lock.lock();
        try {
            List<NodeReport> reports = new ArrayList<>();
            heard.forEach((node, latest) -> reports.add(new NodeReport(
                    node,
                    TimeUnit.NANOSECONDS.toMillis(
                                    Duration.between(latest.at(), now).toNanos())
                            / 1000.0,
                    latest.said().ready(),
                    latest.said().imageSha256(),
                    latest.said().gate())));
            return reports;
        } finally {
            lock.unlock();
        }
    }

    List<JobReport> jobReports() {
        lock.lock();
        try {
            List<JobReport> all = new ArrayList<>(refused.values());
            all.addAll(jobs.values());
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** An end stays: a renewal that was overtaken on its way does not take it back. */
    private void remember(JobReport report) {
        Attempt attempt = new Attempt(report.job(), report.attempt());
        JobReport before = jobs.get(attempt);
        if (orders.containsKey(attempt) && (before == null || report.phase().compareTo(before.phase()) >= 0)) {
            jobs.put(attempt, report);
        }
    }

    private static boolean named(Directive directive, String node) {
        return directive.nodes().stream().anyMatch(grant -> grant.node().equals(node));
    }

    private static JobReport refusal(JobOrder order, String problem) {
        return new JobReport(
                order.job(),
                order.attempt(),
                order.node(),
                JobReport.Phase.REFUSED,
                null,
                0,
                0,
                List.of(),
                "the director refused the order: " + problem,
                false);
    }
}
