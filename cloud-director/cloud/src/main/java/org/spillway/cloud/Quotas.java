package org.spillway.cloud;

import java.util.List;
import java.util.Set;
import org.spillway.policy.Market;

/** Quotas of an account, before any launch meets them. */
public interface Quotas {
    /**
     * Quotas that the site's offerings count against.
     *
     * @param markets in which machines are bought; empty for all
     * @throws CloudException without the right, or without an answer
     */
    List<Quota> read(Set<Market> markets) throws CloudException;
}
