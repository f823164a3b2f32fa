package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.director.wire.JobOrder;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.Stager;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.FileRefused;

/** An onlooker's notes at home and in the regions, to judge the invariants by. */
final class Home {
    private final Map<String, Set<Integer>> published = new HashMap<>();
    /** Patterns of outputs that no job leaves. */
    List<String> lacking = List.of();

    /** Keys of what attempts left whose nodes were taken back. */
    final Set<String> checkpoints = new HashSet<>();

    private final Set<String> parts = new HashSet<>();
    private final Map<String, Integer> tries = new HashMap<>();
    private final Map<String, Rounds> rounds = new HashMap<>();
    /** The last attempt of each job of whose output something came home while it ran. */
    final Map<String, Integer> growing = new HashMap<>();

    /** Times that output of each job has grown. */
    final Map<String, Integer> growths = new HashMap<>();

    private boolean wasPutBack;
    private final Set<String> placed = new HashSet<>();
    private final Map<String, Instant> locked = new HashMap<>();
    private final Map<String, Instant> lockedFast = new HashMap<>();
    private final Map<String, Instant> firstTries = new HashMap<>();
    private final Map<String, String> joined = new HashMap<>();
    private final Map<String, Map<Integer, String>> gangs = new HashMap<>();
    private final MemoryJournalStore journal;
    private final Runs runs;

    /** The runs that truly go on upon the nodes. */
    @FunctionalInterface
    interface Runs {
        /** Whether an attempt of the job other than this one runs anywhere. */
        boolean runsOther(String job, int attempt);
    }

    Home(MemoryJournalStore journal, Runs runs) {
        this.journal = journal;
        this.runs = runs;
    }

    /** The attempt's results lie here, hidden. */
    void bring(String job, int attempt) {
        parts.add(job + "." + attempt);
    }

    /** The output of a job cannot be written until then. */
    void lock(String job, String output, Instant until) {
        locked.put(job + ":" + output, until);
    }

    /** The same, whatever calm. */
    void lockFast(String job, String output, Instant until) {
        lockedFast.put(job + ":" + output, until);
    }

    /** When results of the job were to be put in their places first; null before. */
    @Nullable
    Instant firstTry(String job) {
        return firstTries.get(job);
    }

    private boolean isLocked(String key, Instant now) {
        return now.isBefore(locked.getOrDefault(key, Instant.MIN))
                || now.isBefore(lockedFast.getOrDefault(key, Instant.MIN));
    }

    void unlock() {
        locked.clear();
    }

    /**
     * Idempotent for one attempt; a second attempt's output over a published one breaks the promise. What can be written
     * is, whatever cannot.
     *
     * @return what could not be written
     */
    List<JobRun.Unplaced> publish(JobRecord job, Instant now) {
        int attempt = job.run().attempt();
        if (!parts.contains(job.id() + "." + attempt)) {
            throw new Broken("job " + job.id() + " published attempt " + attempt + ", which is not at home");
        }
        Set<Integer> attempts = published.computeIfAbsent(job.id(), key -> new HashSet<>());
        attempts.add(attempt);
        if (attempts.size() > 1) {
            throw new Broken("job " + job.id() + " published its output under attempts " + attempts);
        }
        // Whoever gives up does so while they are on their way.
        boolean over = journal.job(job.id())
                .filter(known -> !known.isLive() && known.jobState() != JobState.CANCELLED)
                .isPresent();
        if (over) {
            throw new Broken("the outputs of job " + job.id() + " were given back after its end");
        }
        tries.merge(job.id(), 1, Integer::sum);
        firstTries.putIfAbsent(job.id(), now);
        List<JobRun.Unplaced> unplaced = new ArrayList<>();
        for (JobSpec.Output output : job.spec().outputs()) {
            String key = job.id() + ":" + output.pattern();
            if (isLocked(key, now) && !placed.contains(key)) {
                unplaced.add(new JobRun.Unplaced(output.pattern(), output.destination(), "permission denied"));
            } else {
                placed.add(key);
            }
        }
        return unplaced;
    }

    /** A round of outputs is put in its place: an older one must not lie over a later one, nor over the job's results. */
    void sync(JobRecord job, Stager.Round round) {
        if (hasPublished(job.id())) {
            throw new Broken("outputs of job " + job.id() + " came home after its results");
        }
        String rank = job.id() + "." + round.rank();
        Rounds last = rounds.getOrDefault(rank, new Rounds(0, 0));
        int attempt = job.run().attempt();
        if (attempt < last.attempt || (attempt == last.attempt && round.number() < last.number)) {
            throw new Broken("round " + round.number() + " of attempt " + attempt + " of job " + job.id()
                    + " came after " + last);
        }
        rounds.put(rank, new Rounds(attempt, round.number()));
    }

    /** Output of a job that runs grows: not that of a lost attempt over the next one's, nor behind the job's results. */
    void grow(JobRecord job) {
        if (hasPublished(job.id())) {
            throw new Broken("output of job " + job.id() + " grew after its results had come home");
        }
        int attempt = job.run().attempt();
        growths.merge(job.id(), 1, Integer::sum);
        int last = growing.merge(job.id(), attempt, Math::max);
        if (attempt < last && !wasPutBack) {
            throw new Broken(
                    "output of attempt " + attempt + " of job " + job.id() + " grew after that of attempt " + last);
        }
    }

    /** Bundles are made of the rounds of the attempt that was lost, and of no other. */
    List<Checksum> gather(JobRecord job) throws FileRefused {
        Reclaimed left = job.run().reclaimed();
        int attempt = left == null ? 0 : left.attempt();
        List<Checksum> made = new ArrayList<>();
        for (int rank = 0; rank < job.spec().nodes(); rank++) {
            Rounds last = rounds.get(job.id() + "." + rank);
            if (wasPutBack && (last == null || last.attempt != attempt)) {
                throw new FileRefused("/home/u/out: has changed since it came home");
            }
            if (last == null || last.attempt != attempt) {
                throw new Broken("what attempt " + attempt + " of job " + job.id()
                        + " left is made of its rounds, and the last that came home was " + last);
            }
            checkpoints.add(Orders.outputKey(job.id(), attempt, rank));
            made.add(new Checksum(1, SimStager.DIGEST));
        }
        return made;
    }

    private record Rounds(int attempt, int number) {}

    /** Nothing hidden of an ended job is at home any more: what is not in its place is lost now. */
    void forget(JobRecord job) {
        if (job.run().home() && parts.contains(job.id() + "." + job.run().attempt()) && !isWhole(job)) {
            throw new Broken("the only copy of outputs of job " + job.id() + " was removed");
        }
        checkpoints.removeIf(key -> key.startsWith("jobs/" + job.id() + "/"));
    }

    /** The journal was put back: what it takes for waiting begins again, and may be published again. */
    void putBack() {
        rounds.clear();
        wasPutBack = true;
        published
                .keySet()
                .removeIf(job -> journal.job(job).map(JobRecord::isLive).orElse(true));
    }

    /** Nobody can tell which were given. */
    void forgetAttempts() {
        gangs.clear();
    }

    /** Times that its results were to be put in their places. */
    int tries(String job) {
        return tries.getOrDefault(job, 0);
    }

    /** Every output of the job is in its place. */
    boolean isWhole(JobRecord job) {
        return job.spec().outputs().stream().allMatch(output -> placed.contains(job.id() + ":" + output.pattern()));
    }

    /** The job, or all tasks of the array. */
    private boolean hasEnded(String id) {
        List<JobRecord> jobs = journal.job(id).map(List::of).orElseGet(() -> journal.tasks(id));
        return !jobs.isEmpty() && jobs.stream().noneMatch(JobRecord::isLive);
    }

    int cpusOf(String job) {
        return journal.job(job).map(found -> found.spec().resources().cpus()).orElse(0);
    }

    String queueOf(String job) {
        return journal.job(job).map(found -> found.spec().queue()).orElse("");
    }

    boolean hasPublished(String job) {
        return published.containsKey(job);
    }

    void joined(String node, String instance) {
        String other = joined.putIfAbsent(node, instance);
        if (other != null && !other.equals(instance)) {
            throw new Broken("instances " + other + " and " + instance + " both joined as " + node);
        }
    }

    /** A rank of an attempt starts: nothing of another attempt may run anywhere, and its ranks belong together. */
    void started(JobOrder order, String site) {
        String job = order.job();
        String attempt = job + "." + order.attempt();
        JobRecord record = journal.job(job).orElseThrow(() -> new Broken("job " + job + " is on no disk"));
        if (!record.isLive()) {
            throw new Broken("job " + job + " was started after its end");
        }
        if (runs.runsOther(job, order.attempt())) {
            throw new Broken("job " + job + " was started while an earlier attempt still ran");
        }
        String place = order.node() + "@" + site;
        Map<Integer, String> ranks = gangs.computeIfAbsent(attempt, key -> new HashMap<>());
        String other = ranks.putIfAbsent(order.rank(), place);
        if (other != null) {
            throw new Broken(
                    "rank " + order.rank() + " of " + attempt + " was started on " + other + " and on " + place);
        }
        if (ranks.values().stream().distinct().count() < ranks.size()
                || ranks.values().stream().anyMatch(node -> !node.endsWith("@" + site))
                || order.peers().size() != record.spec().nodes()) {
            throw new Broken("the ranks of " + attempt + " do not belong together: " + ranks);
        }
        for (JobSpec.Dependency dependency : record.spec().after()) {
            if (!hasEnded(dependency.job())) {
                throw new Broken("job " + job + " was started before job " + dependency.job()
                        + ", which it depends on, had ended");
            }
        }
    }
}
