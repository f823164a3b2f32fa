package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.policy.Resources;

/**
 * The users: they submit at the start and in the midst of things, several at once, and change their minds. They draw
 * from a stream of their own, so that a seed with quiet users stays the story that it was before there were busy ones.
 */
final class Users {
    private static final int MOST_JOBS = 12;

    private final SimWorld world;
    private final Draw draw;
    private final boolean roles;
    private final boolean busy;
    private final List<String> jobs = new ArrayList<>();
    private @Nullable JobSpec unsure;
    private int names;

    /** @param roles whether some jobs need nodes of another category */
    Users(SimWorld world, Draw draw, boolean busy, boolean roles) {
        this.roles = roles;
        this.world = world;
        this.draw = draw;
        this.busy = busy;
    }

    /** Acknowledged submissions. */
    List<String> jobs() {
        return jobs;
    }

    /** Jobs that lie in the queue when the head is first started. */
    void begin(Draw first) {
        Journal journal = new Journal(world.disk, Instant.MIN);
        int count = first.between(1, 5);
        for (int i = 0; i < count; i++) {
            submit(journal, first);
        }
    }

    /** While things go wrong now and then a user comes. The head may be killed under any of it. */
    void step(Journal journal, boolean faulty) {
        JobSpec again = unsure;
        if (again != null) {
            send(journal, again);
        }
        if (!busy || !faulty) {
            return;
        }
        if (draw.chance(0.01)) {
            for (int i = draw.between(1, 4); i > 0 && jobs.size() < MOST_JOBS; i--) {
                submit(journal, draw);
            }
        }
        if (!jobs.isEmpty() && draw.chance(0.01)) {
            String id = jobs.get(draw.between(0, jobs.size() - 1));
            journal.job(id)
                    .filter(job -> job.isLive() && !job.run().cancelled())
                    .ifPresent(job -> journal.commit(
                            world.headNow(),
                            job.with(
                                    job.jobState() == JobState.STAGING_OUT
                                            ? job.run().withGivenUp(world.headNow())
                                            : job.run().withCancelled())));
        }
    }

    private void submit(Journal journal, Draw from) {
        String id = "j" + names++;
        List<String> sites = sites(from);
        int most =
                sites.stream().mapToInt(site -> world.site(site).maxNodes).min().orElse(1);
        int nodes = from.chance(0.7) ? 1 : from.between(1, most);
        send(journal, JobSpec.of(draft -> {
            draft.name = id;
            draft.owner = new JobSpec.Owner("u", 1000, 1000);
            draft.queue = roles && from.chance(0.5) ? SimImages.QUEUE : "q";
            draft.sites = sites;
            draft.program = new JobSpec.Program("#!/bin/sh\n", List.of(), Map.of());
            draft.need = new JobSpec.Need(
                    Resources.of(from.between(1, SimProvider.CPUS), 1L << 30, 0), nodes, Duration.ofSeconds(60));
            draft.priority = from.between(0, 1);
            draft.after = after(from);
            draft.data = new JobSpec.Data(
                    from.chance(0.7) ? List.of(new JobSpec.Input("/home/u/in", "")) : List.of(),
                    List.of(
                            new JobSpec.Output("out", "/home/u/out-" + id, false, false),
                            new JobSpec.Output(Orders.STDOUT, "/home/u/log-" + id, false, false)),
                    "/home/u",
                    // Of each third one outputs come home while it runs.
                    names % 3 == 0 ? 5 : 0,
                    null);
            draft.idempotencyKey = JobSpec.Key.of(id);
            draft.submittedAt = world.headNow();
        }));
    }

    /** A site or several, in an order of preference; never only those that cannot be reached. */
    private List<String> sites(Draw from) {
        List<String> all = new ArrayList<>(world.sites.keySet());
        Collections.rotate(all, from.between(0, all.size() - 1));
        List<String> some = all.subList(0, from.chance(0.4) ? 1 : from.between(1, all.size()));
        if (some.stream().allMatch(site -> world.site(site).mute)) {
            return List.of(some.getFirst(), "site0");
        }
        return List.copyOf(some);
    }

    private List<JobSpec.Dependency> after(Draw from) {
        return jobs.isEmpty() || !from.chance(0.2)
                ? List.of()
                : List.of(new JobSpec.Dependency(jobs.get(from.between(0, jobs.size() - 1)), from.chance(0.5)));
    }

    /** A submission that the head did not live to acknowledge is sent again under its key, and is then the same job. */
    private void send(Journal journal, JobSpec spec) {
        unsure = spec;
        if (journal.store().jobByKey(spec.uid(), spec.idempotencyKey().value()).isEmpty()) {
            journal.commit(
                    world.headNow(),
                    new JobRecord(spec.name(), spec, JobState.SUBMITTED, Cause.NONE, world.headNow(), JobRun.NONE));
        }
        unsure = null;
        jobs.add(spec.name());
    }

    /** The journal was put back: what it does not know is lost to them. */
    void putBack() {
        jobs.removeIf(id -> world.disk.job(id).isEmpty());
        unsure = null;
    }

    boolean isWaiting() {
        return unsure != null;
    }
}
