package org.spillway.head.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.lifecycle.JobState;
import org.spillway.head.link.DirectorTarget;
import org.spillway.stage.worker.FileRefused;

/** Takes each job one step further when what it waits for is there. */
final class Jobs {
    private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(2);
    private static final Duration STAGE_IN_TRIED = Duration.ofMinutes(30);

    private final Context context;
    private final Supplier<Instant> clock;
    private final Results results;
    private final Attempts attempts;

    Jobs(Context context, Supplier<Instant> clock) {
        this.context = context;
        this.clock = clock;
        this.results = new Results(context, clock);
        this.attempts = new Attempts(context, results);
    }

    void collectEnded(Instant now) {
        attempts.collectEnded(now);
    }

    List<Entry> lost(JobRecord job, String node, Instant now) {
        return attempts.lost(job, node, now);
    }

    void advance(Instant now) {
        List<JobRecord> steps = new ArrayList<>();
        List.copyOf(context.journal.jobs()).forEach(job -> advance(job, steps, now));
        write(steps, now);
        attempts.allocate(now);
    }

    /** Steps that nothing in the world hangs on are one write, however many: a thousand may come in one tick. */
    private void write(List<JobRecord> steps, Instant now) {
        context.journal.commit(now, steps);
        steps.stream().filter(job -> !job.isLive()).forEach(ended -> {
            attempts.withdraw(ended.id());
            results.forget(ended);
        });
    }

    private void advance(JobRecord job, List<JobRecord> steps, Instant now) {
        switch (job.jobState()) {
            case SUBMITTED, HELD, STAGING_IN, QUEUED -> {
                if (job.run().cancelled()) {
                    steps.add(job.to(JobState.CANCELLED, "cancelled by its user", now));
                } else {
                    waiting(job, steps, now);
                }
            }
            case RUNNING -> attempts.strand(job, now);
            case STAGING_OUT -> results.advance(job, now);
            case DONE, FAILED, CANCELLED -> {}
        }
    }

    private void waiting(JobRecord job, List<JobRecord> steps, Instant now) {
        switch (job.jobState()) {
            case SUBMITTED, HELD ->
                steps.add(job.with(job.run().at(job.spec().sites().getFirst())).to(JobState.STAGING_IN, "", now));
            case STAGING_IN -> {
                if (job.spec().inputs().isEmpty()) {
                    steps.add(job.to(JobState.QUEUED, "", now));
                } else {
                    stageIn(job, context.site(job.run().site()), now);
                }
            }
            case QUEUED -> {
                String store = context.store(context.site(job.run().site()));
                JobRun.Staged staged = job.run().staged();
                if (staged != null && staged.bundle() != null && store != null && !store.equals(staged.store())) {
                    steps.add(job.to(JobState.STAGING_IN, "the site's staging space was lost", now));
                }
            }
            default -> {}
        }
    }

    private void stageIn(JobRecord job, SiteState site, Instant now) {
        String store = context.store(site);
        Optional<NodeRecord> director = context.readyDirector(site.plan.name());
        if (store == null || director.isEmpty()) {
            context.waits.put(
                    job.id(),
                    "the director of site " + site.plan.name() + " is not ready"
                            + (site.trouble.isEmpty() ? "" : ": " + site.trouble));
            return;
        }
        String key = "stage-in:" + job.id();
        if (!context.mayAskAgain(key, now, BETWEEN_TRIES)) {
            return;
        }
        context.waits.put(job.id(), "its input is on the way to site " + site.plan.name());
        DirectorTarget target = Context.target(director.get());
        String moved = "in:" + job.id();
        context.ports
                .effects()
                .begin(
                        key,
                        () -> context.ports
                                .stager()
                                .stageIn(target, job, store, bytes -> context.moved.put(moved, bytes)),
                        staged -> {
                            context.failingSince.remove(moved);
                            update(
                                    job,
                                    (found, at) -> found.with(found.run().withStaged(staged))
                                            .to(JobState.QUEUED, "", at));
                        },
                        failure -> stagingFailed(job, failure));
    }

    private void stagingFailed(JobRecord job, Exception failure) {
        Instant since = context.failingSince.computeIfAbsent("in:" + job.id(), key -> clock.get());
        boolean hopeless = failure instanceof FileRefused || clock.get().isAfter(since.plus(STAGE_IN_TRIED));
        if (hopeless) {
            update(
                    job,
                    (found, at) ->
                            found.to(JobState.FAILED, "its input cannot be staged: " + failure.getMessage(), at));
            context.journal.job(job.id()).filter(found -> !found.isLive()).ifPresent(results::forget);
        } else {
            context.waits.put(
                    job.id(), "staging its input was interrupted and will be tried again: " + failure.getMessage());
            LOG.warn("job {}: stage-in: {}", job.id(), failure.toString());
        }
    }

    private interface Step {
        JobRecord from(JobRecord found, Instant at);
    }

    /** What was staged for a site says nothing when the job is bound to another by now. */
    private void update(JobRecord job, Step step) {
        Instant now = clock.get();
        context.journal
                .job(job.id())
                .filter(found -> found.jobState() == JobState.STAGING_IN
                        && found.run().site().equals(job.run().site()))
                .ifPresent(found -> context.journal.commit(now, step.from(found, now)));
    }
}
