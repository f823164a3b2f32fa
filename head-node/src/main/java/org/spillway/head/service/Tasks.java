package org.spillway.head.service;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.rest.JobSubmission;

/** A submission as the jobs that it becomes. */
final class Tasks {
    private Tasks() {}

    record Task(String id, JobSpec spec) {}

    /** One job, or those of an array; the first bears the submission's own key. */
    static List<Task> of(String id, JobSpec spec, JobSubmission.ArrayRange range) {
        if (range.isNone()) {
            return List.of(new Task(id, numbered(spec, id, null, spec.idempotencyKey())));
        }
        List<Task> tasks = new ArrayList<>();
        for (int index = range.first(); index <= range.last(); index += range.step()) {
            String key = tasks.isEmpty() ? spec.idempotencyKey() : spec.idempotencyKey() + "#" + index;
            JobSpec.ArrayTask task = new JobSpec.ArrayTask(id, index, range.limit());
            tasks.add(new Task(id + "-" + index, numbered(spec, id + "-" + index, task, key)));
        }
        return tasks;
    }

    /** {@code %j} in a path is the job's id, as in Slurm, {@code %A} its array's and {@code %a} its index there. */
    private static JobSpec numbered(JobSpec spec, String id, JobSpec.@Nullable ArrayTask task, String key) {
        String array = task == null ? id : task.id();
        String index = task == null ? "0" : Integer.toString(task.index());
        UnaryOperator<String> fill =
                text -> text.replace("%j", id).replace("%A", array).replace("%a", index);
        JobSpec.Data data = new JobSpec.Data(
                spec.inputs().stream()
                        .map(input -> new JobSpec.Input(fill.apply(input.pattern()), fill.apply(input.target())))
                        .toList(),
                spec.outputs().stream()
                        .map(output -> new JobSpec.Output(
                                fill.apply(output.pattern()),
                                fill.apply(output.destination()),
                                output.tree(),
                                output.strict()))
                        .toList(),
                spec.data().folder());
        return new JobSpec(
                spec.name(),
                spec.owner(),
                spec.project(),
                spec.queue(),
                spec.sites(),
                spec.program(),
                spec.need(),
                spec.priority(),
                spec.requeue(),
                spec.after(),
                task,
                data,
                key,
                spec.submittedAt());
    }

    /** Whether the same is asked for as was before. */
    static boolean same(JobSpec spec, JobSubmission asked) {
        return spec.program().script().equals(asked.script())
                && spec.program().arguments().equals(asked.arguments())
                && spec.program().environment().equals(asked.environment())
                && (asked.queue().isEmpty() || asked.queue().equals(spec.queue()))
                && spec.resources().cpus() == asked.cpus()
                && spec.resources().gpus() == asked.gpus()
                && spec.resources().memoryBytes() == asked.memoryBytes()
                && spec.nodes() == asked.nodes()
                && (spec.array() == null) == asked.array().isNone()
                && spec.inputs().size() == asked.inputs().size()
                && spec.outputs().size() == asked.outputs().size();
    }
}
