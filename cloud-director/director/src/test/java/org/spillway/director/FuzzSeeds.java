package org.spillway.director;

import java.util.stream.LongStream;

/**
 * Seeds of a fuzzer: some in each build, all with {@code -Dspillway.seeds.every=true} ({@code .ci/run --all}), or the one
 * of {@code -Dspillway.seed=}.
 */
public final class FuzzSeeds {
    private FuzzSeeds() {}

    /** Prints what runs, so that a log says how to repeat it; a failure names its seed itself. */
    public static long[] of(String fuzzer, int some, int all) {
        Long one = Long.getLong("spillway.seed");
        if (one != null) {
            System.out.println(fuzzer + ": seed " + one);
            return new long[] {one};
        }
        int count = Boolean.getBoolean("spillway.seeds.every") ? all : some;
        System.out.println(fuzzer + ": seeds 0 to " + (count - 1) + "; -Dspillway.seed=N repeats one");
        return LongStream.range(0, count).toArray();
    }
}
