package org.spillway.slurm.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Orders about jobs that bring Slurm to what the head wants. Pure. */
final class JobPlan {
    /** Longer than the second that a requeued job waits at least, and much shorter than Slurm's two minutes. */
    private static final Duration IN_A_MOMENT = Duration.ofSeconds(10);

    private JobPlan() {}

    /**
     * A job that the head knows, as Slurm lists it.
     *
     * @param target by which Slurm's commands know it: digits, or {@code ARRAY_TASK}
     * @param commented by which its sentence is said: the array itself while its tasks wait together
     */
    record Listed(String key, String target, String commented, SlurmJob row) {
        /** By which scancel ends this one and no other: one task of an array has the array's number, which means all of them. */
        String alone() {
            if (row.component().isPresent()) {
                // Slurm ends a part of a heterogeneous job with all others only.
                return Long.toString(row.component().get().leader());
            }
            boolean isArrays = !row.indices().isEmpty() && target.equals(Long.toString(row.array()));
            return isArrays ? row.array() + "_" + row.indices() : target;
        }
    }

    /**
     * @param sites that jobs were placed at, by key
     * @param sentences for their users, by key
     * @param ends why jobs are to be ended, by key
     * @param agains keys of jobs whose run is over without Slurm's knowledge
     * @param failures runs that ended well for Slurm only, by key
     */
    record Wanted(
            Map<String, String> sites,
            Map<String, String> sentences,
            Map<String, String> ends,
            Set<String> agains,
            Map<String, Failure> failures) {
        Wanted {
            failures = Map.copyOf(failures);
            agains = Set.copyOf(agains);
            sites = Map.copyOf(sites);
            sentences = Map.copyOf(sentences);
            ends = Map.copyOf(ends);
        }

        /** @param sentences of jobs that the head has not taken over, by key */
        Wanted saying(Map<String, String> sentences) {
            Map<String, String> all = new HashMap<>(sentences);
            all.putAll(this.sentences);
            return new Wanted(sites, all, ends, agains, failures);
        }

        /** @param sentences why jobs can never be taken over, by key */
        Wanted refusing(Map<String, String> sentences) {
            Map<String, String> all = new HashMap<>(sentences);
            all.putAll(ends);
            return new Wanted(sites, this.sentences, all, agains, failures);
        }
    }

    /**
     * @param said sentences that Slurm has, by {@link Listed#commented}
     * @param partitions that exist
     * @param now when the jobs were looked at
     */
    static List<SlurmOrder> of(
            Collection<Listed> jobs, Wanted wanted, Map<String, String> said, Set<String> partitions, Instant now) {
        List<SlurmOrder> orders = new ArrayList<>();
        List<SlurmOrder> comments = new ArrayList<>();
        Set<String> commented = new HashSet<>();
        for (Listed job : jobs) {
            String why = wanted.ends.get(job.key);
            boolean active = isActive(job.row);
            String sentence = why != null ? why : wanted.sentences.get(job.key);
            if (sentence != null && active && commented.add(job.commented)) {
                String text = SlurmOrder.clean(sentence);
                if (!text.equals(said.get(job.commented))) {
                    (why == null ? comments : orders).add(new SlurmOrder.Comment(job.commented, text));
                }
            }
            Failure failure = wanted.failures.get(job.key);
            if (failure != null) {
                orders.addAll(failed(job, failure));
                continue;
            }
            if (why != null && active) {
                var cancel = new SlurmOrder.Cancel(job.alone());
                if (job.row.component().isEmpty() || !orders.contains(cancel)) {
                    orders.add(cancel);
                }
                continue;
            }
            if (!job.row.isPending()) {
                boolean over = job.row.state().equals("SO");
                if (wanted.agains.contains(job.key) && over && job.row.requeue()) {
                    // The job's results will never come: what it waits for is another run.
                    orders.add(new SlurmOrder.Requeue(job.alone()));
                } else if (wanted.agains.contains(job.key) && active) {
                    // A job that may not run again has been run as far as it ever will.
                    orders.add(
                            job.row.requeue()
                                    ? new SlurmOrder.Requeue(job.alone())
                                    : new SlurmOrder.Cancel(job.alone()));
                }
                continue;
            }
            String site = wanted.sites.get(job.key);
            if (site != null
                    && partitions.contains(site)
                    && !job.row.partitions().equals(List.of(site))) {
                orders.add(new SlurmOrder.Narrow(job.target, site));
            }
            if (waitsForRequeue(job.row) && isLater(job.row, now)) {
                orders.add(new SlurmOrder.StartAgain(job.target));
            }
        }
        orders.addAll(comments);
        return List.copyOf(orders);
    }

    /** In one breath: a job that waits in between might be given its nodes again. A comment is refused of one that has finished. */
    private static List<SlurmOrder> failed(Listed job, Failure failure) {
        var comment = new SlurmOrder.Comment(job.commented, SlurmOrder.clean(failure.why()));
        var cancel = new SlurmOrder.Cancel(job.alone());
        if (failure.isStill(job.row)) {
            return List.of(new SlurmOrder.Requeue(job.alone()), comment, cancel, new SlurmOrder.ExitCode(job.row.id()));
        }
        if (failure.isKept(job.row)) {
            return List.of(new SlurmOrder.ExitCode(job.row.id()));
        }
        return job.row.isPending() ? List.of(comment, cancel) : List.of();
    }

    /**
     * The job's begin time is the one that Slurm gave it when it was requeued: its user's passed before its first run.
     */
    static boolean waitsForRequeue(SlurmJob row) {
        return row.isPending() && row.restarts() > 0 && row.reason().equals("BeginTime");
    }

    /** Once it was said, the job starts in a moment: said with every look, it would never. */
    private static boolean isLater(SlurmJob row, Instant now) {
        return row.eligibleAt().isEmpty() || row.eligibleAt().get().isAfter(now.plus(IN_A_MOMENT));
    }

    private static boolean isActive(SlurmJob row) {
        return switch (row.state()) {
            case "PD", "R", "CF", "S", "SI", "ST", "RS", "RQ", "RH", "SE" -> true;
            default -> false;
        };
    }
}
