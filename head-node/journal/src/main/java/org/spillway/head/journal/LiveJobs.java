package org.spillway.head.journal;

import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;

/** Jobs that have not ended, by all that the loop asks for. One thread writes, any thread reads. */
final class LiveJobs {
    private final ConcurrentNavigableMap<String, JobRecord> byId = new ConcurrentSkipListMap<>();
    private final Groups<JobState, JobRecord> byState = new Groups<>();
    private final Groups<String, JobRecord> bySite = new Groups<>();
    private final Groups<String, JobRecord> byNode = new Groups<>();
    private final UserLoads loads = new UserLoads();

    /** Takes a job in, in place of what it was before; takes it out when it has ended. */
    void put(JobRecord job) {
        JobRecord old = byId.get(job.id());
        // First in, then out: a reader that looks through a group must not miss a job that stays in it.
        if (job.isLive()) {
            byId.put(job.id(), job);
            byState.put(job.jobState(), job.id(), job);
            if (!job.run().site().isEmpty()) {
                bySite.put(job.run().site(), job.id(), job);
            }
            nodes(job).forEach(node -> byNode.put(node, job.id(), job));
        } else {
            byId.remove(job.id());
        }
        if (old != null) {
            leave(old, job);
        }
        loads.put(old, job);
    }

    int count() {
        return loads.jobs();
    }

    UserLoads.Load load(int uid) {
        return loads.of(uid);
    }

    private void leave(JobRecord old, JobRecord job) {
        if (!job.isLive() || old.jobState() != job.jobState()) {
            byState.remove(old.jobState(), old.id());
        }
        if (!job.isLive() || !old.run().site().equals(job.run().site())) {
            bySite.remove(old.run().site(), old.id());
        }
        Set<String> still = nodes(job);
        nodes(old).stream().filter(node -> !still.contains(node)).forEach(node -> byNode.remove(node, old.id()));
    }

    /** Where parts of it run now. */
    private static Set<String> nodes(JobRecord job) {
        return job.jobState() != JobState.RUNNING
                ? Set.of()
                : job.run().ranks().stream()
                        .filter(rank -> !rank.isOver())
                        .map(JobRun.Rank::node)
                        .collect(Collectors.toSet());
    }

    @Nullable
    JobRecord get(String id) {
        return byId.get(id);
    }

    Collection<JobRecord> all() {
        return Collections.unmodifiableCollection(byId.values());
    }

    Collection<JobRecord> in(JobState state) {
        return byState.of(state);
    }

    Collection<JobRecord> of(String site) {
        return bySite.of(site);
    }

    Collection<JobRecord> on(String node) {
        return byNode.of(node);
    }
}
