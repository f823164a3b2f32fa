package org.spillway.director;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.director.session.ForwardLines;
import org.spillway.director.session.Sessions;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.JoinAnswer;
import org.spillway.director.wire.Directive.NodeProfile;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.ManagerGrant;
import org.spillway.director.wire.Report.GateCheck;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.NodeReport;
import org.spillway.director.wire.SiteAccounts;
import org.spillway.director.wire.SiteAccounts.Account;

/**
 * All that this process knows, in memory: the latest directive and what nodes said since. A new process learns both
 * again. {@code now} is by a clock that never jumps.
 */
final class SiteState {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Directive directive;
    private Instant directiveAt = Instant.EPOCH;
    private Map<Task, JobOrder> orders = Map.of();
    private Map<Attempt, List<JobOrder>> gangs = Map.of();
    private Map<Task, JobReport> refused = Map.of();
    private final Map<String, Heard> heard = new LinkedHashMap<>();
    private final Map<Task, JobReport> jobs = new LinkedHashMap<>();
    private final Set<Task> prepared = new HashSet<>();
    private final LogShelf logs;
    private final Renewals renewals = new Renewals();
    final AccountQuestions accounts = new AccountQuestions();
    final Sessions sessions = new Sessions(this::touch);
    final DriftLooks drifts = new DriftLooks(this::touch);
    final ForwardLines forwards = new ForwardLines();

    SiteState(LogShelf logs) {
        this.logs = logs;
    }

    private record Attempt(String job, int attempt) {}

    /** A node's part of an attempt. */
    record Task(String job, int attempt, String node) {
        static Task of(JobOrder order) {
            return new Task(order.job(), order.attempt(), order.node());
        }
    }

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
            Map<Task, JobOrder> good = new LinkedHashMap<>();
            Map<Task, JobReport> bad = new LinkedHashMap<>();
            for (JobOrder order : next.jobs()) {
                Task task = Task.of(order);
                OrderCheck.problem(order)
                        .ifPresentOrElse(
                                problem -> bad.put(task, OrderCheck.refusal(order, problem)),
                                () -> good.put(task, order));
            }
            orders.forEach((task, order) -> {
                if (isLeft(next, task.node()) && !good.containsKey(task) && isUnderWay(task)) {
                    good.put(task, order);
                }
            });
            directive = next;
            directiveAt = now;
            orders = good;
            gangs = good.values().stream()
                    .collect(Collectors.groupingBy(order -> new Attempt(order.job(), order.attempt())));
            refused = bad;
            jobs.keySet().retainAll(orders.keySet());
            prepared.retainAll(orders.keySet());
            logs.retain(orders.keySet());
            heard.keySet().removeIf(node -> !named(next, node));
            renewals.keep(node -> named(next, node));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** When the last directive was taken over, by the clock that never jumps. */
    Instant directiveAt() {
        lock.lock();
        try {
            return directiveAt;
        } finally {
            lock.unlock();
        }
    }

    private static boolean isLeft(Directive directive, String node) {
        return directive.nodes().stream().anyMatch(grant -> grant.node().equals(node) && grant.left());
    }

    /** A part that has ended, and whose results are here, needs its order no longer. */
    private boolean isUnderWay(Task task) {
        JobReport told = jobs.get(task);
        return told == null
                || switch (told.phase()) {
                    case ACCEPTED, RUNNING -> true;
                    case ENDED -> told.results() == null;
                    case REFUSED -> false;
                };
    }

    /** Jobs that a node says it runs and that this process, which may be a new one, was never told of. */
    private Set<String> foundThere(Directive current, String node) {
        Heard latest = heard.get(node);
        return latest == null || !isLeft(current, node)
                ? Set.of()
                : latest.said().jobs().stream()
                        .filter(job ->
                                job.phase() == JobReport.Phase.ACCEPTED || job.phase() == JobReport.Phase.RUNNING)
                        .filter(job -> !orders.containsKey(new Task(job.job(), job.attempt(), node)))
                        .map(job -> "start " + job.job() + " " + job.attempt())
                        .collect(Collectors.toCollection(TreeSet::new));
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

    /** Orders of nodes may be other ones. */
    private void touch() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** An order that this node has now. */
    Optional<JobOrder> order(Task task) {
        lock.lock();
        try {
            return Optional.ofNullable(orders.get(task));
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
                if (current == null || !named(current, node) || (isLeft(current, node) && !heard.containsKey(node))) {
                    return Optional.empty();
                }
                Stream<String> told = orders.values().stream()
                        .filter(order -> order.node().equals(node))
                        .map(order -> (order.cancel() ? "stop " : "start ") + order.job() + " " + order.attempt());
                String lines = Grants.line(current, node)
                        + Grants.profile(current, node)
                                .map(profile -> "turn " + profile.turn() + "\n")
                                .orElse("")
                        + renewals.line(node).map(line -> line + "\n").orElse("")
                        + accounts.line(node)
                        + drifts.line(node)
                        + Aheads.lines(current, node)
                        + sessions.lines(node)
                        + Stream.concat(told, foundThere(current, node).stream())
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

    /** The grant that this node needs to serve a manager; empty without one, and as long as its gate has not passed. */
    Optional<ManagerGrant> manager(String node) {
        lock.lock();
        try {
            Heard latest = heard.get(node);
            return latest == null || !latest.said().ready() || directive == null
                    ? Optional.empty()
                    : Grants.good(directive, node);
        } finally {
            lock.unlock();
        }
    }

    /** The manager's part of its nodes' program; empty when there is none that can be handed on. */
    Optional<String> program(String manager) {
        return directive().flatMap(current -> Grants.program(current, manager)).map(ManagerGrant.Program::text);
    }

    /** The profile that this node is to take; empty for one with the directive's image and nothing else. */
    Optional<NodeProfile> profile(String node) {
        return directive().flatMap(current -> Grants.profile(current, node));
    }

    /** The node's findings, and faults of its grant: it cannot know those. */
    private List<GateCheck> gate(String node, LeaseText said) {
        List<GateCheck> gate = new ArrayList<>(said.gate());
        if (!said.unread().isEmpty()) {
            gate.add(new GateCheck("report", true, "left out: " + String.join("; ", said.unread())));
        }
        Directive current = directive;
        if (current != null) {
            Grants.of(current, node)
                    .flatMap(grant -> Grants.problem(current, grant))
                    .ifPresent(problem -> gate.add(new GateCheck("manager", false, "the head's grant: " + problem)));
        }
        return gate;
    }

    /** The answer to a node that has prepared. */
    enum Start {
        GO,
        WAIT,
        CANCELLED,
        GONE
    }

    /**
     * A node has prepared and asks whether all of its gang have; waits for that no longer than {@code wait}. What nodes
     * said is lost with this process and said again: a node that has started by then is known by its lease.
     */
    Start start(Task task, Duration wait) throws InterruptedException {
        lock.lock();
        try {
            long left = wait.toNanos();
            boolean first = true;
            while (true) {
                JobOrder order = orders.get(task);
                if (order == null || order.cancel()) {
                    return order == null ? Start.GONE : Start.CANCELLED;
                }
                boolean news = first && prepared.add(task);
                first = false;
                List<JobOrder> gang = gangs.getOrDefault(new Attempt(task.job(), task.attempt()), List.of());
                if (Gang.complete(gang, each -> hasPrepared(Task.of(each)))) {
                    if (news) {
                        changed.signalAll();
                    }
                    return Start.GO;
                }
                if (left <= 0) {
                    return Start.WAIT;
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean hasPrepared(Task task) {
        JobReport told = jobs.get(task);
        return prepared.contains(task)
                || (told != null && (told.phase() == JobReport.Phase.RUNNING || told.phase() == JobReport.Phase.ENDED));
    }

    /** A named node came with this certificate. @param wall by the clock of certificates */
    void shown(String node, CertificateLife life, Instant wall) {
        lock.lock();
        try {
            if (directive != null && named(directive, node) && renewals.heard(node, life, wall)) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** A node asks for another certificate. */
    Answer renew(String node, byte[] body) {
        Map<String, JoinAnswer> answers = directive().stream()
                .flatMap(current -> current.joins().stream())
                .collect(Collectors.toMap(JoinAnswer::request, answer -> answer, (one, other) -> one));
        return renewals.ask(node, body, this::isNamed, answers);
    }

    /** A site's words on a login; a node that is ready is asked for its own. */
    SiteAccounts accounts(String login, @Nullable Account copy, Instant now) {
        lock.lock();
        try {
            String node = heard.entrySet().stream()
                    .filter(one -> one.getValue().said().ready())
                    .max(Comparator.comparing(one -> one.getValue().at()))
                    .map(Map.Entry::getKey)
                    .orElse(null);
            SiteAccounts answer = accounts.ask(login, copy, node, now);
            changed.signalAll();
            return answer;
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
                    Duration.between(latest.at(), now).toMillis() / 1000.0,
                    latest.said().ready(),
                    latest.said().imageSha256(),
                    gate(node, latest.said()),
                    renewals.of(node),
                    latest.said().notice())));
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
        Task task = new Task(report.job(), report.attempt(), report.node());
        JobReport before = jobs.get(task);
        if (orders.containsKey(task) && (before == null || report.phase().compareTo(before.phase()) >= 0)) {
            jobs.put(task, report);
        }
    }

    private static boolean named(Directive directive, String node) {
        return directive.nodes().stream().anyMatch(grant -> grant.node().equals(node));
    }
}
