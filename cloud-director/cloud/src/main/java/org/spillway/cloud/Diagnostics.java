package org.spillway.cloud;

import java.util.List;
import java.util.Set;
import org.spillway.policy.Market;

/** Checks that change nothing. */
public interface Diagnostics {
    /** Never throws: a provider that is away is a finding. */
    List<Finding> check(Needs needs);

    /**
     * The configuration's needs of the site; quota, image and types are looked at for these.
     *
     * @param instanceTypes that are configured by name, of the director and of kept nodes
     * @param image the provider's id of the nodes' image; empty for the driver's default
     * @param markets in which machines are bought; empty where that is not known
     */
    record Needs(Set<String> instanceTypes, String image, Set<Market> markets) {
        public static final Needs NONE = new Needs(Set.of(), "");

        public Needs {
            instanceTypes = Set.copyOf(instanceTypes);
            markets = Set.copyOf(markets);
        }

        /** In whatever market. */
        public Needs(Set<String> instanceTypes, String image) {
            this(instanceTypes, image, Set.of());
        }

        /** The same in these markets. */
        public Needs in(Set<Market> bought) {
            return new Needs(instanceTypes, image, bought);
        }

        /** Whether machines may be bought in it. */
        public boolean buys(Market market) {
            return markets.isEmpty() || markets.contains(market);
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
