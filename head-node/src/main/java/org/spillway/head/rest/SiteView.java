package org.spillway.head.rest;

import org.spillway.head.lifecycle.NodeState;

/**
 * A site.
 *
 * @param state {@code idle} without a director, {@code starting}, {@code up}, {@code away} when the link is down, or
 *     {@code ending}
 * @param director node id of its director; empty for none
 * @param nodes compute nodes that may cost money now (see {@link NodeState#mayCost()})
 * @param maxNodes the configured limit
 * @param jobs jobs that are bound to it and have not ended
 * @param reason why it is in its state
 */
public record SiteView(
        String name, String driver, String state, String director, int nodes, int maxNodes, int jobs, String reason) {}
