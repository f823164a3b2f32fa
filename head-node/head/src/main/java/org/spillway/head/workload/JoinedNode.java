package org.spillway.head.workload;

import org.spillway.policy.Market;
import org.spillway.policy.Resources;

/**
 * A node that may take jobs.
 *
 * @param type the instance type that it is of
 * @param category whose jobs it takes, and no others; empty for none
 * @param address by which the other nodes of its site reach it
 * @param market that it was bought in
 * @param fabric which network, zone and group it stands on: the nodes of one gang are all on the same; empty for none
 */
public record JoinedNode(
        String id,
        String site,
        String type,
        String address,
        Resources resources,
        String category,
        Market market,
        String fabric) {}
