package org.spillway.head.tenant;

import java.util.Map;
import java.util.Optional;

/**
 * Role of a tenant that a cluster on demand can have for itself, set up on the machine of that cluster's head and by it.
 * The same place gives the same texts.
 */
public interface ChildManager {
    /**
     * The lack of this machine that would keep it from being such a head's, where a site makes its machines of this one;
     * empty for none.
     */
    Optional<Lack> lack(String site);

    /** Section {@code workload} of the configuration of the cluster's head: maps, texts and numbers. */
    Map<String, Object> workload(Place place);

    /** Further files beside that configuration by name, {@code [a-z][a-z0-9-]*\.conf}; no secret of the parent's. */
    Map<String, String> files(Place place);

    /**
     * POSIX shell for the machine of the cluster's head, with the functions that {@code head.sh} asks for:
     * {@code manager_can} (ends with a sentence where the machine lacks something; called before all else),
     * {@code manager_prepare} (what the head's configuration names), {@code manager_bring} (once the head is up; ends
     * with a sentence), {@code manager_runs}, {@code manager_end}. The word {@code $environment} is what a user's command
     * is given, {@code $manager} the folder that users may enter, {@code $here} the head's own.
     */
    String program();

    /**
     * @param what in words behind "and"
     * @param repair what to do about it
     */
    record Lack(String what, String repair) {}

    /**
     * Where the cluster is.
     *
     * @param cluster id
     * @param folder that its users may enter, on its head's machine
     * @param address of that machine, as its nodes reach it
     * @param nodes how many it may ever have at once
     */
    record Place(String cluster, String folder, String address, String site, String nodeType, int nodes) {}
}
