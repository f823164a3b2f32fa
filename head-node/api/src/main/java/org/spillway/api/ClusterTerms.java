package org.spillway.api;

import org.spillway.policy.Money;

/**
 * What a cluster on demand may have from now on, as its parent says; told again until it is kept to.
 *
 * @param site the only one that it has
 * @param nodes that it keeps, and that it may have at most
 * @param budget for all of it, for all its time
 */
public record ClusterTerms(String site, int nodes, Money budget) {}
