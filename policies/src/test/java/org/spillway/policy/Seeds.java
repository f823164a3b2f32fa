package org.spillway.policy;

import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Which seeds a property test runs: all, or the one that {@code -Dspillway.seed=} or SPILLWAY_SEED names. */
public final class Seeds {
    private Seeds() {}

    /**
     * How many of a property's seeds a build runs: the first quarter. {@code .ci/run --all} runs all of them, by
     * {@code -Dspillway.seeds.every=true}.
     */
    public static int some(int all) {
        return Boolean.getBoolean("spillway.seeds.every") ? all : all / 4;
    }

    /** Prints what runs, so that a log says how to repeat it; a failure names its seed itself. */
    public static long[] of(String test, int count) {
        @Nullable String one = System.getProperty("spillway.seed", System.getenv("SPILLWAY_SEED"));
        if (one != null && !one.isBlank()) {
            System.out.println(test + ": seed " + one.strip());
            return new long[] {Long.parseLong(one.strip())};
        }
        System.out.println(test + ": seeds 0 to " + (count - 1) + "; -Dspillway.seed=N repeats one");
        return LongStream.range(0, count).toArray();
    }
}
