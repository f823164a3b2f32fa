package org.spillway.slurm.manager;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Told;
import org.spillway.head.workload.ForeignJob.Status;

/** A job's status, by what Slurm says of it now and what it was said to be before. Pure. */
final class JobStatuses {
    private static final String COMPLETING = "completing";

    private JobStatuses() {}

    /**
     * Knowledge of a job before a look.
     *
     * @param status as last told
     * @param known whether the head has taken it over
     * @param left the run whose nodes have all said their ends, if any
     */
    record Before(
            @Nullable Status status,
            boolean known,
            @Nullable SlurmRun left) {
        /** Whether the run has left its nodes: then its script's end is what Slurm says it is. */
        boolean hasLeft(JobDetail.Run run) {
            return left != null
                    && left.restarts() == run.restarts()
                    && (left.since() == null
                            || run.start().isEmpty()
                            || run.start().get().equals(left.since()));
        }
    }

    /**
     * The status of a job that Slurm knows and does not list: it ended, left our partitions, or has a row that cannot
     * be read.
     */
    static Status absent(
            JobDetail detail, boolean ours, @Nullable Status last, JobBook.Circumstances now, Instant time) {
        if (isOver(detail, last, time)) {
            return ended(detail, false, now);
        }
        if (ours && last != null) {
            return last;
        }
        return detail.run().state().equals("PENDING") || ours
                ? new Status.Held(ours ? "its row cannot be read" : "it is in no partition of the head's")
                : new Status.Allocated(
                        List.of(), detail.run().restarts(), detail.run().start().orElse(time));
    }

    /**
     * The status of a listed job. @param detail as its end was asked for in this look; empty for not
     */
    static Status of(
            JobBook.Item item, Optional<JobDetail> detail, Before before, JobBook.Circumstances now, Instant time) {
        SlurmJob row = item.row();
        return switch (row.state()) {
            case "PD" -> pending(row, now);
            case "CG", "SO", "CA", "CD", "F", "TO", "NF", "PR", "OOM", "BF", "DL" ->
                ending(item, detail, before, now, time);
            case "RQ", "RH", "SE", "RD" -> new Status.Held(row.reason());
            default -> allocated(row, before.status, now, time);
        };
    }

    private static Status pending(SlurmJob row, JobBook.Circumstances now) {
        return waits(row, now) ? new Status.Waiting(row.reason()) : new Status.Held(row.reason());
    }

    /** Whether a pending job would run if there were nodes, as far as Slurm says. */
    static boolean waits(SlurmJob row, JobBook.Circumstances now) {
        return switch (now.reasons().of(row.reason())) {
            case SCALES, STAGING -> true;
            case SCALES_WITHOUT_NODES -> row.partitions().stream().noneMatch(now.up()::contains);
            case NEVER ->
                JobPlan.waitsForRequeue(row)
                        || isPutOff(row)
                        || isBeforeTheHead(row, now)
                        || (row.restarts() > 0 && isLeaving(row.reason()));
        };
    }

    /** After each start of slurmctld jobs wait for the head to open their partition, which is no news of theirs. */
    private static boolean isBeforeTheHead(SlurmJob row, JobBook.Circumstances now) {
        return row.reason().equals("PartitionDown") && row.partitions().stream().noneMatch(now.shut()::contains);
    }

    /**
     * A job that was requeued goes on when its last run has left its nodes, and the call for its results has returned.
     */
    private static boolean isLeaving(String reason) {
        return reason.equals("Cleaning") || reason.equals("burst_buffer/lua: Stage-out in progress");
    }

    /** The status of a job that nodes would help otherwise. */
    static Status held(Status status, Suitable suitable, String unlicensed) {
        if (!(status instanceof Status.Waiting)) {
            return status;
        }
        if (suitable instanceof Suitable.Not(String sentence)) {
            return new Status.Held(sentence);
        }
        return unlicensed.isEmpty() ? status : new Status.Held(unlicensed);
    }

    /** Only what may begin is staged: a slurmctld that was killed gives such a job a begin time of its own, a minute later. */
    private static boolean isPutOff(SlurmJob row) {
        return row.reason().equals("BeginTime") && row.staging().equals("staged-in");
    }

    private static Status ending(
            JobBook.Item item, Optional<JobDetail> detail, Before known, JobBook.Circumstances now, Instant time) {
        Status before = known.status;
        if (detail.isPresent() && !detail.get().clear() && item.row().state().equals("SO")) {
            return Status.Ended.somewhere(
                    item.row().restarts(),
                    item.row().start().orElse(null),
                    255,
                    false,
                    "what Slurm says of it cannot be read",
                    false);
        }
        if (detail.isEmpty() || !detail.get().clear()) {
            return before == null ? allocated(item.row(), null, now, time) : before;
        }
        if (isOver(detail.get(), before, time)) {
            // Of one that somebody ended the exit code comes when its script has gone, and is 0 until then.
            boolean settled = !detail.get().run().state().equals("COMPLETING")
                    || detail.get().exitCode() != 0
                    || known.hasLeft(detail.get().run())
                    || isDenied(detail.get(), before);
            if (settled) {
                return ended(detail.get(), isDenied(detail.get(), before), now);
            }
            // A head that was started again is told of a run that it may have journalled, and says whether it is over.
            return before != null
                    ? before
                    : known.known ? allocated(item.row(), null, now, time) : new Status.Held(COMPLETING);
        }
        if (detail.get().isRunning()) {
            // slurmctld was killed between the two answers, and has forgotten the end that the first one told.
            return before == null ? allocated(item.row(), null, now, time) : before;
        }
        // The job completes a run and will have another: Slurm has counted that one already.
        return new Status.Waiting(COMPLETING);
    }

    /** Whether it was ended after it had ended well, by a requeue that was cancelled. */
    private static boolean isDenied(JobDetail detail, @Nullable Status before) {
        return before instanceof Status.Ended end
                && detail.run().state().equals("COMPLETING")
                && detail.run().restarts() > end.restarts();
    }

    /** Slurm counts a run that it broke off at once; by its clock alone only what nobody has seen run. */
    private static boolean isOver(JobDetail detail, @Nullable Status before, Instant time) {
        if (!detail.run().state().equals("COMPLETING")) {
            return detail.isOver(time);
        }
        return switch (before) {
            case Status.Allocated run -> detail.run().restarts() <= run.restarts();
            case Status.Ended end -> detail.run().restarts() <= end.restarts() || detail.isOver(time);
            case Status.Waiting(String reason) when reason.equals(COMPLETING) -> false;
            case null, default -> detail.isOver(time);
        };
    }

    private static Status.Ended ended(JobDetail detail, boolean denied, JobBook.Circumstances now) {
        return new Status.Ended(
                detail.run().restarts(),
                detail.run().start().orElse(null),
                detail.exitCode(),
                denied || detail.isCancelled(),
                Told.of(detail.why()),
                false,
                place(detail, now));
    }

    private static Status.Place place(JobDetail detail, JobBook.Circumstances now) {
        List<String> names = HostList.names(detail.run().nodes());
        if (names.isEmpty()) {
            return Status.Place.UNKNOWN;
        }
        // Also of a node that has gone since.
        boolean ours = names.stream()
                .anyMatch(name ->
                        now.declared().stream().anyMatch(type -> type.names().contains(name)));
        return ours ? Status.Place.OURS : Status.Place.ELSEWHERE;
    }

    private static Status allocated(SlurmJob row, @Nullable Status before, JobBook.Circumstances now, Instant time) {
        List<String> names = HostList.names(row.nodes());
        List<String> ids =
                names.stream().map(now.nodes()::get).filter(Objects::nonNull).toList();
        if (ids.size() < names.size() || names.isEmpty()) {
            // Half of a gang is none. A slot whose node the head does not know any more changes nothing of what was
            // told.
            if (before instanceof Status.Allocated run
                    && run.restarts() == row.restarts()
                    && row.start().orElse(run.since()).equals(run.since())) {
                return run;
            }
            ids = List.of();
        }
        return new Status.Allocated(ids, row.restarts(), row.start().orElse(time));
    }
}
