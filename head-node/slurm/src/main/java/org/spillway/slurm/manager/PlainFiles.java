package org.spillway.slurm.manager;

import java.util.ArrayList;
import java.util.List;
import org.spillway.head.journal.JobSpec;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.Unnamed;
import org.spillway.stage.tree.Glob;

/**
 * Files of a job that no line of its script names, where it works. Where nodes have that folder from home they are in their places
 * and nothing is brought. Elsewhere those that its script has written (ADR 43) come home into a folder of its own when it names no
 * output: the node has only seen what was staged, so a file of the same name at home may be another one. Pure.
 */
final class PlainFiles {
    private PlainFiles() {}

    /** @param job as Slurm's commands know it: digits, or {@code ARRAY_TASK} */
    static JobSpec.Data with(StagingLines.Result.Read read, JobFiles files, String job) {
        JobSpec.Data data = read.data();
        if (files.isShared(data.folder())) {
            return shared(data, read.named());
        }
        if (files.unnamed() == Unnamed.LEAVE || read.named() > 0) {
            return data;
        }
        List<JobSpec.Output> outputs = new ArrayList<>(data.outputs());
        // The last, as a file goes by the first that covers it: output and error have their places.
        String beside = data.folder() + "/spillway-" + job;
        outputs.add(new JobSpec.Output(JobSpec.Output.BELOW_HOME, beside + "/HOME", true, false));
        outputs.add(new JobSpec.Output(JobSpec.Output.ALL, beside, true, false));
        return data.with(data.inputs(), outputs);
    }

    /** Standard output and error, and what lines would bring to where it is already, are left alone. */
    private static JobSpec.Data shared(JobSpec.Data data, int named) {
        return new JobSpec.Data(
                data.inputs().stream()
                        .filter(input -> !isInPlace(input, data.folder()))
                        .toList(),
                data.outputs().subList(0, named).stream()
                        .filter(output -> output.strict() || !isInPlace(output, data.folder()))
                        .toList(),
                data.folder());
    }

    private static boolean isInPlace(JobSpec.Input input, String folder) {
        Glob glob = StagingPaths.glob(input.pattern());
        String target = folder + "/" + input.target();
        String at = glob.isPlain() ? glob.base().substring(0, glob.base().lastIndexOf('/') + 1) : glob.base() + "/";
        return at.equals(target);
    }

    private static boolean isInPlace(JobSpec.Output output, String folder) {
        String base = StagingPaths.glob(output.pattern()).base();
        return output.destination().equals(base.isEmpty() ? folder : folder + "/" + base);
    }
}
