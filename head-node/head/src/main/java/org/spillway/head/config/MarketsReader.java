package org.spillway.head.config;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.head.config.HeadConfig.Queue;
import org.spillway.head.config.HeadConfig.Workload;
import org.spillway.policy.Market;
import org.spillway.settings.Section;
import org.spillway.settings.Suggestion;

/** The key {@code markets}: in which markets machines may be bought. */
final class MarketsReader {
    private static final List<String> NAMES =
            Arrays.stream(Market.values()).map(Market::text).toList();

    private MarketsReader() {}

    /** {@link Market#STEADY} where nothing is said. */
    static Set<Market> read(Section section) {
        if (!section.has("markets")) {
            return Market.STEADY;
        }
        var markets = EnumSet.noneOf(Market.class);
        section.words("markets", "a list of " + String.join(", ", NAMES)).forEach((word, where) -> {
            if (NAMES.contains(word)) {
                markets.add(Market.of(word));
            } else {
                section.mistakeAt(
                        where,
                        "markets",
                        "found '" + word + "'; allowed: " + String.join(", ", NAMES) + Suggestion.phrase(word, NAMES));
            }
        });
        return markets;
    }

    /** Another manager knows partitions and not markets: it gives a job any node of its site. */
    static void agree(Section section, Map<String, Queue> queues, Workload workload) {
        if (workload.foreign().isEmpty()) {
            return;
        }
        for (var queue : queues.values()) {
            queues.values().stream()
                    .filter(other -> !other.markets().equals(queue.markets())
                            && other.sites().stream().anyMatch(queue.sites()::contains))
                    .findFirst()
                    .filter(other -> section.section(queue.name(), false).has("markets"))
                    .ifPresent(other -> section.mistake(
                            queue.name(),
                            "found markets " + texts(queue.markets()) + " beside queue " + other.name() + " with "
                                    + texts(other.markets()) + ", which shares a site with it; allowed with"
                                    + " workload.manager: " + workload.manager() + ": the same for all queues of a"
                                    + " site"));
        }
    }

    private static String texts(Set<Market> markets) {
        return markets.stream().sorted().map(Market::text).collect(Collectors.joining(", ", "[", "]"));
    }
}
