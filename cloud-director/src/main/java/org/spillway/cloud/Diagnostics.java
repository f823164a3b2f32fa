package org.spillway.cloud;

import java.util.List;

/** Checks that change nothing. */
public interface Diagnostics {
    /** Never throws: a provider that is away is a finding. */
    List<Finding> check();

    /**
     * @param check what was looked at, such as {@code endpoint} or {@code quota p5.48xlarge}
     * @param detail what was found
     * @param repair what to do about it; empty when good
     */
    record Finding(String check, Verdict verdict, String detail, String repair) {}

    /** How a check ended. */
    enum Verdict {
        GOOD,
        WARNING,
        BROKEN
    }
}
