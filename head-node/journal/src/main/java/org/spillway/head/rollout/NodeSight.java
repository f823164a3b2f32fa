package org.spillway.head.rollout;

import org.spillway.head.cause.Cause;

/**
 * A node of the category, as a rollout needs it.
 *
 * @param busy it runs jobs
 * @param known its gate has spoken of its present turn, so that {@code version} is its word
 * @param version digest that it attests; empty for the machine's own root
 * @param ready the version that it would be given now lies in its site
 * @param trouble why it is not fit in what it has or is to have, when that was seen more than once; none otherwise
 */
public record NodeSight(
        String node, Place place, boolean busy, boolean known, String version, boolean ready, Cause trouble) {
    /** The node's whereabouts. */
    public enum Place {
        /** The node has not served yet. */
        COMING,
        SERVING,
        /** The node gets no jobs, so that it can change when it has none. */
        DRAINED,
        /** The node passes its gate once more. */
        CHANGING,
        /** The node is kept from jobs by somebody else. */
        PARKED,
        /** The node is stopped. */
        AWAY,
        /** The node is on its way out. */
        GOING,
        ENDED
    }

    boolean has(Version wanted) {
        return known && version.equals(wanted.digest());
    }

    boolean isOther(Version wanted) {
        return known && !version.equals(wanted.digest());
    }
}
