package org.spillway.api;

/**
 * Nodes that an administrator asks for.
 *
 * @param market {@code on-demand}, {@code spot} or {@code reserved}
 * @param zone empty for the cheapest
 * @param count 1 to 1000
 * @param keep they are not released by the policy
 */
public record NodeOrder(String site, String type, String zone, String market, int count, boolean keep) {}
