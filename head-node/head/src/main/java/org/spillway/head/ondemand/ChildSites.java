package org.spillway.head.ondemand;

import org.spillway.cloud.Site;

/** The accounts of this head's sites, opened once more under a child's name. */
@FunctionalInterface
public interface ChildSites {
    /**
     * The same one each time; it is not the caller's to close.
     *
     * @param cluster the child's id: only what bears it is listed or ended
     * @param site this head's name of the site
     * @throws IllegalArgumentException if this head has no such site
     */
    Site of(String cluster, String site);
}
