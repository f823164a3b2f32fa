package org.spillway.head.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/**
 * Settings of clusters on demand.
 *
 * @param warnBefore so long before a cluster's time is over its owner is told, 1 s to 7 d
 * @param warnSpent at so many percent of its budget its owner is told, 1 to 100
 * @param resultsWithin so long a cluster that is over is kept for its results, 0 s to 1 d
 * @param quotas of users and groups; all of them hold
 * @param images existing directories that may become the image of a cluster's nodes, by name, in the file's order
 * @param approval what somebody has to agree to
 * @param markets in which their nodes may be bought, at least one
 */
public record ClusterSettings(
        List<Duration> warnBefore,
        List<Integer> warnSpent,
        Duration resultsWithin,
        List<Quota> quotas,
        Map<String, Path> images,
        Approval approval,
        Set<Market> markets) {
    public static final ClusterSettings USUAL = new ClusterSettings(
            List.of(Duration.ofHours(1), Duration.ofMinutes(10)),
            List.of(80, 95),
            Duration.ofMinutes(10),
            List.of(),
            Map.of(),
            Approval.NEVER,
            Market.STEADY);

    public ClusterSettings {
        warnBefore = List.copyOf(warnBefore);
        warnSpent = List.copyOf(warnSpent);
        quotas = List.copyOf(quotas);
        markets = Set.copyOf(markets);
        images = Collections.unmodifiableMap(new LinkedHashMap<>(images));
    }

    /**
     * Which clusters on demand are made only after somebody agreed.
     *
     * @param above what a user or group may have without; empty where nobody is ever asked
     * @param users who may agree, besides root and the head's user
     * @param groups whose members may
     * @param within so long a request waits for an answer, 1 min to 90 d
     */
    public record Approval(List<Quota> above, List<String> users, List<String> groups, Duration within) {
        public static final Approval NEVER = new Approval(List.of(), List.of(), List.of(), Duration.ofDays(7));

        public Approval {
            above = List.copyOf(above);
            users = List.copyOf(users);
            groups = List.copyOf(groups);
        }
    }

    /**
     * Clusters on demand that a user, or the members of a group together, may have. An amount that is empty is no
     * limit.
     *
     * @param name of the user or group, or {@code *} for each by itself that has no such amount of its own
     * @param clusters that live at a time, 0 or more
     * @param nodes of all of them, 0 or more
     * @param gpus of all nodes of all of them, 0 or more
     * @param budget of all of them, as they were asked for
     * @param ttl of each, counted from its making
     */
    public record Quota(
            Holder holder,
            String name,
            Optional<Integer> clusters,
            Optional<Integer> nodes,
            Optional<Integer> gpus,
            Optional<Money> budget,
            Optional<Duration> ttl) {
        /** Whose clusters count together. */
        public enum Holder {
            USER,
            GROUP;

            public String text() {
                return name().toLowerCase(Locale.ROOT);
            }
        }

        public boolean isForEach() {
            return name.equals("*");
        }
    }
}
