package org.spillway.slurm.hooks;

import java.util.List;

/**
 * A script that is about to be submitted to Slurm.
 *
 * @param lines its top, down to its first command
 * @param folder absolute: where it will work
 * @param partitions that it asks for; empty for Slurm's default
 */
public record SlurmScript(String lines, String folder, List<String> partitions) {
    public SlurmScript {
        partitions = List.copyOf(partitions);
    }
}
