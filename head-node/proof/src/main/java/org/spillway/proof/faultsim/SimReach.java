package org.spillway.proof.faultsim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.spillway.director.reach.HomeQuestions;
import org.spillway.director.reach.KeptBlocks;
import org.spillway.director.reach.LargeFiles;
import org.spillway.director.reach.ReachSession;
import org.spillway.director.reach.SmallFiles;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Reach;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.staging.HomeAnswers;
import org.spillway.stage.reach.Messages;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;

/**
 * Homes within reach of runs (ADR 67): the sessions of directors and the judgement of heads are those of production, the wires between
 * them, the files and the runs are simulated. Sessions have threads; the world goes on when each of them waits or has answered, so
 * that a seed tells one story.
 */
final class SimReach {
    static final int MOST_LATE_MILLIS = 30_000;
    private static final int SMALL_BYTES = 1 << 20;

    /** Nobody here waits by this clock. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Planted, to see that it is found. */
    enum Mistake {
        NONE,
        /** Home gives the bytes that it has, whichever state of the file was opened. */
        ANY_STATE,
        /** A line that is made anew opens files anew. */
        OPENS_ANEW,
        /** A write of a run that has no line is acknowledged and kept nowhere. */
        FORGETS_WRITES
    }

    final SimFiles files;
    private final SimWorld world;
    private final Draw draw;
    private final Mistake mistake;
    private final List<SimReads> all = new ArrayList<>();
    /** By the instance of their director. */
    private final Map<String, Region> regions = new LinkedHashMap<>();

    private final List<Told> underWay = new ArrayList<>();
    private final Map<String, List<String>> bundles = new HashMap<>();
    private final Set<String> atHome = new HashSet<>();
    private @Nullable HomeAnswers head;

    /** Of one life of a director. */
    private static final class Region {
        final SimDirector director;
        final @Nullable String boot;
        final HomeQuestions questions;
        final List<SimWire> wires = new ArrayList<>();
        final Map<String, SmallFiles> small = new HashMap<>();
        final Map<String, LargeFiles> large = new HashMap<>();

        Region(SimDirector director, HomeQuestions questions) {
            this.director = director;
            this.boot = director.boot;
            this.questions = questions;
        }

        boolean isGone() {
            return !director.runs
                    || !director.machine.isLive()
                    || !String.valueOf(boot).equals(director.boot);
        }
    }

    /** A question on its way to an answer, and back. */
    private static final class Told {
        final SimSite site;
        final String instance;
        final Messages.Asked asked;
        final Instant readAt;
        final Instant backAt;

        @Nullable
        Reply reply;

        Told(SimSite site, String instance, Messages.Asked asked, Instant readAt, Instant backAt) {
            this.site = site;
            this.instance = instance;
            this.asked = asked;
            this.readAt = readAt;
            this.backAt = backAt;
        }
    }

    SimReach(SimWorld world, Draw draw, Mistake mistake) {
        this.world = world;
        this.draw = draw;
        this.mistake = mistake;
        this.files = new SimFiles(world.clock, mistake == Mistake.ANY_STATE);
    }

    Instant now() {
        return world.clock.now();
    }

    void saw(String what) {
        world.drew(what);
    }

    boolean opensAnew() {
        return mistake == Mistake.OPENS_ANEW;
    }

    boolean forgetsWrites() {
        return mistake == Mistake.FORGETS_WRITES;
    }

    void headBegins(Journal journal) {
        Map<String, Reach> sites = new HashMap<>();
        world.sites.keySet().forEach(site -> sites.put(site, new Reach(List.of())));
        head = new HomeAnswers(
                journal,
                new HomeAnswers.Users(
                        (spec, bounds, question) -> files.answer(question), user -> Optional.of(SimFiles.HOME)),
                new HomeAnswers.Places(sites, site -> false, List.of()));
    }

    /** Half of what is on the wire arrives all the same. */
    void headDies() {
        head = null;
        underWay.removeIf(told -> told.reply == null || draw.chance(0.5));
    }

    /** Some runs read their user's home. */
    void begin(SimSite site, SimNode node, SimNode.Run run) {
        if (draw.chance(0.3)) {
            run.reads = new SimReads(this, site, node, run, draw);
            all.add(run.reads);
        }
    }

    void step() {
        if (draw.chance(0.12)) {
            files.change(SimFiles.some(draw));
        }
        leave();
        for (SimReads reads : all) {
            Optional<SimDirector> director = director(reads);
            if (director.isEmpty()) {
                reads.cut();
            }
            reads.step(() -> director.flatMap(found -> line(reads, found)));
        }
        all.stream().map(reads -> reads.site).distinct().toList().forEach(this::ask);
        answer();
    }

    private void leave() {
        List<Region> gone = regions.values().stream().filter(Region::isGone).toList();
        regions.values().removeAll(gone);
        for (Region region : gone) {
            all.stream().filter(reads -> reads.isOn(region.wires)).forEach(SimReads::cut);
        }
    }

    private Optional<SimDirector> director(SimReads reads) {
        Instant cut = reads.node.cutUntil;
        return cut != null && now().isBefore(cut) ? Optional.empty() : reads.site.directorOf(reads.node);
    }

    private static Optional<JobOrder> order(SimReads reads, SimDirector director) {
        return director.orders.stream()
                .filter(order -> order.job().equals(reads.run.job)
                        && order.attempt() == reads.run.attempt
                        && order.node().equals(reads.node.id))
                .findFirst();
    }

    private Optional<SimWire> line(SimReads reads, SimDirector director) {
        if (order(reads, director).isEmpty()) {
            return Optional.empty();
        }
        Region region = regions.computeIfAbsent(
                director.machine.id, id -> new Region(director, new HomeQuestions(world.clock::now, PATIENCE)));
        String run = reads.run.job + "." + reads.run.attempt + "@" + reads.node.id;
        var session = new ReachSession(
                region.questions,
                region.small.computeIfAbsent(run, name -> new SmallFiles(SMALL_BYTES)),
                region.large.computeIfAbsent(run, name -> large()),
                world.clock::now,
                () -> order(reads, director)
                        .map(order -> new HomeQuestions.Asker(order.job(), order.attempt(), order.node(), "1000")));
        SimWire wire = new SimWire(session);
        region.wires.add(wire);
        return Optional.of(wire);
    }

    /** In memory alone; what is asked for, and when, is the seed's, so that nothing is asked for ahead. */
    private static LargeFiles large() {
        return new LargeFiles(KeptBlocks.none(), SMALL_BYTES, ahead -> {});
    }

    /** Until each session waits for home, or has answered. */
    void settle() {
        long limit = System.nanoTime() + STUCK_NANOS;
        for (Region region : regions.values()) {
            region.wires.removeIf(wire -> !wire.isAlive());
            while (region.questions.waiting()
                    != region.wires.stream().filter(SimWire::isBusy).count()) {
                if (System.nanoTime() > limit) {
                    throw new IllegalStateException("a session of a director neither waits nor answers");
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    /** The head comes for questions, where there is one. */
    private void ask(SimSite site) {
        if (head == null || !site.isLinkUp()) {
            return;
        }
        for (Region region : List.copyOf(regions.values())) {
            boolean here = site.director(region.director.machine.id).isPresent();
            if (!here || !region.director.answers(now()) || draw.chance(0.3)) {
                continue;
            }
            for (Messages.Asked asked : taken(region)) {
                if (world.isFaulty() && draw.chance(0.05)) {
                    saw("home question lost");
                    continue;
                }
                send(site, region, asked);
                if (draw.chance(0.05)) {
                    saw("home question answered twice");
                    send(site, region, asked);
                }
            }
        }
    }

    private static List<Messages.Asked> taken(Region region) {
        try {
            return Messages.readAsked(region.questions.take(Duration.ZERO));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        } catch (InterruptedException ended) {
            throw new IllegalStateException(ended);
        }
    }

    private void send(SimSite site, Region region, Messages.Asked asked) {
        boolean late = world.isFaulty() && draw.chance(0.1);
        Instant readAt = now().plusMillis(draw.between(0, 500));
        Instant backAt = readAt.plusMillis(draw.between(0, late ? MOST_LATE_MILLIS : 500));
        underWay.add(new Told(site, region.director.machine.id, asked, readAt, backAt));
    }

    private void answer() {
        HomeAnswers answers = head;
        for (Told told : List.copyOf(underWay)) {
            if (told.reply == null && !now().isBefore(told.readAt)) {
                if (answers == null) {
                    underWay.remove(told);
                    continue;
                }
                boolean reads = told.asked.question().kind() == Question.Kind.READ;
                told.reply = reads && world.isFaulty() && draw.chance(0.03)
                        ? Reply.of(Reply.Status.FAILED)
                        : answers.reply(told.site.name, told.asked);
            }
            if (told.reply != null && !now().isBefore(told.backAt)) {
                underWay.remove(told);
                deliver(told, told.reply);
            }
        }
    }

    /** To whoever serves at that address by now. */
    private void deliver(Told told, Reply reply) {
        Region region = regions.get(told.instance);
        if (region == null || !told.site.isLinkUp() || !region.director.answers(now())) {
            saw("home answer lost");
            return;
        }
        try {
            region.questions.answered(Messages.told(new Messages.Told(told.asked.number(), reply)));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        settle();
    }

    /** Whether nobody waits for that run any more. */
    boolean isOver(SimNode.Run run, String node) {
        return world.disk
                .job(run.job)
                .filter(job -> job.isLive()
                        && !job.run().cancelled()
                        && job.run().attempt() == run.attempt
                        && job.run().nodes().contains(node)
                        && !job.run().home())
                .isEmpty();
    }

    /** The results of a run are in its region. */
    void sealed(JobOrder order, SimNode.Run run) {
        if (run.reads != null) {
            bundles.put(order.outputKey(), List.copyOf(run.reads.upper));
        }
    }

    void published(JobRecord job) {
        for (int rank = 0; rank < job.run().ranks().size(); rank++) {
            String key = Orders.outputKey(job.id(), job.run().attempt(), rank);
            atHome.addAll(bundles.getOrDefault(key, List.of()));
        }
    }

    /** Writes that a job which is DONE was acknowledged are at home, and none of another attempt is. */
    void judge(JobRecord job) {
        for (SimReads reads : all) {
            if (!reads.run.job.equals(job.id())) {
                continue;
            }
            boolean itself = reads.run.attempt == job.run().attempt();
            for (String name : reads.acknowledged) {
                if (itself != atHome.contains(name)) {
                    throw new Broken(
                            "job " + job.id() + " is DONE and " + name + " is " + (itself ? "not " : "") + "at home");
                }
            }
        }
    }

    /** Ends its threads. */
    void close() {
        regions.values().forEach(region -> region.wires.forEach(SimWire::cut));
    }
}
