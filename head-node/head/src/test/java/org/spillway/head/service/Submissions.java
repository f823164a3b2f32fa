package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.policy.Resources;

/** A submission, and the job that it becomes, with what a test is about. */
final class Submissions {
    static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

    private Submissions() {}

    static JobSubmission of(String project, List<String> sites, String constraint, int nodes) {
        return with(project, sites, constraint, nodes, JobSubmission.ArrayRange.NONE, List.of());
    }

    static JobSubmission with(
            String project,
            List<String> sites,
            String constraint,
            int nodes,
            JobSubmission.ArrayRange array,
            List<JobSubmission.Input> inputs) {
        return JobSubmission.of(job -> {
            job.project = project;
            job.script = "true\n";
            job.scriptName = "job.sh";
            job.nodes = nodes;
            job.sites = sites;
            job.constraint = constraint;
            job.array = array;
            job.folder = "/home/ada";
            job.inputs = inputs;
        });
    }

    static JobSpec spec(int uid, int nodes, JobSpec.@Nullable ArrayTask array, List<JobSpec.Input> inputs) {
        return spec(uid, nodes, array, List.of(), inputs);
    }

    static JobSpec waitingFor(String job, List<JobSpec.Input> inputs) {
        return spec(1001, 1, null, List.of(new JobSpec.Dependency(job, true)), inputs);
    }

    private static JobSpec spec(
            int uid,
            int nodes,
            JobSpec.@Nullable ArrayTask array,
            List<JobSpec.Dependency> after,
            List<JobSpec.Input> inputs) {
        return JobSpec.of(draft -> {
            draft.name = "job.sh";
            draft.owner = new JobSpec.Owner("ada", uid, uid);
            draft.queue = "main";
            draft.sites = List.of("east");
            draft.program = new JobSpec.Program("true\n", List.of(), Map.of());
            draft.need = need(1, 0, nodes);
            draft.after = after;
            draft.array = array;
            draft.data = new JobSpec.Data(inputs, List.of(), "/home/ada");
            draft.idempotencyKey = JobSpec.Key.of("key-" + uid + (array == null ? "" : array.index()));
            draft.submittedAt = NOON;
        });
    }

    static JobSpec.Need need(int cpus, int gpus, int nodes) {
        return new JobSpec.Need(new Resources(cpus, 0, gpus, "", 0), nodes, Duration.ofHours(1));
    }

    static JobRecord job(String id, int uid, JobState state, String reason) {
        return new JobRecord(id, spec(uid, 1, null, List.of()), state, Told.of(reason), NOON, JobRun.NONE);
    }
}
