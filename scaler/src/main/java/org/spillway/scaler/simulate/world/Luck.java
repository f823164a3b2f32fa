package org.spillway.scaler.simulate.world;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Chance that does not depend on what was drawn before: each thing that may happen has its own stream, made of the seed
 * and its name. So two policies meet the same shortages, and the third node of an offering boots as slowly for both.
 */
public final class Luck {
    private final long seed;

    public Luck(long seed) {
        this.seed = seed;
    }

    /** The stream of one thing. */
    public SplittableRandom of(String what, long number) {
        long hash = 0xcbf29ce484222325L ^ seed;
        for (byte b : what.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ b) * 0x100000001b3L;
        }
        return new SplittableRandom(mixed(hash + mixed(number)));
    }

    /**
     * Exponentially distributed, at least one.
     *
     * @param mean in the unit of the answer
     */
    public static long exponential(SplittableRandom random, long mean) {
        double u = 1 - random.nextDouble();
        return Math.max(1, (long) (-StrictMath.log(u) * mean));
    }

    /** Log-normally distributed around the median, at most six times and at least a third of it. */
    public static long logNormal(SplittableRandom random, long median, double spread) {
        double factor = StrictMath.exp(spread * random.nextGaussian());
        return Math.max(1, (long) (median * Math.clamp(factor, 1 / 3.0, 6.0)));
    }

    private static long mixed(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
