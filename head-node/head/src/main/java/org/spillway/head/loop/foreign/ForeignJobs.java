package org.spillway.head.loop.foreign;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;

/**
 * The workload manager's last word on the jobs that were given to it. In memory only: a head that starts again hears it
 * again, and until then nothing is concluded. Loop thread only.
 */
public final class ForeignJobs {
    /** A word that was heard longer ago buys nothing. */
    private static final Duration FRESH = Duration.ofMinutes(1);

    /** A job is known to be gone when it was in no view for so long. */
    private static final Duration MISSING = Duration.ofSeconds(10);

    /** A node that has not said that its part is over so long after the end of the job is told to stop it. */
    public static final Duration ENDING = Duration.ofSeconds(30);

    static final int NOBODY_KNOWS = 255;

    private final Journal journal;
    private Map<String, ForeignJob> said = Map.of();
    private final Map<String, String> byNumber = new HashMap<>();
    private final Map<String, Instant> missingSince = new HashMap<>();
    /** The kind of thing that is said of a job, and since when. */
    private final Map<String, Kind> kinds = new HashMap<>();

    private final Set<String> allocatedNodes = new HashSet<>();
    /** Ids of jobs that could not be staged, and that the manager has held for it since. */
    private final Set<String> heldThere = new HashSet<>();

    private final Map<String, Again> agains = new HashMap<>();
    private final Map<String, Over> overs = new HashMap<>();
    /** Attempts with nothing left on their nodes that anybody waits for. */
    private final Set<String> letGo = new HashSet<>();
    /** Since when managers are told that jobs which ended well have failed, by attempt. */
    private final Map<String, Instant> denied = new HashMap<>();

    private @Nullable Instant heardAt;

    /** @param since when its manager was first asked to run it again after that run */
    private record Again(int restarts, Instant since) {}

    /** @param since when the last of the attempt's nodes was heard to say that its part is over */
    private record Over(int attempt, Instant since) {}

    private record Kind(Class<?> status, Instant since) {}

    public ForeignJobs(Journal journal) {
        this.journal = journal;
    }

    /**
     * The job's id in the head, which follows from its key: however often it is taken over, it is the same job.
     *
     * @param key as {@link ForeignJob#key}
     */
    public static String id(String key) {
        // Asked for each job in each tick.
        char[] letters = key.toCharArray();
        for (int i = 0; i < letters.length; i++) {
            char c = letters[i];
            boolean plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            letters[i] = plain ? c : '-';
        }
        return new String(letters);
    }

    public static boolean isForeign(JobRecord job) {
        return !job.spec().foreign().isEmpty();
    }

    public static boolean isUnstageable(JobRecord job) {
        return job.jobState() == JobState.HELD && job.cause() instanceof JobCause.Unstageable;
    }

    /** The manager holds a job that could not be staged. */
    public void heldThere(String job) {
        heldThere.add(job);
    }

    /** The manager holds it no more. @return whether it did */
    public boolean notHeldThere(String job) {
        return heldThere.remove(job);
    }

    public boolean isHeldThere(String job) {
        return heldThere.contains(job);
    }

    /** Whether its nodes are to be told to stop it. */
    public boolean isToStop(JobRecord job, Instant now) {
        return isForeign(job)
                && status(job, now) instanceof Status.Ended
                && now.isAfter(saidSince(job, now).plus(ENDING));
    }

    /** All that it knows now. */
    public void hear(List<ForeignJob> jobs, Instant now) {
        heardAt = now;
        Map<String, ForeignJob> all = new HashMap<>();
        byNumber.clear();
        allocatedNodes.clear();
        for (ForeignJob job : jobs) {
            all.put(job.key(), job);
            byNumber.put(job.number(), job.key());
            if (job.status() instanceof Status.Allocated(List<String> nodes, int restarts, Instant since)) {
                allocatedNodes.addAll(nodes);
            }
            Class<?> kind = job.status().getClass();
            kinds.compute(job.key(), (key, old) -> old != null && old.status.equals(kind) ? old : new Kind(kind, now));
        }
        said = all;
        missingSince.keySet().removeIf(all::containsKey);
        for (JobRecord job : journal.jobs()) {
            if (isForeign(job) && !all.containsKey(job.spec().foreign())) {
                missingSince.putIfAbsent(job.spec().foreign(), now);
            }
        }
        missingSince.keySet().removeIf(key -> journal.liveJob(id(key)).isEmpty());
        kinds.keySet().retainAll(all.keySet());
        agains.keySet().retainAll(all.keySet());
        overs.keySet().retainAll(all.keySet());
        letGo.removeIf(this::isGone);
        denied.keySet().removeIf(this::isGone);
    }

    private static String attempt(JobRecord job) {
        return job.id() + "." + job.run().attempt();
    }

    private boolean isGone(String attempt) {
        return journal.liveJob(attempt.substring(0, attempt.lastIndexOf('.'))).isEmpty();
    }

    /** Nodes need not keep a run that is over any longer: its results are in their places, or will not come. */
    public void letGo(JobRecord job) {
        letGo.add(attempt(job));
    }

    public boolean isLetGo(JobRecord job) {
        return letGo.contains(attempt(job));
    }

    /** Since when its manager is told that the job, which has ended well there, has failed; from now on if it was not yet. */
    public Instant denied(JobRecord job, Instant now) {
        return denied.computeIfAbsent(attempt(job), first -> now);
    }

    public boolean wasHeard() {
        return heardAt != null;
    }

    public boolean isFresh(Instant now) {
        Instant heard = heardAt;
        return heard != null && now.isBefore(heard.plus(FRESH));
    }

    @Nullable
    public ForeignJob said(String key) {
        return said.get(key);
    }

    /** The manager's word on a job of the journal; null while that is not known. */
    @Nullable
    public Status status(JobRecord job, Instant now) {
        String key = job.spec().foreign();
        ForeignJob known = said.get(key);
        if (known != null) {
            return known.status();
        }
        Instant since = missingSince.get(key);
        if (since == null || now.isBefore(since.plus(MISSING))) {
            return null;
        }
        JobRun.Foreign run = job.run().foreign();
        return new Status.Ended(
                run == null ? 0 : run.restarts(),
                run == null ? null : run.since(),
                NOBODY_KNOWS,
                false,
                JobFact.UNKNOWN_TO_MANAGER,
                true,
                Status.Place.UNKNOWN);
    }

    /** Whether its manager says that it has, or has not been heard of it. */
    public boolean mayHaveEnded(JobRecord job) {
        ForeignJob known = said.get(job.spec().foreign());
        return known == null || known.status() instanceof Status.Ended;
    }

    /** The nodes that it was given, of ours; empty for none. */
    public List<String> allocation(JobRecord job) {
        if (said.isEmpty()) {
            return List.of();
        }
        ForeignJob known = said.get(job.spec().foreign());
        return known != null && known.status() instanceof Status.Allocated(var nodes, int restarts, var since)
                ? nodes
                : List.of();
    }

    /** Whether a job of its own has that node. */
    public boolean isAllocated(String node) {
        return allocatedNodes.contains(node);
    }

    /** Whether the head may look for a place for it, or move it to another. True for all that were given to the head. */
    public boolean mayBePlaced(JobRecord job, Instant now) {
        if (!isForeign(job)) {
            return true;
        }
        Status status = status(job, now);
        boolean wants = status instanceof Status.Waiting || !allocation(job).isEmpty();
        return wants && isFresh(now) && !isUnstageable(job);
    }

    /** Whether a node would be of use to it. True for all that were given to the head. */
    public boolean wantsNodes(JobRecord job, Instant now) {
        return !isForeign(job) || (isFresh(now) && status(job, now) instanceof Status.Waiting);
    }

    /** Since when it says the same kind of thing of the job, as far as this head has heard it; now when it says nothing. */
    public Instant saidSince(JobRecord job, Instant now) {
        String key = job.spec().foreign();
        Kind kind = kinds.get(key);
        return kind == null ? missingSince.getOrDefault(key, now) : kind.since;
    }

    /** Since when its manager has been asked to run it again after the run with that count; from now on if it was not yet. */
    public Instant askedAgain(JobRecord job, int restarts, Instant now) {
        return agains.compute(
                        job.spec().foreign(),
                        (key, old) -> old != null && old.restarts == restarts ? old : new Again(restarts, now))
                .since;
    }

    /**
     * Since when this head knows that all nodes have said the end of their parts of an attempt that is over. What a node says
     * of the time is no measure: it stamps the end of the script, and says so when it has collected the results.
     */
    public Instant heardOver(JobRecord job, Instant now) {
        int attempt = job.run().attempt();
        return overs.compute(
                        job.spec().foreign(),
                        (key, old) -> old != null && old.attempt == attempt ? old : new Over(attempt, now))
                .since;
    }

    /** The id of the job with that key or, as the manager calls it, number; null when nobody has heard of it. */
    @Nullable
    public String find(String keyOrNumber) {
        if (JobSpec.isForeign(keyOrNumber)) {
            return id(keyOrNumber);
        }
        String key = byNumber.get(keyOrNumber);
        if (key != null) {
            return id(key);
        }
        for (JobRecord job : journal.jobs()) {
            JobRun.Foreign known = job.run().foreign();
            // A manager that has forgotten a job may give its number to another one.
            boolean forgotten = missingSince.containsKey(job.spec().foreign());
            if (known != null && known.number().equals(keyOrNumber) && !forgotten) {
                return job.id();
            }
        }
        return null;
    }
}
