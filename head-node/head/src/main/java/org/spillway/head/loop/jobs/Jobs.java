package org.spillway.head.loop.jobs;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.Offers;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.WaitFinding;

/** Takes each job one step further when what it waits for is there. */
public final class Jobs {
    private final World world;
    private final Sites sites;
    private final Results results;
    private final Attempts attempts;
    private final GivenJobs given;
    private final Placing placing;
    private final StagedData stagedData;
    private final StagingIn stagingIn;
    private final StagesAhead ahead;
    private final Checkpoints checkpoints;
    /** Found out when copies ended, since the last tick. */
    private final List<WaitFinding> handedBack = new ArrayList<>();

    public Jobs(
            World world,
            Sites sites,
            LiveNodes live,
            Offers offers,
            Purse purse,
            JobMemory memory,
            NodeMemory seen,
            ForeignJobs foreign,
            Supplier<Instant> clock,
            Predicate<JobRun> over,
            Function<Attempts, GivenJobs> given) {
        this.world = world;
        this.sites = sites;
        StagingTurns bringing = new StagingTurns();
        Syncing syncing = new Syncing(world, sites, purse, clock, bringing);
        RunningOutput output = new RunningOutput(world, sites, purse, clock);
        Predicate<String> coming = job -> syncing.isUnderWay(job) || output.isUnderWay(job);
        this.results = new Results(world, sites, purse, memory, clock, bringing, coming, handedBack::add);
        this.checkpoints =
                new Checkpoints(world, sites, purse, clock, bringing, syncing::isUnderWay, results::removeBundles);
        this.attempts = new Attempts(world, sites, live, purse, memory, foreign, results, syncing, output, over);
        this.given = given.apply(attempts);
        this.placing = new Placing(world, sites, live, offers, purse, memory, seen, foreign);
        this.stagedData = new StagedData(world, sites, memory);
        this.ahead = new StagesAhead(world, sites, memory, clock);
        this.stagingIn = new StagingIn(world, sites, memory, clock, results, ahead, handedBack::add);
    }

    public Placing placing() {
        return placing;
    }

    /**
     * A head that has started with a journal which lacks a part of its past does not believe that inputs are where it has them:
     * in that part their jobs may have ended, and with them what was staged.
     */
    public void repeat(Instant now) {
        if (world.journal().store().standing().quarantined()) {
            world.journal()
                    .commit(
                            now,
                            world.journal().jobs(JobState.QUEUED).stream()
                                    .filter(job -> job.run().staged() != null)
                                    .map(job -> job.with(job.run().withStaged(null))
                                            .to(JobState.STAGING_IN, JobFact.STAGED_AGAIN, now))
                                    .toList());
        }
    }

    public void collectEnded(Instant now) {
        attempts.collectEnded(now);
    }

    public JobRecord lost(JobRecord job, String node, Instant now) {
        return attempts.lost(job, node, now);
    }

    /** A step that {@link #lost} gave is durable. */
    public void committed(JobRecord job) {
        attempts.committed(job);
    }

    /**
     * @param releasing nothing new begins: what runs is ended, what has ended comes home
     * @return all that was found out about why jobs wait
     */
    public List<WaitFinding> advance(Instant now, boolean releasing) {
        List<WaitFinding> found = new ArrayList<>(handedBack);
        handedBack.clear();
        if (!releasing) {
            placing.advance(found, now).forEach(results::forget);
        }
        stagedData.advance(now);
        ahead.advance(releasing, now);
        stagingIn.begin();
        List<JobRecord> steps = new ArrayList<>();
        List<JobRecord> jobs = new ArrayList<>(world.journal().liveJobCount());
        world.journal().jobs().forEach(jobs::add);
        jobs.forEach(job -> advance(job, steps, found, now));
        write(steps, now);
        // After the steps of this tick are written: what is changed here is of the jobs as they are then.
        checkpoints.advance(found, releasing, now);
        if (releasing) {
            attempts.listen(given, found, now);
        } else {
            attempts.allocate(given, found, now);
        }
        return found;
    }

    /** Says to the users of foreign jobs why these wait, when all rooms have said what they found out in this tick. */
    public void tell() {
        given.tell();
    }

    /** Steps that nothing in the world hangs on are one write, however many: a thousand may come in one tick. */
    private void write(List<JobRecord> steps, Instant now) {
        world.journal().commit(now, steps);
        steps.stream().filter(job -> !job.isLive()).forEach(ended -> {
            attempts.withdraw(ended.id());
            results.forget(ended);
        });
    }

    private void advance(JobRecord job, List<JobRecord> steps, List<WaitFinding> found, Instant now) {
        switch (job.jobState()) {
            case SUBMITTED, HELD, STAGING_IN, QUEUED -> {
                if (job.run().cancelled() && ForeignJobs.isForeign(job)) {
                    // The job ends when its manager says so: until then it could still be given nodes.
                    return;
                } else if (job.run().cancelled()) {
                    steps.add(job.to(JobState.CANCELLED, JobFact.CANCELLED_BY_USER, now));
                } else {
                    waiting(job, steps, found, now);
                }
            }
            case RUNNING -> attempts.strand(job, now);
            case STAGING_OUT -> results.advance(job, found, now);
            case DONE, FAILED, CANCELLED -> {}
        }
    }

    private void waiting(JobRecord job, List<JobRecord> steps, List<WaitFinding> found, Instant now) {
        switch (job.jobState()) {
            case STAGING_IN -> {
                if (job.spec().inputs().isEmpty()) {
                    steps.add(job.to(JobState.QUEUED, Cause.NONE, now));
                } else {
                    stagingIn.advance(job, found, now);
                }
            }
            case QUEUED -> {
                String store = sites.store(sites.of(job.run().site()));
                JobRun.Staged staged = job.run().staged();
                if (staged != null && staged.bundle() != null && store != null && !store.equals(staged.store())) {
                    steps.add(job.to(JobState.STAGING_IN, JobFact.INPUT_LOST, now));
                }
            }
            default -> {}
        }
    }
}
