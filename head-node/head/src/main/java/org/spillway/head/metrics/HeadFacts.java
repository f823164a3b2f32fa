package org.spillway.head.metrics;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.api.BreakerView;
import org.spillway.api.HealthView;
import org.spillway.api.SpendView;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.RolloutRecord;
import org.spillway.head.loop.TickTimes;
import org.spillway.head.rollout.DriftWord;

/**
 * Facts that metrics are made of, as of one moment.
 *
 * @param jobs that have not ended
 * @param nodes of the journal, also ended ones
 * @param sites by name, each that the configuration has
 * @param breakers all that are known
 * @param rollouts of categories whose nodes live in a version
 * @param drifted live nodes whose root is not known to be their version, by site and finding
 * @param directoryAway users and groups may be out of date
 */
public record HeadFacts(
        HealthView health,
        Collection<JobRecord> jobs,
        Collection<NodeRecord> nodes,
        Map<String, Site> sites,
        SpendView spend,
        List<BreakerView> breakers,
        TickTimes ticks,
        Collection<RolloutRecord> rollouts,
        Map<String, Map<DriftWord.Kind, Long>> drifted,
        boolean directoryAway) {
    /**
     * A site.
     *
     * @param listedAt when the provider's last good listing was asked for; null before the first
     * @param heardAt when its director answered last; null before
     * @param troubled whether anything is wrong with it
     * @param connections of its jobs to services of home
     */
    public record Site(@Nullable Instant listedAt, @Nullable Instant heardAt, boolean troubled, int connections) {}
}
