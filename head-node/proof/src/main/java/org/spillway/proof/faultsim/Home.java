package org.spillway.proof.faultsim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.director.wire.JobOrder;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.MemoryJournalStore;

/** An onlooker's notes at home and in the regions, to judge the invariants by. */
final class Home {
    private final Map<String, Set<Integer>> published = new HashMap<>();
    private final Set<String> parts = new HashSet<>();
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

    /** Idempotent for one attempt; a second attempt's output over a published one breaks the promise. */
    void publish(String job, int attempt) {
        if (!parts.contains(job + "." + attempt)) {
            throw new Broken("job " + job + " published attempt " + attempt + ", which is not at home");
        }
        Set<Integer> attempts = published.computeIfAbsent(job, key -> new HashSet<>());
        attempts.add(attempt);
        if (attempts.size() > 1) {
            throw new Broken("job " + job + " published its output under attempts " + attempts);
        }
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
