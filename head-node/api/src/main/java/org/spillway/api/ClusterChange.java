package org.spillway.api;

import org.spillway.policy.Money;

/** What may be changed of a cluster on demand. */
public sealed interface ClusterChange {
    /** @param nodes that it has from now on, 1 to 1000 */
    record Scale(int nodes) implements ClusterChange {}

    /** @param ttlSeconds more than it had, 0 to 30 d @param budget more than it had; one of them is more than 0 */
    record Extend(long ttlSeconds, Money budget) implements ClusterChange {}

    /** @param now whether jobs that run are ended, to begin anew after its start */
    record Stop(boolean now) implements ClusterChange {}

    record Start() implements ClusterChange {}

    /** Agrees to one that waits for it. */
    record Approve() implements ClusterChange {}

    /** @param why one line, 1 to 300 characters */
    record Reject(String why) implements ClusterChange {}
}
