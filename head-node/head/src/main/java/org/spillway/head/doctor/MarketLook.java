package org.spillway.head.doctor;

import java.util.Optional;
import java.util.stream.Collectors;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.config.HeadConfig;
import org.spillway.policy.Market;

/** In which markets machines are bought, and for whom. */
final class MarketLook {
    private static final String FOR_SPOT = "spot-then-on-demand";

    private MarketLook() {}

    /** Queues that use a site, each with its markets; empty where none does. */
    static Optional<Finding> of(HeadConfig config, HeadConfig.Site site) {
        String queues = config.queues().values().stream()
                .filter(queue -> queue.sites().contains(site.name()))
                .map(queue -> "queue " + queue.name() + " buys "
                        + queue.markets().stream().sorted().map(Market::text).collect(Collectors.joining(", ")))
                .collect(Collectors.joining("; "));
        return queues.isEmpty() ? Optional.empty() : Optional.of(new Finding("markets", Verdict.GOOD, queues, ""));
    }

    /** A policy for spot where no queue allows it. */
    static Optional<Finding> ofPolicy(HeadConfig config) {
        boolean allowed = config.queues().values().stream()
                .anyMatch(queue -> queue.markets().contains(Market.SPOT));
        return allowed || !config.scaler().policy().equals(FOR_SPOT)
                ? Optional.empty()
                : Optional.of(new Finding(
                        "markets",
                        Verdict.WARNING,
                        "the policy is " + FOR_SPOT + ", and no queue allows spot: none is bought",
                        "add 'markets: [on-demand, reserved, spot]' to the queues whose jobs may be interrupted"));
    }
}
