package org.spillway.slurm.settings;

/** What becomes of files that a job without {@code out} words has written below the folder where it works. */
public enum Unnamed {
    /** They come home, beside what is there and never over it. */
    HOME,
    /** They are gone with the node. */
    LEAVE
}
