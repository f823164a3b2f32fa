package org.spillway.head.workload;

import org.spillway.policy.Resources;

/** A node that may take jobs. */
public record JoinedNode(String id, String site, Resources resources) {}
