package org.spillway.slurm.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.tenant.Logins;
import org.spillway.head.workload.ForeignJob;
import org.spillway.policy.Resources;
import org.spillway.slurm.settings.JobFiles;

/**
 * Which jobs of a listing become jobs of the head, as what, and which never can. Keeps what Slurm has answered about listed
 * jobs. Used by the thread that looks.
 */
final class Takeover {
    /** A part could be paid and begin while another waits for the budget or a node: so none of them does. */
    static final String HETEROGENEOUS =
            "heterogeneous jobs are not run on cloud partitions: submit the parts as jobs of"
                    + " their own, or name partitions at home for all of them";

    private record Asked(JobDetail detail, long memoryBytes) {}

    private final Partitions partitions;
    private final Logins logins;
    private final Map<String, Asked> details = new HashMap<>();
    private final JobFiles files;
    private final JobLines lines;

    Takeover(Partitions partitions, Logins logins, JobFiles files) {
        this.partitions = partitions;
        this.logins = logins;
        this.files = files;
        lines = new JobLines(files);
    }

    /** Jobs that should be asked about, as far as there is time: they are not told before it is known. */
    Set<String> wanted(List<JobBook.Item> items) {
        // Jobs that have nodes cost money while they wait in a Prolog; squeue tells them last.
        Set<String> questions = new LinkedHashSet<>();
        Set<String> others = new LinkedHashSet<>();
        for (JobBook.Item item : items) {
            Asked asked = details.get(item.asked());
            if (asked == null || asked.memoryBytes != item.row().memoryBytes()) {
                (item.row().nodes().isEmpty() ? others : questions).add(item.asked());
            }
        }
        questions.addAll(others);
        return questions;
    }

    void answered(String asked, JobDetail detail, List<JobBook.Item> items) {
        items.stream()
                .filter(item -> item.asked().equals(asked))
                .findFirst()
                .ifPresent(
                        item -> details.put(asked, new Asked(detail, item.row().memoryBytes())));
    }

    /** Forgets what was asked about jobs that are not listed any more, by how they are asked and by key. */
    void retain(Set<String> asked, Set<String> listed) {
        details.keySet().retainAll(asked);
        lines.retain(listed);
    }

    /**
     * @param known whether the head has taken the job over; one that it has not is told when all of it is known
     * @param before what it was told of it
     * @param narrowed whether it is in its partition because the head has placed it there
     */
    Optional<ForeignJob.Facts> facts(
            JobBook.Item item,
            String key,
            boolean known,
            Map<Long, String> texts,
            ForeignJob.@Nullable Facts before,
            boolean narrowed) {
        if (item.row().component().isPresent() && !known) {
            return Optional.empty();
        }
        Asked asked = details.get(item.asked());
        JobDetail detail = asked == null ? null : asked.detail;
        Optional<Partitions.Place> place = before != null && narrowed
                ? Optional.of(new Partitions.Place(
                        before.queue(), before.sites(), before.need().walltime()))
                : partitions.place(item.row().partitions());
        Optional<String> user = user(item.row());
        Optional<JobSpec.Data> data = detail != null
                        && detail.clear()
                        && lines.of(item, key, detail, texts, user.flatMap(logins.homes()))
                                instanceof StagingLines.Result.Read read
                ? Optional.of(PlainFiles.with(read, files, item.target()))
                : Optional.empty();
        if (place.isPresent() && user.isPresent() && detail != null && data.isPresent()) {
            try {
                return Optional.of(JobFacts.of(item.row(), detail, place.get(), user.get(), data.get()));
            } catch (ArithmeticException e) {
                return Optional.empty();
            }
        }
        if (!known) {
            return Optional.empty();
        }
        return Optional.of(before == null ? unknown(item.number(), item.row().submittedAt()) : before);
    }

    /** Of a job that the head knew before it was started again, and that has ended since. */
    static ForeignJob.Facts unknown(String number, Instant time) {
        return new ForeignJob.Facts(
                number,
                new JobSpec.Owner("", -1, -1),
                "",
                List.of(),
                new JobSpec.Need(Resources.NONE, 1, Duration.ZERO),
                0,
                false,
                new JobSpec.Data(List.of(), List.of(), "/"),
                time,
                JobSpec.Terms.NONE);
    }

    /** Of a job that is not told: why it never will be; empty when it may be yet, or is no business of ours. */
    Optional<String> refusal(JobBook.Item item, String key, JobBook.Circumstances now) {
        Asked asked = details.get(item.asked());
        if (item.row().component().isPresent()) {
            boolean ours = partitions.areOurs(item.row().partitions())
                    || HostList.names(item.row().nodes()).stream().anyMatch(now.nodes()::containsKey);
            return ours ? Optional.of(HETEROGENEOUS) : Optional.empty();
        }
        if (asked == null || !partitions.areOurs(item.row().partitions())) {
            return Optional.empty();
        }
        List<String> names = HostList.names(item.row().nodes());
        if (!names.isEmpty() && names.stream().noneMatch(now.nodes()::containsKey)) {
            return Optional.empty();
        }
        if (user(item.row()).isEmpty()) {
            return Optional.of(
                    "cloud nodes do not know the user with uid " + item.row().uid());
        }
        JobDetail detail = asked.detail;
        if (!detail.clear()) {
            return Optional.of("its name, account or paths look like fields of Slurm's: it cannot run on cloud nodes");
        }
        return switch (lines.of(item, key, detail, now.lines(), user(item.row()).flatMap(logins.homes()))) {
            case null ->
                names.isEmpty()
                        ? Optional.empty()
                        : Optional.of("it has #SPILLWAY lines and was started without its data");
            case StagingLines.Result.Refused wrong -> Optional.of(Aloud.of(wrong.sentence()));
            case StagingLines.Result.Read read -> Optional.of("what it needs of a node is too large to count");
        };
    }

    private Optional<String> user(SlurmJob row) {
        return row.uid() > Integer.MAX_VALUE || row.gid() > Integer.MAX_VALUE
                ? Optional.empty()
                : logins.names().apply((int) row.uid());
    }

    /** Of tasks with ids of their own only their details tell it. */
    Optional<Integer> throttle(JobBook.Item item) {
        Asked asked = details.get(item.asked());
        return item.row().throttle().or(() -> asked == null ? Optional.empty() : asked.detail.throttle());
    }

    Suitable suitable(JobBook.Item item, ForeignJob.Facts facts, JobBook.Circumstances now) {
        Asked asked = details.get(item.asked());
        String excluded = asked == null ? "" : asked.detail.asked().excluded();
        return Suitable.of(item.row(), excluded, facts.need().perNode(), now.declared(), facts.sites());
    }

    static ForeignJob.Facts on(ForeignJob.Facts facts, Suitable suitable) {
        return switch (suitable) {
            case Suitable.Not not -> facts;
            case Suitable.On(var types, var perNode, boolean whole) -> {
                JobSpec.Need before = facts.need();
                JobSpec.Need need = before.on(types, perNode, whole);
                yield need.equals(before) ? facts : facts.with(need);
            }
        };
    }
}
