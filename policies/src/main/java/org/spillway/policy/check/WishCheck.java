package org.spillway.policy.check;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Wish;

/**
 * Judges an answer that nobody vouches for: whether it names only what its snapshot has, and stays within bounds. What
 * passes may still wish too much; limits and budgets are the host's to keep.
 */
public final class WishCheck {
    /** Wishes in one answer; besides these one for each shape and each node of the snapshot. */
    private static final int MOST_WISHES = 10_000;
    /** Nodes in one wish. */
    private static final int MOST_NODES = 100_000;
    /** Characters of a reason; it is read by people. */
    private static final int MOST_REASON = 1000;
    /** Characters of a category's or overlay's name. */
    private static final int MOST_NAME = 100;
    /** Characters of what is quoted from the answer. */
    private static final int MOST_QUOTED = 80;

    private final Set<String> shapes = new HashSet<>();
    private final Set<String> nodes = new HashSet<>();
    private final Set<OfferingId> offerings = new HashSet<>();

    private WishCheck(ClusterSnapshot now) {
        now.demands().stream().map(Demand::shape).forEach(shapes::add);
        now.nodes().stream().map(NodeView::id).forEach(nodes::add);
        now.offerings().stream().map(Offering::id).forEach(offerings::add);
    }

    /** The fault in the answer to this snapshot, in one sentence; empty when there is none. */
    public static Optional<String> problem(ClusterSnapshot now, List<Wish> wishes) {
        int most = MOST_WISHES + now.demands().size() + now.nodes().size();
        if (wishes.size() > most) {
            return Optional.of("it made " + wishes.size() + " wishes; allowed: at most " + most);
        }
        WishCheck check = new WishCheck(now);
        for (Wish wish : wishes) {
            String wrong = check.wrong(wish);
            if (!wrong.isEmpty()) {
                return Optional.of(wrong);
            }
        }
        return Optional.empty();
    }

    private String wrong(Wish wish) {
        // Read from a wire, a text may be missing.
        @Nullable String reason = wish.reason();
        if (reason == null) {
            return "a " + kind(wish) + " wish has no reason";
        }
        if (reason.isBlank() || reason.length() > MOST_REASON) {
            return "a " + kind(wish) + " wish has a reason of " + reason.length() + " characters; allowed: 1 to "
                    + MOST_REASON;
        }
        return switch (wish) {
            case Wish.Provision provision -> provision(provision);
            case Wish.Release release -> unknown("node", release.nodes(), nodes);
            case Wish.Power power -> unknown("node", power.nodes(), nodes);
            case Wish.Repurpose repurpose -> named(repurpose.category(), repurpose.nodes());
            case Wish.Overlay overlay -> named(overlay.overlay(), overlay.nodes());
            case Wish.Hold hold -> unknown("shape", Collections.singletonList(hold.shape()), shapes);
        };
    }

    private String provision(Wish.Provision wish) {
        if (wish.count() < 1 || wish.count() > MOST_NODES) {
            return "a provision wish is for " + wish.count() + " nodes; allowed: 1 to " + MOST_NODES;
        }
        String wrong = unknown("shape", wish.shapes(), shapes);
        return wrong.isEmpty() ? unknown("offering", wish.offerings(), offerings) : wrong;
    }

    private String named(@Nullable String name, List<String> wanted) {
        if (name == null) {
            return "a category or overlay has no name";
        }
        if (name.isBlank() || name.length() > MOST_NAME) {
            return "a category or overlay has a name of " + name.length() + " characters; allowed: 1 to " + MOST_NAME;
        }
        return unknown("node", wanted, nodes);
    }

    private static <T> String unknown(String what, Collection<T> named, Set<T> known) {
        // Duplicates too: nobody has more names to give than there are.
        if (named.size() > known.size()) {
            return "a wish names " + named.size() + " " + what + "s, and there are " + known.size();
        }
        for (T one : named) {
            if (!known.contains(one)) {
                return "a wish names the " + what + " '" + quoted(String.valueOf(one))
                        + "', which is not in the snapshot";
            }
        }
        return "";
    }

    private static String kind(Wish wish) {
        return wish.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    private static String quoted(String text) {
        String plain = text.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
        return plain.length() > MOST_QUOTED ? plain.substring(0, MOST_QUOTED) + "..." : plain;
    }
}
