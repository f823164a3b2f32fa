package org.spillway.policy;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * The fast network that a node stands on. The nodes of one gang are all on one (site, zone, name and group), or none of them
 * is on any.
 *
 * @param name such as {@code efa} or {@code infiniband}; empty for none
 * @param group with which it was launched, as the head asked its provider for it; empty for none
 */
public record Fabric(String name, String group) {
    public static final Fabric NONE = new Fabric("", "");

    /** Before its name: the feature of an offering whose nodes stand on one. */
    public static final String FEATURE = "fabric:";

    /**
     * Name of the fabric that an offering with these features stands on; empty for none. Several count as one that has
     * them all.
     */
    public static String named(Set<String> features) {
        return features.stream()
                .filter(feature -> feature.startsWith(FEATURE))
                .map(feature -> feature.substring(FEATURE.length()))
                .sorted()
                .collect(Collectors.joining("+"));
    }
}
