package org.spillway.slurm.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.tenant.Logins;
import org.spillway.head.workload.ForeignJob;
import org.spillway.policy.Resources;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.PendingReason;
import org.spillway.slurm.settings.PendingReasons;
import org.spillway.slurm.settings.Unnamed;

/** Jobs as squeue and scontrol tell of them, and a book that has heard of none. */
abstract class JobBookScene {
    static final Instant NOW = Instant.parse("2026-11-21T22:30:00Z");
    static final Instant STARTED = Instant.parse("2026-11-21T22:14:01Z");
    static final String DETAIL = "JobId=12 JobName=x y UserId=cloudsdk(1000)"
            + " GroupId=cloudsdk(1000) MCS_label=N/A Priority=1 JobState=STATE Reason=None Dependency=(null) Requeue=1"
            + " Restarts=RESTARTS BatchFlag=1 Reboot=0 ExitCode=EXIT RunTime=00:00:00 TimeLimit=00:10:00"
            + " StartTime=2026-11-21T22:14:01 EndTime=END Partition=cloud NumCPUs=1 MinCPUsNode=1 MinMemoryCPU=500M Command=(null)"
            + " WorkDir=/home/a b/jobs AdminComment=spillway: y StdErr=/home/a b/jobs/slurm-12.out StdIn=/dev/null"
            + " StdOut=/home/a b/jobs/slurm-12.out Power= ";

    final Map<Long, String> lines = new HashMap<>();
    final Map<String, Integer> licences = new HashMap<>();
    final Map<String, PendingReason> moved = new HashMap<>();
    final Map<String, SlurmRun> left = new HashMap<>();
    final Set<String> engaged = new HashSet<>();
    Set<String> up = Set.of();
    Set<String> shut = Set.of();
    final Map<String, String> nodes = Map.of("west-a-1", "n1", "west-a-2", "n2");
    JobBook book = book(List.of());
    Instant now = NOW;

    static JobBook book(List<String> known) {
        return new JobBook(
                partitions(),
                new Logins(uid -> Optional.of("u" + uid), user -> Optional.of("/home/" + user)),
                JobFiles.of(Unnamed.LEAVE),
                known);
    }

    static Partitions partitions() {
        var queue = HeadConfig.Queue.plain("cloud", List.of("east", "west"), Duration.ofHours(8), true);
        return new Partitions(List.of(queue), Set.of("west", "east"));
    }

    static List<DeclaredType> declared() {
        return List.of(
                new DeclaredType(
                        "west",
                        "a",
                        Set.of("west", "a"),
                        new Resources(8, 16L << 30, 0, "", 0),
                        Set.of("west-a-1", "west-a-2")),
                new DeclaredType(
                        "west",
                        "big",
                        Set.of("west", "gpu"),
                        new Resources(32, 64L << 30, 4, "h100", 0),
                        Set.of("west-big-1")),
                new DeclaredType(
                        "east", "a", Set.of("east"), new Resources(8, 16L << 30, 0, "", 0), Set.of("east-a-1")));
    }

    static SlurmJob asking(String option) {
        return asking(option, 12, 10);
    }

    static SlurmJob asking(String option, long id, long priority) {
        Map<String, String> columns = new HashMap<>(Map.of(
                "JobID",
                Long.toString(id),
                "ArrayJobID",
                Long.toString(id),
                "PriorityLong",
                Long.toString(priority),
                "StateCompact",
                "PD",
                "Reason",
                "Resources",
                "RestartCnt",
                "0",
                "SubmitTime",
                NOW.toString().replace("Z", ""),
                "NodeList",
                ""));
        int at = option.indexOf('=');
        columns.put(option.substring(0, at), option.substring(at + 1));
        return read(columns);
    }

    static List<SlurmOrder> said(SlurmJob row, JobPlan.Wanted wanted) {
        return JobPlan.of(List.of(new JobPlan.Listed("k", "12", "12", row)), wanted, Map.of(), Set.of(), NOW);
    }

    static JobDetail detail(String state, int restarts, String exit, String end) {
        return JobDetail.parse(
                        "12",
                        DETAIL.replace("STATE", state)
                                .replace("RESTARTS", Integer.toString(restarts))
                                .replace("EXIT", exit)
                                .replace("END", end))
                .orElseThrow();
    }

    ForeignJob told(SlurmJob row) {
        return told(row, detail("PENDING", 0, "0:0", "Unknown"));
    }

    ForeignJob told(SlurmJob row, JobDetail detail) {
        return tell(List.of(row), detail).getLast();
    }

    List<ForeignJob> tell(List<SlurmJob> rows, JobDetail detail) {
        List<JobBook.Item> items = JobBook.items(rows);
        book.needed(items).forEach(target -> book.ended(target, Optional.of(detail)));
        book.wanted(items).forEach(target -> book.answered(target, detail, items));
        return jobs(items);
    }

    List<ForeignJob> tell(List<SlurmJob> rows) {
        return jobs(JobBook.items(rows));
    }

    List<ForeignJob> jobs(List<JobBook.Item> items) {
        return book.jobs(
                items,
                new JobBook.Circumstances(
                        nodes, up, shut, lines, declared(), licences, new PendingReasons(moved), left, engaged),
                now);
    }

    static SlurmJob row(String state, String reason, int restarts, int later, String nodes) {
        return read(Map.of(
                "JobID",
                "12",
                "ArrayJobID",
                "12",
                "StateCompact",
                state,
                "Reason",
                reason,
                "RestartCnt",
                Integer.toString(restarts),
                "SubmitTime",
                NOW.plusSeconds(later).toString().replace("Z", ""),
                "NodeList",
                nodes));
    }

    static SlurmJob array(long id, long array, String indices, String state, String nodes) {
        return read(Map.of(
                "JobID",
                Long.toString(id),
                "ArrayJobID",
                Long.toString(array),
                "ArrayTaskID",
                indices,
                "StateCompact",
                state,
                "Reason",
                "Resources",
                "RestartCnt",
                "0",
                "SubmitTime",
                NOW.toString().replace("Z", ""),
                "NodeList",
                nodes));
    }

    static SlurmJob read(Map<String, String> given) {
        Map<String, String> usual = Map.ofEntries(
                Map.entry("ArrayTaskID", "N/A"),
                Map.entry("HetJobID", "N/A"),
                Map.entry("HetJobOffset", "N/A"),
                Map.entry("Partition", "cloud"),
                Map.entry("NumNodes", "2"),
                Map.entry("MaxNodes", "2"),
                Map.entry("NumTasks", "16"),
                Map.entry("NumCPUs", "16"),
                Map.entry("cpus-per-task", "1"),
                Map.entry("MinMemory", "500M"),
                Map.entry("tres-per-node", "gres:gpu:h100:2"),
                Map.entry("TimeLimit", "10:00"),
                Map.entry("PriorityLong", "4294901759"),
                Map.entry("UserID", "1000"),
                Map.entry("GroupID", "1000"),
                Map.entry("OverSubscribe", "OK"),
                Map.entry("Requeue", "1"),
                Map.entry("ReqNodes", ""),
                Map.entry("EligibleTime", "N/A"),
                Map.entry("StartTime", NOW.toString().replace("Z", "")));
        List<String> columns = new ArrayList<>();
        for (String field : SlurmJob.FIELDS) {
            columns.add(given.getOrDefault(field, usual.getOrDefault(field, "(null)")));
        }
        try {
            return SlurmJob.of(columns, Dialect.FIRST);
        } catch (UnreadableAnswer e) {
            throw new IllegalArgumentException(e);
        }
    }
}
