package org.spillway.cloud;

import java.util.List;
import java.util.Set;

/** Checks that change nothing. */
public interface Diagnostics {
    /** Never throws: a provider that is away is a finding. */
    List<Finding> check(Needs needs);

    /**
     * The configuration's needs of the site; quota, image and types are looked at for these.
     *
     * @param instanceTypes that are configured by name, of the director and of kept nodes
     * @param image the provider's id of the nodes' image; empty for the driver's default
     */
    record Needs(Set<String> instanceTypes, String image) {
        public static final Needs NONE = new Needs(Set.of(), "");

        public Needs {
            instanceTypes = Set.copyOf(instanceTypes);
        }
    }

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
