package org.spillway.scaler.plan;

/**
 * How probable it is that so many of some nodes are sick if they are like all others. The share of sick nodes is not known:
 * it has a Beta distribution, which begins as that of {@link #PRIOR_SICK} sick nodes of {@link #PRIOR_NODES} and learns from
 * the others. So the answer is the upper tail of a beta-binomial distribution, a prior predictive check (Box 1980): it
 * needs no others to be known, and it forgives a group what all have.
 */
final class Exceeding {
    /** Of large clusters 2 to 7 nodes of a thousand fail in a day (Kokolis et al. 2024): this begins with three times as many. */
    static final int PRIOR_SICK = 1;

    static final int PRIOR_NODES = 50;

    private Exceeding() {}

    /**
     * O(nodes).
     *
     * @param sick of the group, 0 to {@code nodes}
     * @param sickElsewhere of those that are not in the group, 0 to {@code elsewhere}
     * @return 0 to 1: of {@code sick} or more
     */
    static double probability(int sick, int nodes, int sickElsewhere, int elsewhere) {
        if (sick < 0 || sick > nodes || sickElsewhere < 0 || sickElsewhere > elsewhere) {
            throw new IllegalArgumentException(
                    "more are sick than there are: " + sick + "/" + nodes + ", " + sickElsewhere + "/" + elsewhere);
        }
        double ill = (double) PRIOR_SICK + sickElsewhere;
        double well = (double) PRIOR_NODES - PRIOR_SICK + elsewhere - sickElsewhere;
        double log = 0;
        for (int i = 0; i < nodes; i++) {
            log += Math.log((well + i) / (ill + well + i));
        }
        // Of none, then of one more each.
        double tail = 0;
        for (int count = 0; count <= nodes; count++) {
            tail += count >= sick ? Math.exp(log) : 0;
            if (count < nodes) {
                log += Math.log((nodes - count) / (count + 1.0) * (ill + count) / (well + nodes - count - 1));
            }
        }
        return Math.min(1, tail);
    }
}
