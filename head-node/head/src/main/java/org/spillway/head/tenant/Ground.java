package org.spillway.head.tenant;

import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.spillway.head.config.HeadConfig;

/**
 * The surroundings that a workload manager is opened with.
 *
 * @param users login names by uid
 * @param known keys of foreign jobs that the head took over before and that have not ended
 * @param changed told when the manager says something else than before: who waits for its next turn need not
 */
public record Ground(
        HeadConfig config,
        IntFunction<Optional<String>> users,
        Collection<String> known,
        InstantSource clock,
        Runnable changed) {
    public Ground {
        known = List.copyOf(known);
    }
}
