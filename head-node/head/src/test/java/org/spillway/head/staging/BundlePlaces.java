package org.spillway.head.staging;

import org.spillway.head.journal.JobSpec;

/** For tests of who makes inputs: where a file goes. */
public final class BundlePlaces {
    private BundlePlaces() {}

    public static String of(JobSpec.Input input, String path) {
        return BundleNames.of(input).apply(path);
    }
}
