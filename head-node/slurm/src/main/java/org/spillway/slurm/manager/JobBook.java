package org.spillway.slurm.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.head.tenant.Logins;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.PendingReasons;

/**
 * Which of Slurm's jobs the head has been told of, under which keys, and what they are now. No effects: it says what has to
 * be asked and takes the answers. Used by the thread that looks.
 *
 * <p>The time of submission in a key is the first that was seen: Slurm gives a requeued job another one.
 */
final class JobBook {
    /** Tasks of an array beyond these are told when others have ended. */
    static final int MOST_TASKS = 1000;

    /** slurmctld writes down within 5 s what has changed; what it forgets when it is killed is younger. */
    private static final Duration WRITTEN_WITHIN = Duration.ofSeconds(6);

    /** For how long an ended job is told after Slurm stopped listing it. */
    private static final Duration REMEMBERED = Duration.ofHours(1);

    /**
     * A job of a listing.
     *
     * @param number {@code ARRAY_TASK}, or digits
     * @param target by which commands know it; digits once Slurm has given it an id of its own
     * @param asked by which its detail is asked
     */
    record Item(String number, String target, String asked, int index, SlurmJob row) {
        /**
         * By which Slurm's hooks call it. The last task that waits is called by the array's number, which commands would
         * take for all of the array.
         */
        String called() {
            boolean last = SlurmText.arrayIndices(row.indices(), 2).size() == 1;
            return last ? Long.toString(row.id()) : target;
        }
    }

    /** @param ended when its end was first seen; null before */
    private record Told(
            ForeignJob job,
            String target,
            @Nullable Instant unlisted,
            @Nullable Instant ended) {
        Told unlistedSince(Instant time) {
            return new Told(job, target, time, ended);
        }
    }

    private final Partitions partitions;
    private final Takeover takeover;
    private final Map<String, String> keys = new HashMap<>();
    private final Map<String, Told> told = new LinkedHashMap<>();
    /** Jobs that the head knew when it was started, and Slurm was not heard of yet. */
    private final Set<String> unsure = new HashSet<>();
    /** Jobs that are in a site's partition because the head has placed them there, and not because their users wanted it. */
    private final Set<String> narrowed = new HashSet<>();
    /** Answers of this look about jobs that end, or are not listed any more. */
    private final Map<String, Optional<JobDetail>> ends = new HashMap<>();
    /** Who was asked for lately: the others come first. */
    private final Set<String> askedLately = new HashSet<>();
    /** Keys of jobs of this look that wait for their lines, by Slurm's id. */
    private final Map<Long, String> lineless = new HashMap<>();

    /** Why jobs of this look can never be taken over, by key. */
    private final Map<String, String> refused = new LinkedHashMap<>();

    /** @param known keys of the jobs that the head has taken over and that have not ended */
    JobBook(Partitions partitions, Logins logins, JobFiles files, Collection<String> known) {
        this.partitions = partitions;
        takeover = new Takeover(partitions, logins, files);
        known.forEach(key -> keys.put(key.split(":", 3)[1], key));
        unsure.addAll(known);
    }

    static List<Item> items(List<SlurmJob> rows) {
        List<Item> items = new ArrayList<>(rows.size());
        for (SlurmJob row : rows) {
            List<Integer> indices = SlurmText.arrayIndices(row.indices(), MOST_TASKS);
            // A task that has an id of its own, and the last one that waits, which has the array's.
            boolean split = indices.size() == 1 && (row.id() != row.array() || !row.isPending());
            if (indices.isEmpty()) {
                String id = Long.toString(row.id());
                items.add(new Item(id, id, id, 0, row));
            } else if (split) {
                String id = Long.toString(row.id());
                items.add(new Item(row.array() + "_" + indices.getFirst(), id, id, indices.getFirst(), row));
            } else {
                String asked = row.array() + "_" + indices.getFirst();
                indices.forEach(index ->
                        items.add(new Item(row.array() + "_" + index, row.array() + "_" + index, asked, index, row)));
            }
        }
        return items;
    }

    /** The key of a job, whether it was told or not. */
    String key(Item item) {
        long submitted = item.row.submittedAt().getEpochSecond();
        String known = keys.get(item.number);
        if (known != null) {
            long first = Long.parseLong(known.substring(known.lastIndexOf(':') + 1));
            if (first == submitted || (item.row.restarts() > 0 && first < submitted)) {
                return known;
            }
        }
        return "slurm:" + item.number + ":" + submitted;
    }

    /** Whether there are jobs that may be missing from what is told only because there was no time to ask for them. */
    boolean isUnsure() {
        return !unsure.isEmpty();
    }

    void narrowed(String target) {
        told.forEach((key, job) -> {
            if (job.target.equals(target)) {
                narrowed.add(key);
            }
        });
    }

    /**
     * Jobs that have to be asked about before {@link #jobs}: nothing is known without it. Those come first that were
     * not asked for lately; what is left unasked is told as it was.
     */
    Set<String> needed(List<Item> items) {
        // A look that failed may have left answers: an end stays one.
        Instant never = Instant.MIN;
        ends.values().removeIf(answer -> answer.isPresent() && !answer.get().isOver(never));
        Set<String> questions = new LinkedHashSet<>();
        Set<String> listed = new HashSet<>();
        for (Item item : items) {
            String key = key(item);
            listed.add(key);
            String state = item.row.state();
            Told before = told.get(key);
            boolean isTold = before != null
                    && before.job.status() instanceof Status.Ended end
                    && end.restarts() >= item.row.restarts();
            if ((state.equals("CG") || state.equals("SO")) && !isTold) {
                questions.add(item.target);
            }
        }
        told.forEach((key, job) -> {
            if (!listed.contains(key) && !(job.job.status() instanceof Status.Ended)) {
                questions.add(job.target);
            }
        });
        keys.forEach((number, key) -> {
            if (!listed.contains(key) && !told.containsKey(key)) {
                questions.add(number);
            }
        });
        questions.removeAll(ends.keySet());
        askedLately.retainAll(questions);
        if (askedLately.size() == questions.size()) {
            askedLately.clear();
        }
        Set<String> inTurn = new LinkedHashSet<>(questions);
        inTurn.removeAll(askedLately);
        inTurn.addAll(questions);
        return inTurn;
    }

    void ended(String target, Optional<JobDetail> answer) {
        ends.put(target, answer);
        askedLately.add(target);
    }

    /** Jobs that should be asked about, as far as there is time: they are not told before it is known. */
    Set<String> wanted(List<Item> items) {
        return takeover.wanted(items);
    }

    void answered(String asked, JobDetail detail, List<Item> items) {
        takeover.answered(asked, detail, items);
    }

    /**
     * @param nodes the head's nodes by Slurm's names
     * @param up partitions that have a node which jobs may be given to
     * @param shut partitions that somebody else than the head keeps from jobs
     * @param lines of jobs that have some, by Slurm's id
     * @param declared what Slurm declares for the head
     * @param licences how many are free, by name
     * @param reasons what Slurm's pending reasons mean
     * @param left runs whose nodes have all said their ends, by key
     * @param engaged slots that have a node which has other things to do, or is kept from jobs
     */
    record Circumstances(
            Map<String, String> nodes,
            Set<String> up,
            Set<String> shut,
            Map<Long, String> lines,
            List<DeclaredType> declared,
            Map<String, Integer> licences,
            PendingReasons reasons,
            Map<String, SlurmRun> left,
            Set<String> engaged) {}

    /** All jobs to be told now. */
    List<ForeignJob> jobs(List<Item> items, Circumstances now, Instant time) {
        Set<String> listed = new HashSet<>();
        refused.clear();
        lineless.clear();
        Set<String> throttled = ArrayLimits.beyond(items, takeover::throttle, item -> JobStatuses.waits(item.row, now));
        Map<String, String> unlicensed = Licences.missing(
                items.stream()
                        .filter(item -> item.row.isPending()
                                && JobStatuses.waits(item.row, now)
                                && !throttled.contains(item.number))
                        .toList(),
                now.licences);
        for (Item item : items) {
            String key = key(item);
            listed.add(key);
            forgetOther(item.number, key);
            Told before = told.get(key);
            boolean known = before != null || key.equals(keys.get(item.number));
            Optional<ForeignJob.Facts> facts = takeover.facts(
                    item, key, known, now.lines, before == null ? null : before.job.facts(), narrowed.contains(key));
            if (facts.isEmpty()) {
                lineless.put(item.row.id(), key);
                takeover.refusal(item, key, now).ifPresent(sentence -> refused.put(key, sentence));
                continue;
            }
            Suitable suitable = takeover.suitable(item, facts.get(), now);
            Status status = throttled.contains(item.number)
                    ? new Status.Held("JobArrayTaskLimit")
                    : JobStatuses.held(
                            JobStatuses.of(
                                    item,
                                    ends.getOrDefault(item.target, Optional.empty()),
                                    new JobStatuses.Before(
                                            before == null ? null : before.job.status(), known, now.left.get(key)),
                                    now,
                                    time),
                            suitable,
                            unlicensed.getOrDefault(item.number, Moves.engaged(item.row, now.engaged)));
            keys.put(item.number, key);
            tell(
                    new ForeignJob(key, item.called(), Takeover.on(facts.get(), suitable), status),
                    item.target,
                    before,
                    time);
            unsure.remove(key);
        }
        takeover.retain(items.stream().map(Item::asked).collect(Collectors.toSet()), listed);
        for (Map.Entry<String, String> entry : List.copyOf(keys.entrySet())) {
            if (!listed.contains(entry.getValue())) {
                unlisted(entry.getKey(), entry.getValue(), now, time);
            }
        }
        ends.clear();
        return told.values().stream().map(Told::job).toList();
    }

    private void tell(ForeignJob job, String target, @Nullable Told before, Instant time) {
        Status status = job.status();
        Instant ended = null;
        if (status instanceof Status.Ended end) {
            boolean sameEnd = before != null
                    && before.job.status() instanceof Status.Ended old
                    && old.restarts() == end.restarts()
                    && Objects.equals(old.since(), end.since());
            ended = sameEnd && before != null && before.ended != null ? before.ended : time;
            status = end.withLasting(end.lasting() || !time.isBefore(ended.plus(WRITTEN_WITHIN)));
        }
        told.put(
                job.key(), new Told(new ForeignJob(job.key(), job.number(), job.facts(), status), target, null, ended));
    }

    /** A slurmctld that was killed gives the numbers of jobs that it has forgotten to others. */
    private void forgetOther(String number, String key) {
        String other = keys.get(number);
        if (other != null && !other.equals(key)) {
            keys.remove(number);
            told.remove(other);
            narrowed.remove(other);
            unsure.remove(other);
        }
    }

    /**
     * Why jobs of the last look can never be taken over, by key: they would sit in the Prolog of a node that somebody else
     * pays for, and wait for an order that never comes.
     */
    Map<String, String> refused() {
        return Map.copyOf(refused);
    }

    /** @param roomless why the head has no room for the lines of jobs, by Slurm's id @return the same by key */
    Map<String, String> postponed(Map<Long, String> roomless) {
        Map<String, String> all = new HashMap<>();
        roomless.forEach((job, why) -> {
            String key = lineless.get(job);
            if (key != null) {
                all.put(key, why);
            }
        });
        return all;
    }

    /**
     * Jobs of the listing that were told or refused, or whose lines find no room, for what has to be said about them.
     */
    List<JobPlan.Listed> listed(List<Item> items, Map<Long, String> roomless) {
        return items.stream()
                .map(item -> new JobPlan.Listed(
                        key(item),
                        item.target,
                        item.target.indexOf('_') < 0 ? item.target : Long.toString(item.row.array()),
                        item.row))
                .filter(job -> told.containsKey(job.key())
                        || refused.containsKey(job.key())
                        || roomless.containsKey(job.row().id()))
                .toList();
    }

    /**
     * By which Slurm knows those of the jobs that have ended and are not listed any more, as it does for some minutes: by
     * the number alone, as one task of an array has the array's id.
     */
    List<String> gone(Collection<String> keys) {
        return keys.stream()
                .filter(key -> isGone(told.get(key)))
                .map(key -> key.split(":", 3)[1])
                .toList();
    }

    /**
     * Slurm's own numbers of those of the jobs that have ended well there and are not listed any more: one whose node has
     * gone leaves the listing when Slurm finds that out, before anybody knows that its results went with the node.
     */
    List<Long> endedWell(Collection<String> keys) {
        return keys.stream()
                .map(told::get)
                .filter(JobBook::isGone)
                .filter(job -> job.job.status() instanceof Status.Ended end && end.exitCode() == 0 && !end.cancelled())
                .map(job -> job.target)
                // A task without a number of its own never ran.
                .filter(target -> target.indexOf('_') < 0)
                .map(Long::parseLong)
                .toList();
    }

    private static boolean isGone(@Nullable Told job) {
        return job != null && job.unlisted != null && job.job.status() instanceof Status.Ended;
    }

    private void unlisted(String number, String key, Circumstances now, Instant time) {
        Told before = told.get(key);
        if (before != null && before.job.status() instanceof Status.Ended) {
            Instant since = before.unlisted == null ? time : before.unlisted;
            if (since.plus(REMEMBERED).isBefore(time)) {
                told.remove(key);
                narrowed.remove(key);
                keys.remove(number);
            } else {
                tell(before.job, before.target, before, time);
                told.computeIfPresent(key, (same, present) -> present.unlistedSince(since));
            }
            return;
        }
        String target = before == null ? number : before.target;
        Optional<JobDetail> answer = ends.get(target);
        if (answer == null) {
            return;
        }
        Status last = before == null ? null : before.job.status();
        Status status;
        if (answer.isPresent() && answer.get().clear()) {
            boolean ours = partitions.place(answer.get().partitions()).isPresent();
            status = JobStatuses.absent(answer.get(), ours, last, now, time);
        } else if (last instanceof Status.Allocated run) {
            status = Status.Ended.somewhere(
                    run.restarts(), run.since(), 255, false, "not known to Slurm any more", true);
        } else {
            // Which run it was is in the journal, if anywhere: who misses the job looks there.
            told.remove(key);
            keys.remove(number);
            unsure.remove(key);
            return;
        }
        ForeignJob.Facts facts = before == null ? Takeover.unknown(number, time) : before.job.facts();
        tell(new ForeignJob(key, target, facts, status), target, before, time);
        unsure.remove(key);
    }
}
