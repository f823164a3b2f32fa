package org.spillway.head.service;

import java.util.List;
import org.spillway.api.CheckView;
import org.spillway.head.journal.JobSpec;

/**
 * A submission that is acceptable.
 *
 * @param spec as it would be journalled; for an array, before its tasks are numbered
 * @param tasks 1, or those of the array
 * @param inputs what each names now, over all tasks
 * @param notes what its user should know
 */
record Judgement(JobSpec spec, int tasks, List<CheckView.FoundInput> inputs, List<String> notes) {
    Judgement {
        inputs = List.copyOf(inputs);
        notes = List.copyOf(notes);
    }

    int files() {
        return inputs.stream().mapToInt(CheckView.FoundInput::files).sum();
    }

    long bytes() {
        return inputs.stream().mapToLong(CheckView.FoundInput::bytes).sum();
    }

    /** As if all tasks had as much. */
    long bytesOfOne() {
        return bytes() / tasks;
    }
}
