package org.spillway.head.service;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException;
import org.spillway.api.JobSubmission;
import org.spillway.api.Json;
import org.spillway.head.journal.JobSpec;
import org.spillway.stage.tree.Glob;
import org.spillway.stage.tree.Origin;

/** A submission as the jobs that it becomes. */
final class Tasks {
    /** The longest expression that a director takes. */
    private static final int LONGEST_EXPRESSION = 5000;

    private Tasks() {}

    record Task(String id, JobSpec spec) {}

    /** The job, or those of an array; the first bears the submission's own key. */
    static List<Task> of(String id, JobSpec spec, JobSubmission.ArrayRange range) {
        if (range.isNone()) {
            return List.of(new Task(id, numbered(spec, id, null, spec.idempotencyKey())));
        }
        List<Task> tasks = new ArrayList<>();
        for (int number = 0; number < range.size(); number++) {
            int index = range.first() + number * range.step();
            JobSpec.Key own = spec.idempotencyKey();
            JobSpec.Key key = tasks.isEmpty() ? own : JobSpec.Key.of(own.value() + "#" + index);
            JobSpec.ArrayTask task = new JobSpec.ArrayTask(id, index, range.limit());
            tasks.add(new Task(id + "-" + index, numbered(spec, id + "-" + index, task, key)));
        }
        return tasks;
    }

    /** {@code %j} in a path is the job's id, {@code %A} its array's and {@code %a} its index there. */
    private static JobSpec numbered(JobSpec spec, String id, JobSpec.@Nullable ArrayTask task, JobSpec.Key key) {
        String array = task == null ? id : task.id();
        String index = task == null ? "0" : Integer.toString(task.index());
        UnaryOperator<String> fill =
                text -> text.replace("%j", id).replace("%A", array).replace("%a", index);
        JobSpec.Data data = spec.data()
                .with(
                        spec.inputs().stream()
                                .map(input ->
                                        new JobSpec.Input(fill.apply(input.pattern()), fill.apply(input.target())))
                                .toList(),
                        spec.outputs().stream()
                                .map(output -> new JobSpec.Output(
                                        fill.apply(output.pattern()),
                                        fill.apply(output.destination()),
                                        output.tree(),
                                        output.strict()))
                                .toList());
        checkPatterns(data);
        return spec.with(draft -> {
            draft.array = task;
            draft.data = data;
            draft.idempotencyKey = key;
        });
    }

    /** Once more, now that the numbers are in them: what stands in the journal must always be readable. */
    private static void checkPatterns(JobSpec.Data data) {
        List<String> patterns = new ArrayList<>();
        for (JobSpec.Input input : data.inputs()) {
            if (input.isImage()) {
                continue;
            }
            if (Origin.isElsewhere(input.pattern())) {
                origin(input.pattern());
            } else {
                patterns.add(input.pattern());
            }
        }
        data.outputs().forEach(output -> patterns.add(output.pattern()));
        for (String pattern : patterns) {
            try {
                if (Glob.parse(pattern).posixRegex().length() > LONGEST_EXPRESSION) {
                    throw new IllegalArgumentException("the pattern is too long");
                }
            } catch (IllegalArgumentException malformed) {
                throw new ApiException(
                        ApiException.Code.BAD_REQUEST,
                        "with the job's number in it a pattern cannot be used: " + malformed.getMessage(),
                        "look at where %j, %A and %a stand");
            }
        }
    }

    private static void origin(String text) {
        try {
            Origin.of(text);
        } catch (IllegalArgumentException malformed) {
            throw new ApiException(
                    ApiException.Code.BAD_REQUEST,
                    "with the job's number in it an input cannot be used: " + malformed.getMessage(),
                    "look at where %j, %A and %a stand");
        }
    }

    /** A key together with all that it stands for. */
    static JobSpec.Key key(String value, JobSubmission asked) {
        return new JobSpec.Key(value, Json.digest(asked));
    }

    /** Whether the same is asked for as was under this key; a key without a digest answers for nothing. */
    static boolean same(JobSpec.Key known, JobSubmission asked) {
        return known.digest().equals(Json.digest(asked));
    }
}
