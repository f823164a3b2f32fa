package org.spillway.api;

/**
 * What an administrator wants a node to be.
 *
 * @param category with {@code repurpose}: its name, empty for none; empty otherwise
 * @param overlay with {@code join} and {@code leave}: its name; empty otherwise
 * @param drain whether a node with jobs changes when they are over; otherwise it is refused
 */
public record NodeTurnOrder(String category, String overlay, boolean drain) {}
