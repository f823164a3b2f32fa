package org.spillway.slurm.setup;

/**
 * A file as it was or shall be.
 *
 * @param digest SHA-256 of its bytes, by which the store keeps them; empty for a file that is not there
 * @param mode as {@code rwxr-xr-x}
 */
public record FileState(String digest, String mode, int uid, int gid) {
    /** No file. */
    public static final FileState ABSENT = new FileState("", "", 0, 0);

    boolean isThere() {
        return !digest.isEmpty();
    }

    /** Whether its bytes are the same. */
    boolean holds(FileState other) {
        return digest.equals(other.digest);
    }
}
