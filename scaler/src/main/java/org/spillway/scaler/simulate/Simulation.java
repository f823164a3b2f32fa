package org.spillway.scaler.simulate;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingStatus;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;
import org.spillway.scaler.simulate.log.LoggedJob;
import org.spillway.scaler.simulate.log.NodeGroup;
import org.spillway.scaler.simulate.world.Luck;
import org.spillway.scaler.simulate.world.Scenario;

/**
 * A log, a policy and a world: a simulation of discrete events around the production scaler. The same arguments give
 * the same result, but for the time that it took.
 *
 * <p><b>Ticks that are skipped.</b> A head decides at every tick. A decision is a pure function of the snapshot, so it can
 * be another one than at the last tick only if the snapshot is another one. Besides {@code now} the snapshot changes
 * only with an event (a job is submitted, starts, ends; a node is launched, boots, is released, is taken back), with what
 * the last decision did, and when an offering may be asked again. And {@code now} by itself matters only to the policy,
 * which says from when ({@link org.spillway.policy.ScalingPolicy#nextChange}), to the guard, which compares it with the
 * statuses' retry times, and to a budget, whose rest changes while nodes run. So after a decision that did nothing, the
 * next one is at the first tick at or after the earliest of these. A policy that says nothing is asked at every tick.
 *
 * <p><b>Cost.</b> A tick costs as much as there are waiting shapes and nodes, an event as much as there are waiting sizes
 * and nodes; the number of waiting jobs does not matter.
 */
public final class Simulation {
    private static final long NEVER = Agenda.NEVER;
    /** Without a start or an end for so long, what still waits will wait for ever. */
    private static final long PATIENCE_MILLIS = Duration.ofDays(30).toMillis();
    /** Without an end for so long: what runs is taken back again and again before it is done. */
    private static final long MOST_PATIENCE_MILLIS = Duration.ofDays(400).toMillis();
    /** Nodes that a policy keeps after the last job are ended after so long. */
    private static final long AFTERWARDS_MILLIS = Duration.ofHours(24).toMillis();

    private final SimulationSettings settings;
    private final RunTimes runTimes;
    private final Clouds clouds;
    private final List<SimulatedNode> home = new ArrayList<>();
    private final Map<String, SimulatedNode> bought = new LinkedHashMap<>();
    private final Queueing queueing;
    private final List<SimulatedJob> jobs = new ArrayList<>();
    private final Agenda agenda = new Agenda();
    private final Bills bills = new Bills();
    private final Meter meter;
    private final Decider decider;
    private final Budget budget;
    private final LimitBook limitBook;
    private final List<Offering> offerings;
    private final List<String> siteNames;
    private final Map<String, Integer> maxNodes = new HashMap<>();
    private final long from;
    private final long lastSubmit;
    private int submitted;
    private int ended;
    private boolean roomChanged;
    private long lastProgress;
    private long lastEnd;

    /** @param log jobs in the order of submission, at least one, each of which {@link Scenario#canHold} */
    public Simulation(List<LoggedJob> log, Scenario scenario, SimulationSettings settings, PolicyChoice<?> choice) {
        this.settings = settings;
        this.offerings = scenario.offerings();
        this.siteNames = scenario.siteNames();
        from = log.getFirst().submit().toEpochMilli();
        lastSubmit = log.getLast().submit().toEpochMilli();
        runTimes = new RunTimes(settings.defaultLimit());
        clouds = new Clouds(scenario, new Luck(settings.seed()), from);
        for (NodeGroup group : scenario.home()) {
            for (int i = 1; i <= group.count(); i++) {
                home.add(SimulatedNode.home(group.name() + "-" + i, home.size(), Scenario.HOME, group.each(), from));
            }
        }
        queueing = new Queueing(home, clouds.nodesBySite(), runTimes);
        meter = new Meter(home, from, lastSubmit, settings.samples());
        decider = new Decider(choice, ZoneOffset.UTC);
        budget = new Budget(settings.monthlyBudget(), from);
        limitBook = new LimitBook(scenario.limits());
        maxNodes.put(Scenario.HOME, home.size());
        scenario.sites().forEach(site -> maxNodes.put(site.name(), site.maxNodes()));
        var intake = new Intake(runTimes);
        log.forEach(job -> jobs.add(intake.take(job, limitBook.tellsUsers())));
    }

    /** @param progress told of the jobs that have ended, now and then */
    public SimulationResult run(LongConsumer progress) {
        long began = System.nanoTime();
        long tick = settings.tick().toMillis();
        long lastTick = from - 1;
        long nextTick = NEVER;
        int told = 0;
        while (true) {
            long event = nextEvent();
            if (isOver() || (event == NEVER && nextTick == NEVER)) {
                break;
            }
            long now = Math.min(event, nextTick);
            if (isHopeless(now)) {
                break;
            }
            meter.advance(now, world);
            if (event <= nextTick) {
                happen(event);
                nextTick = Math.min(nextTick, boundary(event, lastTick, tick));
                if (settings.everyTick()) {
                    nextTick = boundary(lastTick + 1, lastTick, tick);
                }
            } else {
                lastTick = nextTick;
                long wanted = decide(lastTick);
                nextTick = wanted == NEVER ? NEVER : boundary(wanted, lastTick, tick);
                if (settings.everyTick() && !isOver()) {
                    nextTick = lastTick + tick;
                }
            }
            if (ended - told >= 500) {
                told = ended;
                progress.accept(ended);
            }
        }
        long end = Math.max(lastProgress, lastTick);
        List.copyOf(bought.values()).forEach(node -> gone(node, Math.max(end, node.launched())));
        long ticks = (Math.max(end, from) - from) / tick + 1;
        progress.accept(ended);
        return result(ticks, Duration.ofNanos(System.nanoTime() - began));
    }

    private boolean isOver() {
        return ended == jobs.size() && bought.isEmpty();
    }

    /** Nothing starts any more, or nothing ends, or a policy keeps nodes for nobody. */
    private boolean isHopeless(long now) {
        if (submitted < jobs.size()) {
            return false;
        }
        long quiet = now - lastProgress;
        return ended == jobs.size()
                ? quiet > AFTERWARDS_MILLIS
                : now - Math.max(lastEnd, lastSubmit) > MOST_PATIENCE_MILLIS
                        || (quiet > PATIENCE_MILLIS && nothingRuns());
    }

    private boolean nothingRuns() {
        return ended + queueing.waitingJobs() == submitted;
    }

    /** The first tick at or after this time that is after the last one. */
    private long boundary(long at, long lastTick, long tick) {
        long later = Math.max(at, lastTick + 1);
        return from + Math.ceilDiv(later - from, tick) * tick;
    }

    private long nextEvent() {
        return submitted < jobs.size() ? Math.min(jobs.get(submitted).submit(), agenda.next()) : agenda.next();
    }

    /** All that happens at this time, and then what can start, starts. */
    private void happen(long now) {
        roomChanged = false;
        for (Agenda.Event event = agenda.take(now); event != null; event = agenda.take(now)) {
            happen(event);
        }
        Set<Shape> fresh = new HashSet<>();
        List<Shape> freshInOrder = new ArrayList<>();
        while (submitted < jobs.size() && jobs.get(submitted).submit() == now) {
            SimulatedJob job = jobs.get(submitted++);
            if (job.shape().isEmpty() && fresh.add(job.shape())) {
                freshInOrder.add(job.shape());
            }
            queueing.submit(job);
            lastProgress = now;
        }
        if (roomChanged) {
            queueing.pass(now, this::started);
        } else {
            freshInOrder.forEach(shape -> queueing.passFor(shape, now, this::started));
        }
    }

    private void happen(Agenda.Event event) {
        switch (event.kind()) {
            case END -> end(event);
            case READY -> {
                if (event.node().phase() == NodeView.Phase.IN_FLIGHT) {
                    event.node().enter(NodeView.Phase.IDLE, event.at());
                    clouds.booted(event.node(), event.at());
                    roomChanged = true;
                }
            }
            case RECLAIM -> reclaim(event.node(), event.at());
            case GONE -> {
                if (bought.containsKey(event.node().id())) {
                    gone(event.node(), event.at());
                }
            }
        }
    }

    private void end(Agenda.Event event) {
        SimulatedJob job = event.job();
        if (job == null || job.nodes().isEmpty() || job.attempt() != event.attempt()) {
            return;
        }
        giveBack(job, event.at());
        job.end(event.at());
        runTimes.ended(job.shape().group, job.duration());
        ended++;
        lastEnd = event.at();
        lastProgress = event.at();
        roomChanged = true;
    }

    private void giveBack(SimulatedJob job, long now) {
        if (job.nodes().getFirst().site().equals(Scenario.HOME)) {
            meter.homeChanged(job, false);
        }
        job.nodes().forEach(node -> node.give(job, now));
    }

    private void reclaim(SimulatedNode node, long now) {
        if (!bought.containsKey(node.id())) {
            return;
        }
        bills.reclaimed();
        for (SimulatedJob job : List.copyOf(node.jobs())) {
            giveBack(job, now);
            job.lost();
            bills.lostJob();
            queueing.submit(job);
        }
        gone(node, now);
        roomChanged = true;
    }

    private void gone(SimulatedNode node, long now) {
        limitBook.settle(node, now);
        Money bill = clouds.gone(node, now);
        bought.remove(node.id());
        bills.gone(node, bill, now);
    }

    private void started(SimulatedJob job) {
        SimulatedNode first = job.nodes().getFirst();
        if (first.site().equals(Scenario.HOME)) {
            meter.homeChanged(job, true);
        }
        if (!limitBook.isEmpty()) {
            job.nodes().forEach(node -> {
                limitBook.settle(node, job.started());
                node.held(job.started());
            });
        }
        lastProgress = job.started();
        agenda.put(job.started() + job.duration(), Agenda.Kind.END, job, first);
    }

    /** @return from when on another decision is possible */
    private long decide(long now) {
        ClusterSnapshot snapshot = snapshot(now);
        Plan plan = decider.plan(snapshot);
        boolean changed = false;
        for (Step step : plan.steps()) {
            switch (step) {
                case Step.Launch launch -> {
                    launch(launch, now);
                    changed = true;
                }
                case Step.Release release -> changed |= release(release.node(), now);
                // The simulated nodes are ended, never stopped.
                case Step.Power power -> {}
                // Nor has it categories: a log does not know them.
                case Step.Repurpose repurpose -> {}
                case Step.Overlay overlay -> {}
                case Step.Hold hold -> {}
            }
        }
        if (changed || (budget.isLimited() && !bought.isEmpty())) {
            return now + 1;
        }
        long wanted = decider.nextChange(snapshot)
                .map(at -> Math.max(at.toEpochMilli(), now + 1))
                .orElse(NEVER);
        if (ended == jobs.size() && bought.isEmpty()) {
            return NEVER;
        }
        wanted = Math.min(wanted, budget.nextPeriod(now));
        wanted = Math.min(wanted, limitBook.nextChange(now, !bought.isEmpty()));
        for (OfferingStatus status : snapshot.statuses()) {
            wanted = Math.min(
                    wanted,
                    status.retryAt()
                            .map(Instant::toEpochMilli)
                            .filter(at -> at > now)
                            .orElse(NEVER));
        }
        return wanted;
    }

    private void launch(Step.Launch step, long now) {
        Set<Shape> boughtFor = new HashSet<>();
        queueing.waitingShapes().stream()
                .filter(shape -> step.shapes().contains(shape.name))
                .forEach(boughtFor::add);
        Clouds.Bought result = clouds.launch(step, boughtFor, now);
        boughtFor.forEach(shape -> shape.launched(result.record()));
        for (SimulatedNode node : result.nodes()) {
            bills.launched();
            bought.put(node.id(), node);
            limitBook.launched(node.site(), now);
            node.commit(step.committed().micros() / Math.max(1, step.count()));
            long[] fate = clouds.fate(node);
            agenda.put(now + fate[0], Agenda.Kind.READY, null, node);
            if (fate[1] != NEVER) {
                agenda.put(now + fate[1], Agenda.Kind.RECLAIM, null, node);
            }
        }
    }

    private boolean release(String id, long now) {
        SimulatedNode node = bought.get(id);
        if (node == null || node.phase() != NodeView.Phase.IDLE) {
            return false;
        }
        node.enter(NodeView.Phase.DRAINING, now);
        agenda.put(now + settings.shutdown().toMillis(), Agenda.Kind.GONE, null, node);
        return true;
    }

    private ClusterSnapshot snapshot(long now) {
        Instant at = Instant.ofEpochMilli(now);
        List<Demand> demands = new ArrayList<>();
        for (Shape shape : queueing.waitingShapes()) {
            Demand demand = shape.demand(runTimes, siteNames);
            if (demand != null) {
                demands.add(demand);
            }
        }
        demands.sort(OLDEST_FIRST);
        List<NodeView> nodes = new ArrayList<>(home.size() + bought.size());
        home.forEach(node -> nodes.add(node.view()));
        clouds.nodesBySite().forEach(site -> site.forEach(node -> nodes.add(node.view())));
        return ClusterSnapshot.of(draft -> {
            draft.now = at;
            draft.demands = demands;
            draft.nodes = nodes;
            draft.offerings = offerings;
            draft.statuses = clouds.statuses(at);
            draft.limits = new Limits(maxNodes, budgetLeft(now), limitBook.of(demands, bought.values(), now));
        });
    }

    private static final Comparator<Demand> OLDEST_FIRST =
            Comparator.comparing(Demand::oldestSubmit).thenComparing(Demand::shape);

    private Money budgetLeft(long now) {
        return budget.left(now, budget.isLimited() ? world.costAt(now) : Money.ZERO, bought.values());
    }

    private final Meter.World world = new Meter.World() {
        @Override
        public int waitingJobs() {
            return queueing.waitingJobs();
        }

        @Override
        public int waitingNodes() {
            int sum = 0;
            for (Shape shape : queueing.waitingShapes()) {
                sum += shape.size() * shape.nodes;
            }
            return sum;
        }

        @Override
        public List<List<SimulatedNode>> clouds() {
            return clouds.nodesBySite();
        }

        @Override
        public Money costAt(long now) {
            return bills.costAt(now, bought.values());
        }
    };

    private SimulationResult result(long ticks, Duration took) {
        int of = (int) jobs.stream().filter(SimulatedJob::hasDeadline).count();
        int met = (int)
                jobs.stream().filter(job -> job.hasDeadline() && job.isInTime()).count();
        List<SimulationResult.Use> uses = clouds.uses();
        return new SimulationResult(
                decider.label(),
                jobs.size(),
                ended,
                Meter.waits(jobs),
                meter.homeUse(),
                bills.result(
                        uses.stream().mapToInt(SimulationResult.Use::refused).sum()),
                new SimulationResult.Deadlines(met, of),
                new SimulationResult.Effort(ticks, decider.decisions(), decider.changes(), decider.failures(), took),
                uses,
                meter.samples());
    }
}
