package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report;

/** A director on its instance: the process, which may die and be started again, and its disk, which stays. */
final class SimDirector {
    final SimProvider.Machine machine;
    final String store;
    final Set<String> sealed = new TreeSet<>();
    final Set<String> images = new TreeSet<>();
    boolean runs;

    /** The process stands still until then. */
    Instant pausedUntil = Instant.MIN;

    @Nullable
    String boot;

    @Nullable
    Directive directive;

    Instant directiveAt = Instant.EPOCH;

    /** The last one of a time that the journal may not know. */
    @Nullable
    Directive earlier;

    /** The orders of its nodes: the directive's, and what a directive leaves as it is. */
    List<JobOrder> orders = List.of();

    final Map<String, Instant> named = new HashMap<>();
    final Map<String, Instant> heard = new HashMap<>();
    final Map<String, Boolean> ready = new HashMap<>();
    final Map<String, Report.Notice> notices = new HashMap<>();
    final Map<String, String> sick = new HashMap<>();
    final Map<String, String> drift = new HashMap<>();
    /** Versions in which nodes' jobs live; empty for their machines' own root. */
    final Map<String, String> roots = new HashMap<>();
    /** Nodes that do not pass their gate in what they are to have. */
    final Map<String, Boolean> refusing = new HashMap<>();
    /** The last turn in which a node passed its gate, where nodes have turns. */
    final Map<String, Integer> turns = new HashMap<>();

    final Map<String, Report.JoinRequest> joins = new LinkedHashMap<>();
    final Map<String, Report.JobReport> jobs = new LinkedHashMap<>();
    /** Nodes that are ready to start an attempt, which they do together. */
    final Map<String, Set<String>> prepared = new HashMap<>();

    SimDirector(SimProvider.Machine machine, String store) {
        this.machine = machine;
        this.store = store;
    }

    /** The process is gone with all that it knew. */
    void kill() {
        runs = false;
        pausedUntil = Instant.MIN;
        directive = null;
        orders = List.of();
        named.clear();
        heard.clear();
        ready.clear();
        notices.clear();
        sick.clear();
        drift.clear();
        turns.clear();
        roots.clear();
        refusing.clear();
        joins.clear();
        jobs.clear();
        prepared.clear();
    }

    boolean answers(Instant now) {
        return runs && !now.isBefore(pausedUntil);
    }

    void start(String newBoot) {
        if (!runs) {
            runs = true;
            boot = newBoot;
        }
    }

    /** Nodes that have told of starting that attempt: they do not ask again. */
    List<String> started(String attempt) {
        return jobs.values().stream()
                .filter(told -> attempt.equals(told.job() + "." + told.attempt())
                        && (told.phase() == Report.JobReport.Phase.RUNNING
                                || told.phase() == Report.JobReport.Phase.ENDED))
                .map(Report.JobReport::node)
                .toList();
    }

    static String key(JobOrder order) {
        return order.job() + "." + order.attempt() + "@" + order.node();
    }

    static boolean isLeft(Directive directive, String node) {
        return directive.nodes().stream().anyMatch(grant -> grant.node().equals(node) && grant.left());
    }

    private boolean isUnderWay(JobOrder order) {
        Report.JobReport told = jobs.get(key(order));
        return told == null
                || told.phase() == Report.JobReport.Phase.ACCEPTED
                || told.phase() == Report.JobReport.Phase.RUNNING;
    }

    private List<Report.GateCheck> gate(String node) {
        List<Report.GateCheck> gate = new ArrayList<>();
        Integer turn = turns.get(node);
        if (turn != null) {
            gate.add(new Report.GateCheck(Directive.NodeProfile.CHECK, true, turn.toString()));
        }
        String root = roots.getOrDefault(node, "");
        if (refusing.getOrDefault(node, false)) {
            gate.clear();
            gate.add(new Report.GateCheck(Directive.Root.CHECK, false, "jobs cannot live in it"));
        } else if (!root.isEmpty()) {
            gate.add(new Report.GateCheck(Directive.Root.CHECK, true, root + " 6.1.0"));
        }
        String sickness = sick.getOrDefault(node, "");
        if (!sickness.isEmpty()) {
            gate.add(new Report.GateCheck(Report.GateCheck.HEALTH, false, sickness));
        }
        String differs = drift.getOrDefault(node, "");
        if (!differs.isEmpty()) {
            gate.add(new Report.GateCheck(Directive.Drift.CHECK, false, differs));
        }
        return gate;
    }

    Report sync(Directive next, Instant now) {
        Directive last = directive;
        if (last == null || next.sequence() > last.sequence()) {
            List<JobOrder> all = new ArrayList<>(next.jobs());
            for (JobOrder order : orders) {
                boolean named = next.jobs().stream().anyMatch(one -> key(one).equals(key(order)));
                if (!named && isLeft(next, order.node()) && isUnderWay(order)) {
                    all.add(order);
                }
            }
            directive = next;
            directiveAt = now;
            orders = all;
            next.nodes().forEach(grant -> named.put(grant.node(), now));
            jobs.keySet().removeIf(key -> orders.stream().noneMatch(order -> key.equals(key(order))));
        }
        List<Report.NodeReport> nodes = heard.entrySet().stream()
                .map(entry -> new Report.NodeReport(
                        entry.getKey(),
                        java.time.Duration.between(entry.getValue(), now).toMillis() / 1000.0,
                        ready.getOrDefault(entry.getKey(), false),
                        "",
                        gate(entry.getKey()),
                        null,
                        notices.get(entry.getKey())))
                .toList();
        return new Report(
                Directive.SCHEMA,
                "sim",
                boot == null ? "" : boot,
                store,
                next.sequence(),
                List.copyOf(joins.values()),
                nodes,
                List.copyOf(jobs.values()),
                List.copyOf(images),
                Report.DirectoryReport.NONE,
                0);
    }
}
