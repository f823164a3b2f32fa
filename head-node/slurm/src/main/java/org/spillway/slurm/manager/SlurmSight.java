package org.spillway.slurm.manager;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.workload.WorkloadUnavailable;

/** Asks Slurm all that has to be known, and of single jobs as much as there is time for. Used by one thread. */
final class SlurmSight {
    private static final Logger LOG = LoggerFactory.getLogger(SlurmSight.class);
    /**
     * For questions about jobs that end: of those that are left what was told last stays so. With the pause between looks,
     * which is as long as a look took, a look is still fresh when the next one comes.
     */
    private static final Duration FOR_ENDS = Duration.ofSeconds(2);

    /** For questions about single jobs that are not told before they are answered, in each look. */
    private static final Duration FOR_DETAILS = Duration.ofMillis(200);

    private final SlurmCommands commands;
    private final Partitions partitions;
    private final JobBook book;
    private final InstantSource clock;
    private Set<String> unread = Set.of();

    SlurmSight(SlurmCommands commands, Partitions partitions, JobBook book, InstantSource clock) {
        this.commands = commands;
        this.partitions = partitions;
        this.book = book;
        this.clock = clock;
    }

    /**
     * @param begun when the first question was asked
     * @param nodes all of Slurm's, by name
     * @param partitions all that have nodes
     * @param doors of those that are the head's
     * @param items jobs in partitions of ours
     * @param licences how many are free, by name; none are asked for while no job waits for one
     * @param started when slurmctld was, asked after the jobs: a run of theirs that it has begun since is never told with
     *     the start before
     */
    record Look(
            Instant begun,
            Map<String, SlurmNode> nodes,
            Optional<SlurmReservation> reservation,
            Set<String> partitions,
            NodePlan.Doors doors,
            List<JobBook.Item> items,
            Map<String, Integer> licences,
            Instant started) {}

    /** @throws WorkloadUnavailable if a question was not answered: then nothing is known */
    Look look() throws WorkloadUnavailable, InterruptedException {
        Instant begun = clock.instant();
        Map<String, SlurmNode> nodes = new LinkedHashMap<>();
        commands.nodes().forEach(node -> nodes.put(node.name(), node));
        Set<String> existing = new HashSet<>();
        nodes.values().forEach(node -> existing.addAll(node.partitions()));
        Optional<SlurmReservation> reservation = commands.reservation(SlurmOrder.RESERVATION);
        List<String> ours = partitions.among(existing);
        NodePlan.Doors doors = doors(ours, nodes.values());
        SlurmListing<SlurmJob> listing = commands.jobs(ours);
        tellUnread(listing);
        List<JobBook.Item> items = JobBook.items(listing.found());
        // After the jobs: one that has begun meanwhile is not counted as if its licence were still free.
        Map<String, Integer> licences = listing.found().stream()
                        .anyMatch(job -> job.isPending() && !job.licences().isEmpty())
                ? commands.licences()
                : Map.of();
        ask(items);
        return new Look(begun, nodes, reservation, existing, doors, items, licences, commands.started());
    }

    private NodePlan.Doors doors(List<String> ours, Collection<SlurmNode> nodes)
            throws WorkloadUnavailable, InterruptedException {
        Set<String> shut = new HashSet<>();
        nodes.forEach(node -> shut.addAll(node.shut()));
        shut.retainAll(ours);
        Set<String> closed = new HashSet<>();
        for (String partition : shut) {
            if (commands.isClosed(partition)) {
                closed.add(partition);
            }
        }
        return new NodePlan.Doors(Set.copyOf(ours), shut, closed);
    }

    private void ask(List<JobBook.Item> items) throws WorkloadUnavailable, InterruptedException {
        long latest = System.nanoTime() + FOR_ENDS.toNanos();
        Map<String, JobDetail> unclear = new LinkedHashMap<>();
        for (String target : book.needed(items)) {
            Optional<JobDetail> answer = commands.detail(target);
            book.ended(target, answer);
            answer.filter(JobDetail::isUnclear).ifPresent(detail -> unclear.put(target, detail));
            if (System.nanoTime() - latest > 0) {
                break;
            }
        }
        if (!unclear.isEmpty()) {
            Map<Long, Boolean> cancelled = commands.cancelled();
            unclear.forEach((target, detail) -> {
                Boolean was = cancelled.get(detail.id());
                if (was != null) {
                    book.ended(target, Optional.of(detail.with(was)));
                }
            });
        }
        long until = System.nanoTime() + FOR_DETAILS.toNanos();
        for (String target : book.wanted(items)) {
            Optional<JobDetail> detail = commands.detail(target);
            if (detail.isPresent()) {
                book.answered(target, detail.get(), items);
            }
            if (System.nanoTime() - until > 0) {
                return;
            }
        }
    }

    /** Each sentence once, not with each look. */
    private void tellUnread(SlurmListing<SlurmJob> listing) {
        Set<String> now = Set.copyOf(listing.unread());
        now.stream().filter(sentence -> !unread.contains(sentence)).forEach(sentence -> LOG.warn("{}", sentence));
        unread = now;
    }
}
