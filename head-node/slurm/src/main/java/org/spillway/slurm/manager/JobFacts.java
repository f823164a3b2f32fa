package org.spillway.slurm.manager;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.workload.ForeignJob;
import org.spillway.policy.Resources;

/** Facts of a job, from what squeue and scontrol say. Pure. */
final class JobFacts {
    private static final int MOST_NAME = 64;

    private static final int MOST_WORD = 100;
    /** Slurm's limit for a job without one that has once been given nodes. */
    private static final Duration UNLIMITED = Duration.ofDays(365);

    /** Slurm's word for {@code %a} while the tasks of an array wait together: its number for no number. */
    private static final String NO_TASK = "4294967294";

    private JobFacts() {}

    /** @param detail null while it was not asked for, for a job that the head knows already */
    static ForeignJob.Facts of(
            SlurmJob row, @Nullable JobDetail detail, Partitions.Place place, String user, JobSpec.Data data) {
        return new ForeignJob.Facts(
                detail == null ? "" : name(detail.name()),
                new JobSpec.Owner(user, Math.toIntExact(row.uid()), Math.toIntExact(row.gid())),
                place.queue(),
                place.sites(),
                new JobSpec.Need(
                        perNode(row, detail != null && detail.asked().perCpu()),
                        Math.max(1, row.minNodes()),
                        row.limit()
                                .filter(limit -> limit.compareTo(UNLIMITED) < 0)
                                .orElse(place.maxWalltime())),
                // Slurm's has 32 bits without a sign; its order is kept, but for the last bit.
                (int) (Math.clamp(row.priority(), 0, 0xffff_ffffL) >>> 1),
                row.requeue(),
                data,
                row.submittedAt(),
                new JobSpec.Terms(
                        word(row.account()),
                        detail == null ? null : detail.asked().deadline().orElse(null),
                        licences(row)));
    }

    /** Whatever a user typed, as a word that goes into reasons. */
    private static String word(String text) {
        String plain = text.length() > MOST_WORD ? text.substring(0, MOST_WORD) : text;
        return plain.replaceAll("[^A-Za-z0-9._@-]", "_");
    }

    /** Licences as {@code matlab:2}, with the server that has them, if any: {@code matlab@flex:2}. */
    static Map<String, Integer> licences(SlurmJob row) {
        Map<String, Integer> licences = new HashMap<>();
        for (String text : row.licences()) {
            String[] parts = text.split(":", 2);
            boolean counted = parts.length == 2 && parts[1].matches("[1-9]\\d{0,8}");
            if (!parts[0].isEmpty()) {
                licences.merge(word(parts[0]), counted ? Integer.parseInt(parts[1]) : 1, Integer::sum);
            }
        }
        return licences;
    }

    private static String name(String text) {
        String plain = text.codePoints()
                .limit(MOST_NAME)
                .map(point ->
                        Character.isISOControl(point) || Character.getType(point) == Character.FORMAT ? '?' : point)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return plain.isBlank() ? "slurm" : plain;
    }

    static Resources perNode(SlurmJob row, boolean memoryPerCpu) {
        int nodes = row.minNodes();
        int cpus = up(Math.max(row.cpus(), (long) row.processes() * row.cpusPerTask()), nodes);
        long memory = memoryPerCpu ? Math.multiplyExact(row.memoryBytes(), (long) cpus) : row.memoryBytes();
        int tasks = up(row.processes(), nodes);
        long gpus = 0;
        String model = "";
        var counted = List.of(
                new Counted(row.gresPerNode(), 1, 1),
                new Counted(row.gresPerJob(), 1, nodes),
                // A node has one socket at least; how many is not known before there is one.
                new Counted(row.gresPerSocket(), 1, 1),
                new Counted(row.gresPerTask(), tasks, 1));
        for (Counted some : counted) {
            for (Gres gres : some.gres) {
                if (gres.name().equals("gpu")) {
                    gpus = Math.max(gpus, up((long) gres.count() * some.times, some.over));
                    model = model.isEmpty() ? gres.model().toLowerCase(Locale.ROOT) : model;
                }
            }
        }
        return new Resources(Math.max(1, cpus), memory, Math.toIntExact(gpus), gpus == 0 ? "" : model, 0);
    }

    private record Counted(List<Gres> gres, int times, int over) {}

    private static int up(long amount, int parts) {
        return Math.toIntExact(Math.max(0, (amount + parts - 1) / parts));
    }

    /** The file of another task of the array; empty when only Slurm knows its name before that task starts. */
    static String ofTask(String file, long array, int asked, int index) {
        if (file.contains(NO_TASK)) {
            return file.replace(NO_TASK, Integer.toString(index));
        }
        String name = "slurm-" + array + "_" + asked + ".out";
        return file.endsWith("/" + name)
                ? file.substring(0, file.length() - name.length()) + "slurm-" + array + "_" + index + ".out"
                : "";
    }
}
