package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Compute;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.policy.Money;

/** A region: its provider, the directors and nodes that run in its instances, and the wires. */
final class SimSite {
    final String name;
    final SimProvider provider;
    final Map<String, SimDirector> directors = new LinkedHashMap<>();
    final Map<String, SimNode> nodes = new LinkedHashMap<>();

    @Nullable
    Instant linkCutUntil;

    private final SimClock clock;
    private final Draw draw;
    private final Home home;
    private final Duration lease;
    /** Nodes that it may have, and of those that are always there. */
    final int maxNodes;

    final int keepCount;
    /** Who runs the foreign jobs; null where there are none. */
    @Nullable
    SimSlurm slurm;

    /** The site's directors are never reached. */
    boolean mute;

    /** Why no director can be installed; empty when one can. */
    String uninstallable = "";

    /** Judges what was there when the journal was put back; null where that does not happen. */
    @Nullable
    Restored restored;

    /** Null where runs have no homes within reach. */
    @Nullable
    SimReach reach;

    /** No node becomes another. */
    boolean neverTurns;

    /** Each node becomes another that is told so, and no hook hangs. */
    boolean turnsWell;

    /** The version in which no node passes its gate; empty for none. */
    String badVersion = "";

    /** The provider where calls are counted; null where they are not. */
    @Nullable
    CountedListings counted;

    /** Jobs end by themselves only after an hour, and well. */
    boolean runsLong;

    SimSite(SimWorld.Spec spec, SimClock clock, Draw draw, Home home, Duration lease) {
        this.name = spec.name();
        this.maxNodes = spec.maxNodes();
        this.keepCount = spec.keepCount();
        this.provider = new SimProvider(name, clock, draw, Money.parse(spec.price()));
        this.clock = clock;
        this.draw = draw;
        this.home = home;
        this.lease = lease;
    }

    Compute compute() {
        CountedListings by = counted;
        return by == null ? provider : by;
    }

    SitePlan.Calls calls() {
        CountedListings by = counted;
        return by == null ? SitePlan.Calls.UNCOUNTED : by.counted();
    }

    /** Compute nodes that are there, or about to be. */
    long nodes() {
        return provider.machines.values().stream()
                .filter(machine -> machine.isLive()
                        && !Faults.isDirector(machine)
                        && (restored == null || !restored.isUnknown(machine)))
                .count();
    }

    boolean isLinkUp() {
        return !mute && (linkCutUntil == null || !clock.now().isBefore(linkCutUntil));
    }

    Optional<SimDirector> director(String instance) {
        return Optional.ofNullable(directors.get(instance)).filter(director -> director.machine.isLive());
    }

    void step() {
        provider.step();
        Instant now = clock.now();
        for (SimProvider.Machine machine : provider.machines.values()) {
            boolean booted = machine.hasBooted(now);
            if (booted && "DIRECTOR".equals(machine.request.tags().get("spillway-role"))) {
                directors.computeIfAbsent(machine.id, id -> new SimDirector(machine, "s" + draw.id()));
            } else if (booted) {
                nodes.computeIfAbsent(machine.id, id -> new SimNode(machine, now, provider.sickZones));
            }
        }
        for (SimDirector director : directors.values()) {
            if (!director.machine.isLive() && director.runs) {
                director.kill();
            }
        }
        for (SimNode node : nodes.values()) {
            if (node.machine.isStopped()) {
                node.runs.values().forEach(run -> run.ended = true);
                node.leaseUntil = null;
            } else if (node.machine.isLive()) {
                step(node, now);
            }
        }
    }

    private void step(SimNode node, Instant now) {
        node.runs.values().forEach(run -> {
            boolean reads = run.reads != null && !run.reads.isOver();
            if (!run.ended && !reads && !now.isBefore(run.endsAt)) {
                run.ended = true;
                run.exitCode = run.reads != null && run.reads.hasFailed() ? 1 : run.exitCode;
            }
        });
        boolean cut = node.cutUntil != null && now.isBefore(node.cutUntil);
        if (slurm != null && node.id != null && !cut) {
            epilogs(node, node.id, slurm);
        }
        if (!cut && !node.machine.deaf && !now.isBefore(node.nextContact)) {
            node.nextContact = now.plusMillis(draw.between(300, 1200));
            directorOf(node).ifPresent(director -> contact(node, director, now));
        }
        if (node.leaseUntil != null && now.isAfter(node.leaseUntil)) {
            provider.end(node.machine);
        }
    }

    /** Runs that the manager has ended or taken away end on the node. */
    private static void epilogs(SimNode node, String id, SimSlurm slurm) {
        node.runs.values().forEach(run -> {
            JobOrder.Foreign foreign = run.foreign;
            if (foreign != null && !run.ended && !slurm.runs(foreign.job(), id, run.foreignRun)) {
                run.ended = true;
            }
        });
    }

    boolean isReachable(String id) {
        return nodes.values().stream()
                .anyMatch(node -> id.equals(node.id)
                        && node.machine.isLive()
                        && !(node.cutUntil != null && clock.now().isBefore(node.cutUntil)));
    }

    /** The user data names the director's address, as in reality. */
    Optional<SimDirector> directorOf(SimNode node) {
        return directors.values().stream()
                .filter(director -> director.machine.isLive()
                        && director.answers(clock.now())
                        && node.machine.request.userData().endsWith("@" + director.machine.address))
                .findFirst();
    }

    private void contact(SimNode node, SimDirector director, Instant now) {
        Directive directive = director.directive;
        if (directive == null) {
            return;
        }
        String id = node.id;
        if (id == null) {
            join(node, director, directive, now);
            return;
        }
        Instant named = director.named.get(id);
        boolean isGranted =
                directive.nodes().stream().anyMatch(grant -> grant.node().equals(id));
        if (!isGranted) {
            provider.end(node.machine);
            return;
        }
        Instant most = named == null ? now : named.plus(lease);
        node.leaseUntil = most.isBefore(now.plus(lease)) ? most : now.plus(lease);
        director.heard.put(id, now);
        Directive.NodeProfile wanted = profile(directive, id);
        boolean refuses = wanted != null
                && !badVersion.isEmpty()
                && wanted.image().version().equals(badVersion)
                && (node.image == null || node.turn != wanted.turn());
        director.refusing.put(id, refuses);
        boolean passed = !refuses && node.hasPassed(wanted, now, draw, neverTurns, turnsWell);
        director.ready.put(id, passed && node.readyAt != null && !now.isBefore(node.readyAt));
        if (node.image != null) {
            director.turns.put(id, node.turn);
            director.roots.put(id, node.root);
        }
        director.sick.put(id, node.sickness);
        director.drift.put(id, node.drift);
        if (node.notice != null) {
            director.notices.put(id, node.notice);
        }
        if (slurm != null) {
            register(node, id, directive, slurm);
        }
        orders(node, id, directive, director, now);
    }

    private static Directive.@Nullable NodeProfile profile(Directive directive, String id) {
        return directive.nodes().stream()
                .filter(grant -> grant.node().equals(id))
                .findFirst()
                .map(Directive.NodeGrant::profile)
                .orElse(null);
    }

    /** The node's daemon registers once, and again when the node is told to look after it. */
    private static void register(SimNode node, String id, Directive directive, SimSlurm slurm) {
        directive.nodes().stream()
                .filter(grant -> grant.node().equals(id))
                .map(Directive.NodeGrant::manager)
                .filter(Objects::nonNull)
                .map(grant -> grant.turn().isEmpty() ? "once" : grant.turn())
                .filter(turn -> !turn.equals(node.registered) && !slurm.isAway())
                .findFirst()
                .ifPresent(turn -> {
                    node.registered = turn;
                    slurm.nodes.registered(id);
                });
    }

    private void join(SimNode node, SimDirector director, Directive directive, Instant now) {
        String request = "csr-" + node.machine.id;
        boolean granted = directive.launches().stream()
                .anyMatch(grant -> grant.intent().equals(node.machine.request.intent())
                        && !now.isAfter(director.directiveAt.plusSeconds(grant.secondsLeft())));
        if (granted) {
            director.joins.put(
                    request,
                    new Report.JoinRequest(
                            request, node.machine.request.intent(), node.machine.id, node.machine.address, "csr"));
        }
        for (Directive.JoinAnswer answer : directive.joins()) {
            if (answer.request().equals(request) && answer.accepted()) {
                node.id = answer.node();
                node.joinedAt = now;
                node.readyAt = now.plusMillis(draw.between(100, 1500));
                node.leaseUntil = now.plus(lease);
                director.joins.remove(request);
                home.joined(answer.node(), node.machine.id);
            }
        }
    }

    private void orders(SimNode node, String id, Directive directive, SimDirector director, Instant now) {
        silence(node, id, directive, director);
        for (JobOrder order : director.orders) {
            if (!order.node().equals(id)) {
                continue;
            }
            String key = order.job() + "." + order.attempt();
            SimNode.Run run = node.runs.get(key);
            if (run == null && !order.cancel()) {
                Set<String> prepared = director.prepared.computeIfAbsent(key, attempt -> new HashSet<>());
                prepared.add(id);
                prepared.addAll(director.started(key));
                if (prepared.size() < order.peers().size()) {
                    report(order, director, Report.JobReport.Phase.ACCEPTED, null);
                    continue;
                }
                if (order.foreign() != null && slurm != null && !slurm.waitsFor(order)) {
                    report(order, director, Report.JobReport.Phase.ACCEPTED, null);
                    continue;
                }
                run = isOfNow(director, directive, order) ? start(node, order, director, now) : left(order, now);
                node.runs.put(key, run);
            } else if (run == null) {
                run = new SimNode.Run(order.job(), order.attempt(), 0, now, now);
                run.ended = true;
                run.exitCode = 143;
                run.refused = order.foreign() == null ? "" : "stopped before it started";
                node.runs.put(key, run);
            } else if (order.cancel() && !run.ended && run.foreign == null) {
                run.ended = true;
                run.exitCode = 143;
            }
            if (node.notice != null
                    && node.notice.certain()
                    && !run.ended
                    && run.foreign == null
                    && !node.endsNothing) {
                run.ended = true;
                run.taken = true;
            }
            SimRounds.step(order, run, director, now);
            report(order, director, phase(run), run);
        }
    }

    /**
     * In a world whose journal was put back a node stops what no order names any more, as in reality. In others it goes on, so
     * that a head which forgets a run is found out.
     */
    private void silence(SimNode node, String id, Directive directive, SimDirector director) {
        if (restored == null || SimDirector.isLeft(directive, id)) {
            return;
        }
        node.runs.forEach((key, run) -> {
            boolean named = director.orders.stream()
                    .anyMatch(order -> order.node().equals(id) && key.equals(order.job() + "." + order.attempt()));
            if (!named && !run.ended) {
                run.ended = true;
                run.exitCode = 143;
                if (run.earlier) {
                    restored.stopped(run, id);
                }
            }
        });
    }

    @SuppressWarnings("ReferenceEquality")
    private static boolean isOfNow(SimDirector director, Directive directive, JobOrder order) {
        return directive != director.earlier && directive.jobs().contains(order);
    }

    /** Of a job that may be in no journal. */
    private SimNode.Run left(JobOrder order, Instant now) {
        SimNode.Run run =
                new SimNode.Run(order.job(), order.attempt(), 0, now, now.plusMillis(draw.between(500, 15_000)));
        run.earlier = true;
        return run;
    }

    private static Report.JobReport.Phase phase(SimNode.Run run) {
        if (!run.refused.isEmpty()) {
            return Report.JobReport.Phase.REFUSED;
        }
        return run.ended ? Report.JobReport.Phase.ENDED : Report.JobReport.Phase.RUNNING;
    }

    private SimNode.Run start(SimNode node, JobOrder order, SimDirector director, Instant now) {
        if (!order.inputs().isEmpty()
                && !director.sealed.contains(order.inputs().getFirst().key())) {
            if (restored != null) {
                // A run that the journal takes for going on may have run to its end before.
                SimNode.Run without = new SimNode.Run(order.job(), order.attempt(), 0, now, now);
                without.ended = true;
                without.refused = "the input was not fetched";
                return without;
            }
            throw new Broken("job " + order.job() + " was started without its input");
        }
        JobOrder.Input left = order.checkpoint();
        if (left != null && !director.sealed.contains(left.key())) {
            throw new Broken("job " + order.job() + " was started without what its earlier attempt left");
        }
        home.started(order, name);
        String wanted = SimImages.imageFor(home.queueOf(order.job()));
        if (node.image != null && (!node.image.equals(wanted) || node.turning != null)) {
            throw new Broken("job " + order.job() + " was started on a node that is " + node.image
                    + (node.turning == null ? "" : " and becomes another") + ", not " + wanted);
        }
        int cpus = home.cpusOf(order.job());
        if (node.cpusUsed() + cpus > SimProvider.CPUS) {
            throw new Broken("node " + order.node() + " has more to do than it has CPUs for, with job " + order.job());
        }
        Instant end = now.plusMillis(draw.between(500, order.peers().size() > 1 ? 30_000 : 15_000));
        if (order.foreign() != null) {
            // Not for the node to say.
            end = now.plus(Duration.ofDays(1));
        } else if (runsLong) {
            end = now.plus(Duration.ofHours(1));
        }
        SimNode.Run run = new SimNode.Run(order.job(), order.attempt(), cpus, now, end);
        run.exitCode = !runsLong && draw.chance(0.03) ? 1 : 0;
        if (!runsLong && draw.chance(0.01)) {
            run.refused = "its user is not in the directory any more";
            run.ended = true;
        }
        if (reach != null && order.foreign() == null && !runsLong && !run.ended) {
            reach.begin(this, node, run);
        }
        if (slurm != null && order.foreign() != null) {
            hand(run, order, order.foreign(), slurm);
        }
        return run;
    }

    private static void hand(SimNode.Run run, JobOrder order, JobOrder.Foreign foreign, SimSlurm slurm) {
        run.foreign = foreign;
        run.exitCode = 0;
        run.foreignRun = slurm.run(foreign.job());
        if (run.refused.isEmpty()) {
            slurm.started(order);
        } else {
            slurm.refused(foreign.job());
        }
    }

    private void report(JobOrder order, SimDirector director, Report.JobReport.Phase phase, SimNode.@Nullable Run run) {
        Report.Results results = null;
        Long fetched = null;
        Integer exitCode = null;
        long endedMillis = 0;
        if (phase == Report.JobReport.Phase.ENDED && run != null) {
            director.sealed.add(order.outputKey());
            if (reach != null) {
                reach.sealed(order, run);
            }
            results = new Report.Results(1, SimStager.DIGEST);
            exitCode = run.exitCode;
            fetched = order.inputs().stream().mapToLong(JobOrder.Input::bytes).sum();
            endedMillis = run.endsAt.toEpochMilli();
        }
        director.jobs.put(
                SimDirector.key(order),
                new Report.JobReport(
                        order.job(),
                        order.attempt(),
                        order.node(),
                        phase,
                        exitCode,
                        run == null ? 0 : run.startedAt.toEpochMilli(),
                        endedMillis,
                        results,
                        run == null ? "" : run.refused,
                        true,
                        (run != null && run.taken) ? Boolean.TRUE : null,
                        fetched,
                        run == null ? null : run.synced,
                        run == null ? null : run.written));
    }
}
