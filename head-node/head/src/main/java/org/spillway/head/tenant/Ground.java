package org.spillway.head.tenant;

import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import org.spillway.head.config.HeadConfig;

/**
 * The surroundings that a workload manager is opened with.
 *
 * @param known keys of foreign jobs that the head took over before and that have not ended
 * @param changed told when the manager says something else than before: who waits for its next turn need not
 */
public record Ground(
        HeadConfig config, Logins logins, Collection<String> known, InstantSource clock, Runnable changed) {
    public Ground {
        known = List.copyOf(known);
    }
}
