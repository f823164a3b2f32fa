package org.spillway.slurm.settings;

/** The fate of files that a job without {@code out} words has written below the folder where it works. */
public enum Unnamed {
    /** Files come home, beside what is there and never over it. */
    HOME,
    /** Files are gone with the node. */
    LEAVE
}
