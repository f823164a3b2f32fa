package org.spillway.slurm.manager;

import java.util.ArrayList;
import java.util.List;
import org.spillway.head.journal.JobSpec;
import org.spillway.slurm.settings.Unnamed;

/**
 * Files that a job whose script names no output has written below the folder where it works (ADR 43). They come home into a folder of
 * its own: the node has only seen what was staged, so a file of the same name at home may be another one. Pure.
 */
final class PlainFiles {
    private PlainFiles() {}

    /** @param job as Slurm's commands know it: digits, or {@code ARRAY_TASK} */
    static JobSpec.Data with(StagingLines.Result.Read read, Unnamed unnamed, String job) {
        JobSpec.Data data = read.data();
        if (unnamed == Unnamed.LEAVE || read.namesOutputs()) {
            return data;
        }
        List<JobSpec.Output> outputs = new ArrayList<>(data.outputs());
        // The last, as a file goes by the first that covers it: output and error have their places.
        outputs.add(new JobSpec.Output(JobSpec.Output.ALL, data.folder() + "/spillway-" + job, true, false));
        return new JobSpec.Data(data.inputs(), outputs, data.folder());
    }
}
