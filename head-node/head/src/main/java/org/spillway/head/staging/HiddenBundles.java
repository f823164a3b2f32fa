package org.spillway.head.staging;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;

/**
 * Where the results of a job may lie hidden at home until they are in their places: in the folder that it was submitted
 * from, or, when that takes nothing, in one of those that its user has named for outputs. Pure.
 */
final class HiddenBundles {
    private static final int MOST = 4;

    private HiddenBundles() {}

    /** The bundle of a rank, in the order in which places are tried; at least one. */
    static List<Path> of(JobRecord job, int rank) {
        Set<Path> folders = new LinkedHashSet<>();
        folders.add(Path.of(job.spec().data().folder()).normalize());
        for (JobSpec.Output output : job.spec().outputs()) {
            Path destination = Path.of(output.destination()).normalize();
            Path folder = output.tree() ? destination : destination.getParent();
            if (folder != null && folders.size() < MOST) {
                folders.add(folder);
            }
        }
        return folders.stream()
                .map(folder -> folder.resolve("spillway-" + job.id() + "-" + rank))
                .toList();
    }

    /** The tar file itself, for its user. */
    static Path part(Path bundle, String tag) {
        return bundle.resolveSibling("." + bundle.getFileName() + ".spillway-" + tag + ".part");
    }
}
