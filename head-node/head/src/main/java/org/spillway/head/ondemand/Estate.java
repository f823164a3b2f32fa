package org.spillway.head.ondemand;

import java.time.Instant;
import java.util.Optional;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.policy.Money;

/** All that children have bought through their parent, and its removal. */
public interface Estate {
    /**
     * A pass of the removal of all that bears the child's name, its head too. Blocks; to be repeated until it is
     * proven.
     *
     * @param lastCall when this head itself last asked the provider for something in the child's name
     * @return whether a whole listing, begun late enough, has shown that nothing is left
     * @throws Exception if the site could not be asked
     */
    boolean removed(String cluster, String site, Instant lastCall) throws Exception;

    /**
     * A pass of ending all nodes that bear the child's name; its head stays. Blocks; to be repeated until nothing is to
     * come. Its allowance must be none meanwhile.
     *
     * @param head the provider's id of its head's machine
     * @return what is still to come; none when a whole listing, begun late enough, has shown no node
     * @throws Exception if the site could not be asked
     */
    Cause emptied(String cluster, String site, String head) throws Exception;

    /** The cost of the child's own launches, so far and to come. Any thread. */
    Money spent(String cluster, Instant now);

    /** Why a cluster's nodes have no place in its site now; none when there is room, or nobody can know. */
    Cause vacancy(ClusterRecord child);

    /** Instances that a child has bought and that exist or may. Any thread. */
    int instances(String cluster);

    /**
     * The last launch of a child that was refused or cut.
     *
     * @param said by this head, or by its provider
     */
    record Refusal(Instant at, String said) {}

    /** Empty when its last launch was not refused, and in a head that has not been asked since it began. Any thread. */
    Optional<Refusal> refusal(String cluster);

    /** The cluster's removal is proven, and its cost is written down: it is open no longer. Blocks; may be repeated. */
    void closed(String cluster);
}
