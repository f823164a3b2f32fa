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
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.limits.QueueLimits;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;

/** Takes over jobs that were given to the workload manager: each becomes one of the head's, once. */
public final class Adopting {
    private static final Logger LOG = LoggerFactory.getLogger(Adopting.class);

    static final Cause ENDED_BEFORE = JobFact.ENDED_BEFORE;

    static final String UNREADABLE = "the head cannot read what is said of it: ";

    static final String FULL = "there are as many jobs as the head takes; it is taken over when some have ended";

    private final World world;
    private final Sites sites;
    /** Keys of jobs that the journal has, and of those that it has not: a look into the disk for each is enough. */
    private final Set<String> known = new HashSet<>();

    private final Set<String> strange = new HashSet<>();

    private final Set<String> untakeable = new HashSet<>();

    Adopting(World world, Sites sites) {
        this.world = world;
        this.sites = sites;
    }

    /** New jobs, to be journalled together. What has ended here and lives there is ended there. */
    List<JobRecord> of(List<ForeignJob> jobs, Instant now) {
        List<JobRecord> adopted = new ArrayList<>();
        Map<Integer, Integer> fresh = new HashMap<>();
        Set<String> keys = HashSet.newHashSet(jobs.size());
        for (ForeignJob job : jobs) {
            keys.add(job.key());
            if (isKnown(job.key())) {
                if (lives(job.status()) && !isLive(job.key())) {
                    world.ports().workload().foreignQueue().ifPresent(its -> its.end(job.key(), ENDED_BEFORE.text()));
                }
            } else if (concernsUs(job.status()) && hasRoom(job, adopted.size(), fresh)) {
                tryToAdopt(job, adopted, now);
            }
        }
        known.retainAll(keys);
        strange.retainAll(keys);
        untakeable.retainAll(keys);
        if (!adopted.isEmpty()) {
            LOG.info(
                    "{} jobs are taken over from {}",
                    adopted.size(),
                    world.ports().workload().name());
        }
        return adopted;
    }

    /**
     * Whether one more may be taken over. Its manager holds what waits until then and says why; what has nodes already is
     * taken over, whatever there is.
     */
    private boolean hasRoom(ForeignJob job, int adopted, Map<Integer, Integer> fresh) {
        if (job.status() instanceof Status.Allocated) {
            return true;
        }
        QueueLimits limits = world.settings().limits().queue();
        int uid = job.facts().owner().uid();
        int own = world.journal().load(uid).jobs() + fresh.getOrDefault(uid, 0);
        boolean room = own < limits.jobsPerUser() && adopted + world.journal().liveJobCount() < limits.jobs();
        if (room) {
            fresh.merge(uid, 1, Integer::sum);
        } else {
            world.ports().workload().foreignQueue().ifPresent(its -> its.tell(job.key(), FULL));
        }
        return room;
    }

    private boolean isKnown(String key) {
        if (known.contains(key)) {
            return true;
        }
        if (strange.contains(key) && !isLive(key)) {
            return false;
        }
        boolean found = world.journal().job(ForeignJobs.id(key)).isPresent();
        (found ? known : strange).add(key);
        return found;
    }

    private boolean isLive(String key) {
        return world.journal().liveJob(ForeignJobs.id(key)).isPresent();
    }

    private static boolean lives(Status status) {
        return switch (status) {
            case Status.Held held -> true;
            case Status.Waiting waiting -> true;
            case Status.Allocated allocated -> true;
            case Status.Ended ended -> false;
        };
    }

    /** A job that runs where the head has no part in it, or has ended unseen, needs nothing of the head. */
    private static boolean concernsUs(Status status) {
        return switch (status) {
            case Status.Held held -> true;
            case Status.Waiting waiting -> true;
            case Status.Allocated(List<String> nodes, int restarts, Instant since) -> !nodes.isEmpty();
            case Status.Ended ended -> false;
        };
    }

    /** A job that one user has spoilt must not keep the others' from being taken over. */
    private void tryToAdopt(ForeignJob job, List<JobRecord> adopted, Instant now) {
        try {
            adopt(job, adopted, now);
        } catch (RuntimeException unreadable) {
            if (untakeable.add(job.key())) {
                LOG.warn("{} cannot be taken over and is ended: {}", job.key(), unreadable.toString());
            }
            world.ports()
                    .workload()
                    .foreignQueue()
                    .ifPresent(its -> its.end(job.key(), UNREADABLE + unreadable.getMessage()));
        }
    }

    private void adopt(ForeignJob job, List<JobRecord> adopted, Instant now) {
        JobSpec spec = spec(sites, job);
        if (spec == null) {
            world.ports()
                    .workload()
                    .foreignQueue()
                    .ifPresent(its -> its.tell(job.key(), "none of its partitions is a site of the head's"));
            return;
        }
        Cause held = job.status() instanceof Status.Held(String reason) ? Told.of(reason) : Cause.NONE;
        JobState state = job.status() instanceof Status.Held ? JobState.HELD : JobState.SUBMITTED;
        JobRun run = JobRun.NONE.withForeign(new JobRun.Foreign(job.number(), 0, null));
        adopted.add(new JobRecord(ForeignJobs.id(job.key()), spec, state, held, now, run));
    }

    /** Null when it may run in no site of ours. */
    static @org.jspecify.annotations.Nullable JobSpec spec(Sites sites, ForeignJob job) {
        ForeignJob.Facts facts = job.facts();
        List<String> ours = facts.sites().stream().filter(sites::has).distinct().toList();
        if (ours.isEmpty()) {
            return null;
        }
        return JobSpec.of(draft -> {
            draft.name = facts.name();
            draft.owner = facts.owner();
            draft.queue = facts.queue();
            draft.sites = ours;
            draft.need = facts.need();
            draft.priority = facts.priority();
            draft.requeue = facts.requeue();
            draft.data = inFolder(facts.data());
            draft.idempotencyKey = JobSpec.Key.of(job.key());
            draft.submittedAt = facts.submittedAt();
            draft.terms = facts.terms();
        });
    }

    /**
     * Only what lies in the job's folder can be collected there; an absolute path is meant from it then. Judged as text:
     * a path object refuses what its JVM's locale cannot say.
     */
    static JobSpec.Data inFolder(JobSpec.Data data) {
        List<JobSpec.Output> outputs = new ArrayList<>();
        String folder = (data.folder() + "/").replaceAll("/+", "/");
        for (JobSpec.Output output : data.outputs()) {
            String pattern = output.pattern().replaceAll("/+", "/");
            if (!output.pattern().startsWith("/")) {
                outputs.add(output);
            } else if (pattern.startsWith(folder) && pattern.length() > folder.length()) {
                String inside = pattern.substring(folder.length()).replaceAll("/$", "");
                outputs.add(new JobSpec.Output(inside, output.destination(), output.tree(), output.strict()));
            }
        }
        return data.with(data.inputs(), outputs);
    }
}
