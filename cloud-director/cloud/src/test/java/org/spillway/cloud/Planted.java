package org.spillway.cloud;

/**
 * Something that a person or a crash has left.
 *
 * @param kind as in {@link Billable#kind()}
 * @param id as in {@link Billable#id()}
 */
public record Planted(String kind, String id) {}
