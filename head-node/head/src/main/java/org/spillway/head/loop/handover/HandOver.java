package org.spillway.head.loop.handover;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.jobs.Attempts;
import org.spillway.head.loop.jobs.GivenJobs;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.ShownWaits;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.head.workload.WorkloadView;

/**
 * Takes in what the workload manager says of jobs that were given to it: new ones are taken over, all are taken where its
 * word leads, those that have nodes are bound to them, and users are told why the others wait. With a manager that takes
 * jobs from the head only it does nothing.
 */
public final class HandOver implements GivenJobs {
    private static final Logger LOG = LoggerFactory.getLogger(HandOver.class);

    private static final String ON_THE_WAY = "its results are on the way home";

    private final World world;
    private final JobMemory memory;
    private final ForeignJobs foreign;
    private final ShownWaits waits;
    private final Attempts attempts;
    private final Adopting adopting;
    private final Following following;
    private final Map<String, String> told = new HashMap<>();
    private final Set<String> unreadable = new HashSet<>();
    private boolean any;
    private boolean heard;

    public HandOver(
            World world,
            Sites sites,
            JobMemory memory,
            ForeignJobs foreign,
            ShownWaits waits,
            Attempts attempts,
            Following following) {
        this.world = world;
        this.memory = memory;
        this.foreign = foreign;
        this.waits = waits;
        this.attempts = attempts;
        this.adopting = new Adopting(world, sites);
        this.following = following;
        this.any = world.journal().jobs().stream().anyMatch(ForeignJobs::isForeign);
    }

    @Override
    public boolean isUsed() {
        return any;
    }

    @Override
    public List<WaitFinding> take(WorkloadView view, boolean releasing, Instant now) {
        // Also that there are none: who asks for a job that has ended long ago must not wait for another one.
        foreign.hear(view.jobs(), now);
        any |= !view.jobs().isEmpty();
        if (!any) {
            return List.of();
        }
        List<JobRecord> steps = new ArrayList<>(adopting.of(view.jobs(), now));
        List<JobRecord> followed = new ArrayList<>();
        List<WaitFinding> found = new ArrayList<>();
        for (JobRecord job : world.journal().jobs()) {
            if (ForeignJobs.isForeign(job)) {
                follow(job, followed, found, now);
            }
        }
        unreadable.removeIf(id -> world.journal().liveJob(id).isEmpty());
        steps.addAll(followed);
        // All of them are one write, however many: at the first look there may be ten thousand.
        world.journal().commit(now, steps);
        followed.forEach(attempts::committed);
        if (!releasing) {
            bind(found, now);
        }
        heard = true;
        return found;
    }

    /** A job that one user has spoilt must not keep the others' from going on. */
    private void follow(JobRecord job, List<JobRecord> steps, List<WaitFinding> found, Instant now) {
        int before = steps.size();
        try {
            following.follow(job, steps, found, now);
        } catch (RuntimeException mistake) {
            steps.subList(before, steps.size()).clear();
            if (unreadable.add(job.id())) {
                LOG.warn("job {} cannot be followed and is ended", job.id(), mistake);
            }
            world.ports()
                    .workload()
                    .foreignQueue()
                    .ifPresent(its -> its.end(job.spec().foreign(), Adopting.UNREADABLE + mistake.getMessage()));
        }
    }

    private void bind(List<WaitFinding> found, Instant now) {
        for (JobRecord job : List.copyOf(world.journal().jobs(JobState.QUEUED))) {
            List<String> nodes = foreign.allocation(job);
            if (!nodes.isEmpty() && !job.run().cancelled()) {
                attempts.bindForeign(job, nodes, found, now);
            }
        }
    }

    @Override
    public void tell() {
        if (!heard) {
            return;
        }
        heard = false;
        Map<String, String> all = new HashMap<>();
        for (JobRecord job : world.journal().jobs()) {
            if (ForeignJobs.isForeign(job)) {
                String sentence = sentence(memory, job, waits.of(job.id()));
                all.put(job.id(), sentence);
                // Nothing was said of a new one, which is as good as an empty sentence.
                if (!sentence.equals(told.getOrDefault(job.id(), ""))) {
                    world.ports()
                            .workload()
                            .foreignQueue()
                            .ifPresent(its -> its.tell(job.spec().foreign(), sentence));
                }
            }
        }
        told.clear();
        told.putAll(all);
    }

    /** Why the job is where it is, as far as the manager does not say so itself; empty when it runs. */
    public static String sentence(JobMemory memory, JobRecord job, Cause waits) {
        return switch (job.jobState()) {
            case SUBMITTED, QUEUED -> waits.text();
            case HELD -> waits.or(job.cause()).text();
            case STAGING_IN -> staging(memory, job, waits);
            case STAGING_OUT -> job.run().published() != null ? "" : waits.isNone() ? ON_THE_WAY : waits.text();
            case RUNNING, DONE, FAILED, CANCELLED -> "";
        };
    }

    /** In tenths: each change is told. */
    private static String staging(JobMemory memory, JobRecord job, Cause waits) {
        long total = memory.transfers().inputBytes(job.id());
        long moved = Math.min(total, memory.transfers().movedIn(job.id()));
        if (total < 10 || moved == 0) {
            return waits.text();
        }
        return "its input is on the way to site " + job.run().site() + ": " + moved / (total / 10) * 10 + " % of "
                + (total + 999_999) / 1_000_000 + " MB";
    }
}
