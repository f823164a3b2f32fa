package org.spillway.api;

/**
 * Why a node is there.
 *
 * @param decision that bought it; empty for one that the scaler did not buy, or that is not kept any more
 */
public record NodeExplainView(String id, NodeState state, String sentence, String decision) {}
