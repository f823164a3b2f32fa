package org.spillway.head.workload.slurm;

import java.util.List;
import java.util.Optional;
import org.spillway.head.journal.JobSpec;

/** Reads a job's {@code #SPILLWAY} lines. */
@FunctionalInterface
public interface StagingReader {
    /**
     * @param folder where the job works, absolute
     * @param stdout absolute path; empty when it is not known yet
     * @return what is to be staged; empty when a line is wrong: then the job's stage-in fails and tells its user why
     */
    Optional<JobSpec.Data> read(List<String> lines, String folder, String stdout, String stderr);
}
