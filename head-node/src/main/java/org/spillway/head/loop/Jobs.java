package org.spillway.head.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.Report;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.lifecycle.JobState;
import org.spillway.head.lifecycle.NodeState;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.workload.ReleasedJob;
import org.spillway.head.workload.WorkloadUnavailable;
import org.spillway.head.workload.WorkloadView;
import org.spillway.policy.Money;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.FileRefused;

/** Takes each job one step further when what it waits for is there. */
final class Jobs {
    private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(2);
    private static final Duration STAGE_IN_TRIED = Duration.ofMinutes(30);
    private static final Duration REFUSED_FOR = Duration.ofSeconds(30);
    private static final Duration RESULTS_KEPT = Duration.ofDays(1);

    private final Context context;
    private final Supplier<Instant> clock;
    private final Map<String, ReleasedJob> told = new HashMap<>();

    Jobs(Context context, Supplier<Instant> clock) {
        this.context = context;
        this.clock = clock;
    }

    void advance(Instant now) {
        List<JobRecord> jobs = new ArrayList<>(context.journal.jobs());
        jobs.sort(Comparator.comparing(JobRecord::id));
        jobs.forEach(job -> advance(job, now));
        tell(now);
        allocate(now);
    }

    private void advance(JobRecord job, Instant now) {
        boolean cancelled = job.run().cancelled();
        switch (job.jobState()) {
            case SUBMITTED, HELD, STAGING_IN, QUEUED -> {
                if (cancelled) {
                    end(job.to(JobState.CANCELLED, "cancelled by its user", now), now);
                } else {
                    waiting(job, now);
                }
            }
            case RUNNING -> strandedOrRunning(job, now);
            case STAGING_OUT -> stageOut(job, now);
            case DONE, FAILED, CANCELLED -> {}
        }
    }

    private void waiting(JobRecord job, Instant now) {
        SiteState site = context.site(job.spec().site());
        switch (job.jobState()) {
            case SUBMITTED, HELD -> context.journal.commit(now, job.to(JobState.STAGING_IN, "", now));
            case STAGING_IN -> {
                if (job.spec().input() == null) {
                    context.journal.commit(now, job.to(JobState.QUEUED, "", now));
                } else {
                    stageIn(job, site, now);
                }
            }
            case QUEUED -> {
                String store = storeOf(site);
                boolean lost = job.spec().input() != null
                        && store != null
                        && !store.equals(job.run().store());
                if (lost) {
                    context.journal.commit(now, job.to(JobState.STAGING_IN, "the site's staging space was lost", now));
                }
            }
            default -> {}
        }
    }

    /** The staging store of the director that is ready now; null when there is none. */
    private @Nullable String storeOf(SiteState site) {
        Report report = site.report;
        boolean current = context.readyDirector(site.plan.name())
                .filter(director -> director.id().equals(site.reportFrom))
                .isPresent();
        return current && report != null ? report.store() : null;
    }

    private void stageIn(JobRecord job, SiteState site, Instant now) {
        String store = storeOf(site);
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
        context.ports
                .effects()
                .begin(
                        key,
                        () -> Optional.ofNullable(context.ports.stager().stageIn(target, job)),
                        staged -> {
                            context.failingSince.remove("in:" + job.id());
                            update(
                                    job.id(),
                                    JobState.STAGING_IN,
                                    (found, at) -> found.with(found.run().withStaged(staged.orElse(null), store))
                                            .to(JobState.QUEUED, "", at));
                        },
                        failure -> stagingFailed(job.id(), failure));
    }

    private void stagingFailed(String id, Exception failure) {
        Instant since = context.failingSince.computeIfAbsent("in:" + id, key -> clock.get());
        boolean hopeless = failure instanceof FileRefused || clock.get().isAfter(since.plus(STAGE_IN_TRIED));
        if (hopeless) {
            update(
                    id,
                    JobState.STAGING_IN,
                    (found, at) ->
                            found.to(JobState.FAILED, "its input cannot be staged: " + failure.getMessage(), at));
            context.journal.job(id).filter(job -> !job.isLive()).ifPresent(this::forget);
        } else {
            context.waits.put(id, "staging its input was interrupted and will be tried again: " + failure.getMessage());
            LOG.warn("job {}: stage-in: {}", id, failure.toString());
        }
    }

    /** Ends are taken in before nodes are judged: a node that is gone now may have finished its job before. */
    void collectEnded(Instant now) {
        List.copyOf(context.journal.jobs()).stream()
                .filter(job -> job.jobState() == JobState.RUNNING)
                .forEach(job -> running(job, now));
    }

    /** Its node is no more; requeued when the director's word on it has been heard, or there is none to hear. */
    private void strandedOrRunning(JobRecord job, Instant now) {
        String id = job.run().node();
        Optional<NodeRecord> node = id == null ? Optional.empty() : context.journal.node(id);
        boolean gone = node.isEmpty() || !node.get().isLive();
        if (gone
                && context.hasLastWord(
                        job.spec().site(), node.map(NodeRecord::since).orElse(context.startedAt))) {
            context.journal.commit(now, requeued(job, String.valueOf(id), now));
        }
    }

    private void running(JobRecord job, Instant now) {
        SiteState site = context.site(job.spec().site());
        Report report = site.report;
        if (report == null) {
            return;
        }
        for (Report.JobReport heard : report.jobs()) {
            boolean ours = heard.job().equals(job.id())
                    && heard.attempt() == job.run().attempt()
                    && heard.node().equals(job.run().node());
            if (ours) {
                switch (heard.phase()) {
                    case ENDED -> ended(job, heard, report.store(), now);
                    case REFUSED -> end(job.to(JobState.FAILED, "its node refused it: " + heard.message(), now), now);
                    case ACCEPTED, RUNNING -> {}
                }
                return;
            }
        }
    }

    private void ended(JobRecord job, Report.JobReport heard, String store, Instant now) {
        List<JobRun.Result> results = new ArrayList<>();
        List<JobSpec.Output> declared = job.spec().outputs();
        for (int i = 0; i < declared.size(); i++) {
            String key = Orders.outputKey(job.id(), job.run().attempt(), i);
            String path = declared.get(i).path();
            Checksum sum = heard.outputs().stream()
                    .filter(output -> output.key().equals(key) && !output.missing() && isChecksum(output))
                    .map(output -> new Checksum(output.bytes(), output.sha256()))
                    .findFirst()
                    .orElse(null);
            results.add(new JobRun.Result(key, path, sum));
        }
        int code = heard.exitCode() == null ? 255 : heard.exitCode();
        JobRun run = job.run()
                .ended(
                        within(job.since(), heard.startedEpochMillis(), now),
                        within(job.since(), heard.endedEpochMillis(), now),
                        code,
                        results,
                        store,
                        heard.ranAsUser());
        context.journal.commit(now, job.with(run).to(JobState.STAGING_OUT, heard.message(), now));
        withdraw(job.id());
    }

    /** What a region says is a claim: it may be nonsense, and must not stop the loop. */
    private static boolean isChecksum(Report.OutputReport output) {
        return output.bytes() >= 0 && output.sha256().matches("[0-9a-f]{64}");
    }

    /** A node's clock, as far as it can be right. */
    private static Instant within(Instant earliest, long epochMillis, Instant latest) {
        if (epochMillis < earliest.toEpochMilli()) {
            return earliest;
        }
        return epochMillis > latest.toEpochMilli() ? latest : Instant.ofEpochMilli(epochMillis);
    }

    /** First all results home, hidden; then that is written down; then they are put in their places. */
    private void stageOut(JobRecord job, Instant now) {
        if (job.run().home()) {
            publish(job, now);
            return;
        }
        SiteState site = context.site(job.spec().site());
        String store = storeOf(site);
        Optional<NodeRecord> director = context.readyDirector(site.plan.name());
        String key = "stage-out:" + job.id();
        if (store == null || director.isEmpty()) {
            context.waits.put(job.id(), "its results wait for the director of site " + site.plan.name());
            return;
        }
        if (!store.equals(job.run().store())) {
            context.journal.commit(now, again(job, "its results were lost with the site's staging space", now));
            return;
        }
        if (!context.mayAskAgain(key, now, BETWEEN_TRIES)) {
            return;
        }
        DirectorTarget target = Context.target(director.get());
        context.ports
                .effects()
                .begin(
                        key,
                        () -> {
                            context.ports.stager().bringHome(target, job);
                            return true;
                        },
                        done -> sameAttempt(
                                job, (found, at) -> found.with(found.run().atHome())),
                        failure -> resultsWait(job, failure));
    }

    private void publish(JobRecord job, Instant now) {
        String key = "publish:" + job.id();
        if (context.mayAskAgain(key, now, BETWEEN_TRIES)) {
            context.ports
                    .effects()
                    .begin(
                            key,
                            () -> {
                                context.ports.stager().publish(job);
                                return true;
                            },
                            done -> published(job),
                            failure -> resultsWait(job, failure));
        }
    }

    /** Given up only when this head itself has tried for a day, and never once the results are at home. */
    private void resultsWait(JobRecord job, Exception failure) {
        LOG.warn("job {}: stage-out: {}", job.id(), failure.toString());
        context.waits.put(job.id(), "its results could not be brought home, trying again: " + failure.getMessage());
        Instant since = context.failingSince.computeIfAbsent("out:" + job.id(), key -> clock.get());
        sameAttempt(job, (found, at) -> {
            boolean late = at.isAfter(since.plus(RESULTS_KEPT)) && !found.run().home();
            return late
                    ? found.to(JobState.FAILED, "its results could not be brought home: " + failure.getMessage(), at)
                    : found;
        });
    }

    private void published(JobRecord job) {
        sameAttempt(job, (found, at) -> {
            List<String> home = found.run().results().stream()
                    .filter(result -> result.checksum() != null)
                    .map(JobRun.Result::path)
                    .toList();
            JobRecord with = found.with(found.run().withPublished(home));
            Integer code = found.run().exitCode();
            if (found.run().cancelled()) {
                return with.to(JobState.CANCELLED, "cancelled by its user", at);
            }
            return code != null && code == 0
                    ? with.to(JobState.DONE, "", at)
                    : with.to(JobState.FAILED, "its script ended with exit code " + code, at);
        });
        forget(job);
    }

    /** Nothing is kept of a job that has ended: neither here nor, if its director can be reached, in its site. */
    private void forget(JobRecord job) {
        context.waits.remove(job.id());
        context.failingSince.remove("in:" + job.id());
        context.failingSince.remove("out:" + job.id());
        context.readyDirector(job.spec().site()).ifPresent(director -> clean(job.id(), Context.target(director)));
    }

    private void clean(String id, DirectorTarget director) {
        context.ports
                .effects()
                .begin(
                        "clean:" + id,
                        () -> {
                            context.ports.stager().clean(director, id);
                            return true;
                        },
                        done -> {},
                        failure -> LOG.warn("job {}: its staged data stays: {}", id, failure.toString()));
    }

    /** What becomes of a job whose node is no more. */
    JobRecord requeued(JobRecord job, String node, Instant now) {
        withdraw(job.id());
        return again(job, "its node " + node + " was lost", now);
    }

    private JobRecord again(JobRecord job, String why, Instant now) {
        if (job.run().cancelled()) {
            return job.to(JobState.CANCELLED, "cancelled by its user", now);
        }
        return job.run().attempt() >= context.settings.maxAttempts()
                ? job.to(JobState.FAILED, why + ", for the " + job.run().attempt() + ". time", now)
                : job.with(job.run().waiting()).to(JobState.QUEUED, why, now);
    }

    private void end(JobRecord ended, Instant now) {
        context.journal.commit(now, ended);
        withdraw(ended.id());
        forget(ended);
    }

    private interface Step {
        JobRecord from(JobRecord found, Instant at);
    }

    /** An effect of an attempt that was given up meanwhile says nothing about the next one. */
    private void sameAttempt(JobRecord job, Step step) {
        Instant now = clock.get();
        context.journal
                .job(job.id())
                .filter(found -> found.jobState() == JobState.STAGING_OUT
                        && found.run().attempt() == job.run().attempt())
                .ifPresent(found -> context.journal.commit(now, step.from(found, now)));
    }

    private void update(String id, JobState expected, Step step) {
        Instant now = clock.get();
        context.journal
                .job(id)
                .filter(found -> found.jobState() == expected)
                .ifPresent(found -> context.journal.commit(now, step.from(found, now)));
    }

    private void withdraw(String job) {
        if (told.remove(job) != null) {
            context.ports.workload().withdraw(job);
        }
    }

    private void tell(Instant now) {
        for (JobRecord job : context.journal.jobs()) {
            boolean waits = job.jobState() == JobState.QUEUED && !context.isUnpaid(job, now);
            if (!waits && job.jobState() != JobState.RUNNING) {
                withdraw(job.id());
                continue;
            }
            ReleasedJob current = new ReleasedJob(
                    job.id(),
                    job.spec().site(),
                    job.spec().resources(),
                    job.spec().priority(),
                    job.spec().submittedAt(),
                    job.run().attempt(),
                    job.run().node());
            if (!current.equals(told.put(job.id(), current))) {
                context.ports.workload().release(current);
            }
        }
    }

    private void allocate(Instant now) {
        try {
            for (WorkloadView.Allocation allocation :
                    context.ports.workload().poll(now).allocations()) {
                context.journal
                        .job(allocation.job())
                        .filter(job -> job.jobState() == JobState.QUEUED
                                && job.run().attempt() + 1 == allocation.attempt()
                                && isStaged(job))
                        .ifPresent(job -> context.journal
                                .node(allocation.node())
                                .filter(node -> node.nodeState() == NodeState.READY)
                                .ifPresent(node -> bind(job, node, now)));
            }
        } catch (WorkloadUnavailable away) {
            LOG.warn("the workload manager does not answer: {}", away.getMessage());
        }
    }

    /** Verified in the store that its node will read from; while no director is heard, nothing is known of that. */
    private boolean isStaged(JobRecord job) {
        String store = storeOf(context.site(job.spec().site()));
        return job.spec().input() == null
                ? store != null
                : job.run().store().equals(store) && job.run().staged() != null;
    }

    /** The node's reservation is made longer with the job, or the job waits: a running job is never over the budget. */
    private void bind(JobRecord job, NodeRecord node, Instant now) {
        Instant from = node.costFrom() == null ? now : node.costFrom();
        Instant until = now.plus(job.spec().walltime())
                .plus(context.settings.idleTime())
                .plus(context.settings.endingAllowance());
        Duration needed = Duration.between(from, until);
        NodeRecord reserved = needed.compareTo(node.committedFor()) > 0 ? node.withCommittedFor(needed) : node;
        Instant period = context.settings.period().start(now, context.settings.zone());
        Money more = Spending.of(reserved, period, now).minus(Spending.of(node, period, now));
        if (more.isMoreThan(Money.ZERO) && more.isMoreThan(context.budgetLeft(now))) {
            context.waits.put(
                    job.id(),
                    "the budget has " + context.budgetLeft(now) + " left, its run may cost " + more + " more");
            // Neither a node nor a place in the queue is kept for what cannot be paid.
            context.unpaidUntil.put(job.id(), now.plus(REFUSED_FOR));
            return;
        }
        context.waits.remove(job.id());
        context.journal.commit(
                now, job.with(job.run().startedOn(node.id())).to(JobState.RUNNING, "on " + node.id(), now), reserved);
    }
}
