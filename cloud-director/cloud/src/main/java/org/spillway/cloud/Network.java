package org.spillway.cloud;

import java.util.List;

/**
 * Everything that a site needs before its first instance. Both calls may be repeated after a crash and then finish the
 * work: things are found again by their tags and names, and there is no state of ours.
 */
public interface Network {
    /** @return each thing that exists now for this site, with its cost per hour */
    List<Billable> create() throws CloudException;

    /** Removes all of it; gone is success. */
    void delete() throws CloudException;
}
