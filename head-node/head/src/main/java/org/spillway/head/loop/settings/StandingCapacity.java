package org.spillway.head.loop.settings;

/**
 * Nodes of a type that are always there, whatever waits.
 *
 * @param count 1 or more
 * @param powered whether they run all the time; otherwise they exist all the time, and run while something needs them
 */
public record StandingCapacity(String type, int count, boolean powered) {
    public StandingCapacity {
        if (count < 1) {
            throw new IllegalArgumentException("at least one node is kept, not " + count);
        }
    }
}
