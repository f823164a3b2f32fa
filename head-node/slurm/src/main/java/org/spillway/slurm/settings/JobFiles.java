package org.spillway.slurm.settings;

import java.util.List;

/**
 * The files of jobs on nodes of ours.
 *
 * @param unnamed what becomes of files of jobs that name no output
 * @param shared folders that nodes mount by themselves, so that the files in them are those at home: absolute, without a slash
 *     at the end
 */
public record JobFiles(Unnamed unnamed, List<String> shared) {
    public JobFiles {
        shared = List.copyOf(shared);
    }

    /** Sites where nothing is shared. */
    public static JobFiles of(Unnamed unnamed) {
        return new JobFiles(unnamed, List.of());
    }

    /** Whether the files of a folder are the same ones at home and on nodes. @param folder absolute, normal */
    public boolean isShared(String folder) {
        return shared.stream().anyMatch(one -> folder.equals(one) || folder.startsWith(one + "/"));
    }
}
