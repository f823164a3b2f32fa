package org.spillway.head.staging;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.stage.worker.UserFiles;

/** Yields of all ranks, output by output. One use each. */
final class Publication {
    private final List<JobSpec.Output> outputs;
    private final int[] covered;
    private final TreeMap<Integer, JobRun.Unplaced> unplaced = new TreeMap<>();
    private final List<String> bundles = new ArrayList<>();
    private int files;
    private long bytes;

    Publication(List<JobSpec.Output> outputs) {
        this.outputs = outputs;
        this.covered = new int[outputs.size()];
    }

    void add(UserFiles.Unpacked unpacked, Path bundle) {
        bundles.addFirst(bundle.toString());
        for (int i = 0; i < covered.length; i++) {
            UserFiles.Taken taken = unpacked.rules().get(i);
            covered[i] += taken.covered();
            files += taken.files();
            bytes += taken.bytes();
        }
        for (UserFiles.Failure failure : unpacked.failures()) {
            JobSpec.Output output = outputs.get(failure.rule());
            String more = failure.members() > 1 ? " (and " + (failure.members() - 1) + " more)" : "";
            unplaced.put(
                    failure.rule(), new JobRun.Unplaced(output.pattern(), output.destination(), failure.said() + more));
        }
    }

    JobRun.Published result() {
        List<String> missing = new ArrayList<>();
        for (int i = 0; i < covered.length; i++) {
            if (covered[i] == 0 && !outputs.get(i).mayBeNothing()) {
                missing.add(outputs.get(i).pattern());
            }
        }
        return new JobRun.Published(
                missing, files, bytes, List.copyOf(unplaced.values()), unplaced.isEmpty() ? List.of() : bundles);
    }
}
