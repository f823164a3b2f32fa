package org.spillway.head.workload;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.JobSpec;

/**
 * A job that its user gave to the workload manager and not to the head, which takes it over from there: places it, moves
 * its data, buys its nodes.
 *
 * @param key by which it is known for ever: {@code MANAGER:ID:SUBMITTED}, with the manager's id of it and its time of
 *     submission in epoch seconds, since ids begin anew with a manager that lost its state
 * @param number the manager's id of it, digits
 * @param facts what it is; never changes for a key, but for what its user changes while it waits
 */
public record ForeignJob(String key, String number, Facts facts, Status status) {

    /**
     * @param queue the head's queue of the partition's name
     * @param sites where its partitions let it run, the most preferred first
     * @param data what its user wants staged; its folder is where it works
     * @param terms as the manager tells them
     */
    public record Facts(
            String name,
            JobSpec.Owner owner,
            String queue,
            List<String> sites,
            JobSpec.Need need,
            int priority,
            boolean requeue,
            JobSpec.Data data,
            Instant submittedAt,
            JobSpec.Terms terms) {
        public Facts {
            sites = List.copyOf(sites);
        }

        /** The same job with other needs. */
        public Facts with(JobSpec.Need other) {
            return new Facts(name, owner, queue, sites, other, priority, requeue, data, submittedAt, terms);
        }
    }

    /** The manager's word on the job now. */
    public sealed interface Status {
        /**
         * The job waits for something that nodes do not help against: nothing is bought or moved for it. @param reason
         * the manager's
         */
        record Held(String reason) implements Status {}

        /** The job would run if there were nodes. */
        record Waiting(String reason) implements Status {}

        /**
         * The job has its nodes, whatever they have done for it so far.
         *
         * @param nodes the head's ids, in the order of their ranks; empty when it runs on nodes that are not the head's
         * @param restarts grows with every run of the job that the manager remembers
         * @param since when this run began: with the same restarts and another beginning it is another run, which a manager
         *     that was killed counts like the one that it has forgotten
         */
        record Allocated(List<String> nodes, int restarts, Instant since) implements Status {
            public Allocated {
                nodes = List.copyOf(nodes);
            }
        }

        /**
         * The job will not run again.
         *
         * @param restarts of its last run
         * @param since when its last run began; null when nobody knows
         * @param exitCode of the script, 128 + signal when it was killed; 255 when nobody knows
         * @param cause none after an end like any other
         * @param lasting whether the manager has written it down by now: until then one that is killed forgets it
         * @param place where its last run was
         */
        record Ended(
                int restarts,
                @Nullable Instant since,
                int exitCode,
                boolean cancelled,
                Cause cause,
                boolean lasting,
                Place place)
                implements Status {
            /** Of a run of which nobody knows where it was. @param reason in the manager's words; empty for none */
            public static Ended somewhere(
                    int restarts,
                    @Nullable Instant since,
                    int exitCode,
                    boolean cancelled,
                    String reason,
                    boolean lasting) {
                return new Ended(restarts, since, exitCode, cancelled, Told.of(reason), lasting, Place.UNKNOWN);
            }

            public Ended withLasting(boolean now) {
                return new Ended(restarts, since, exitCode, cancelled, cause, now, place);
            }
        }

        /** Whose nodes a run had. */
        enum Place {
            /** The head's. */
            OURS,
            /** Others: the head has no part in what ran there. */
            ELSEWHERE,
            UNKNOWN
        }
    }
}
