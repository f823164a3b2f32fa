package org.spillway.head.limits;

/**
 * Limits of jobs that have not ended: the head keeps them in memory, with their scripts.
 *
 * @param jobs of all users, 1 to 1,000,000
 * @param jobsPerUser 1 to {@code jobs}
 * @param arrayTasks of one array, 1 to 10,000
 * @param textBytesPerUser what one user's jobs may hold in scripts, arguments, environments and paths, in memory, 1 MiB to 1 TiB
 */
public record QueueLimits(int jobs, int jobsPerUser, int arrayTasks, long textBytesPerUser) {
    public static final QueueLimits USUAL = new QueueLimits(100_000, 10_000, 10_000, 16L << 20);

    /** For who counts elsewhere. */
    public static final QueueLimits NONE =
            new QueueLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);
}
