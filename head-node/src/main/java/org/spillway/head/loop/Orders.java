package org.spillway.head.loop;

import java.util.ArrayList;
import java.util.List;
import org.spillway.director.wire.JobOrder;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.stage.Checksum;

/** What a director is told of a job, and under which keys its data lies in the staging space. */
public final class Orders {
    public static final String STDOUT = ".spillway/stdout";
    public static final String STDERR = ".spillway/stderr";

    private Orders() {}

    public static String inputKey(String job) {
        return "jobs/" + job + "/in/0";
    }

    public static String outputKey(String job, int attempt, int index) {
        return "jobs/" + job + "/" + attempt + "/out/" + index;
    }

    /** Name of the input in the job's folder: that of the file at home. */
    public static String inputName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    static JobOrder of(JobRecord job) {
        JobSpec spec = job.spec();
        int attempt = job.run().attempt();
        List<JobOrder.Input> inputs = new ArrayList<>();
        Checksum staged = job.run().staged();
        if (spec.input() != null && staged != null) {
            inputs.add(
                    new JobOrder.Input(inputKey(job.id()), inputName(spec.input()), staged.bytes(), staged.sha256()));
        }
        List<JobOrder.Output> outputs = new ArrayList<>();
        for (int i = 0; i < spec.outputs().size(); i++) {
            outputs.add(new JobOrder.Output(
                    outputKey(job.id(), attempt, i), spec.outputs().get(i).path()));
        }
        return new JobOrder(
                job.id(),
                attempt,
                job.run().node() == null ? "" : job.run().node(),
                spec.user(),
                spec.uid(),
                spec.gid(),
                spec.script(),
                spec.arguments(),
                spec.environment(),
                spec.walltime().toSeconds(),
                job.run().cancelled(),
                inputs,
                outputs);
    }
}
