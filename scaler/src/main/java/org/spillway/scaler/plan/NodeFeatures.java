package org.spillway.scaler.plan;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.policy.Market;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/**
 * The features of nodes that exist: those of their offering, as far as it is known, and those of the market that they were
 * bought in, which stay known when nobody sells such nodes any more. A node that was not bought is in no market.
 */
final class NodeFeatures {
    private static final Set<String> NOT_BOUGHT =
            Arrays.stream(Market.values()).map(Market::without).collect(Collectors.toUnmodifiableSet());

    private final Map<OfferingId, Set<String>> known = new HashMap<>();

    NodeFeatures(List<Offering> catalogue) {
        catalogue.forEach(offering -> known.put(offering.id(), with(offering.features(), offering.id())));
    }

    Set<String> of(NodeView node) {
        OfferingId offering = node.offering();
        return offering == null ? NOT_BOUGHT : known.computeIfAbsent(offering, id -> with(Set.of(), id));
    }

    private static Set<String> with(Set<String> features, OfferingId offering) {
        Set<String> all = new HashSet<>(features);
        all.addAll(offering.market().features());
        return Set.copyOf(all);
    }
}
