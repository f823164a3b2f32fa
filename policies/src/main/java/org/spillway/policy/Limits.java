package org.spillway.policy;

import java.util.Map;

/**
 * What may not be exceeded, checked by the host before every step whatever a policy wishes.
 *
 * @param maxNodesBySite nodes that may exist at once in a site, in flight included
 * @param budgetLeft what may still be committed in this budget period; already without running and in-flight nodes
 */
public record Limits(Map<String, Integer> maxNodesBySite, Money budgetLeft) {
    public Limits {
        maxNodesBySite = Map.copyOf(maxNodesBySite);
    }
}
