package org.spillway.policy.builtin;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Setting;
import org.spillway.policy.Wish;

/**
 * Several policies, one after the other. For each shape the first counts that wishes for nodes; a hold, and silence, leave
 * the shape to the next, and the last one's reason is told when all hold. What is wished for no shape (nodes of a schedule)
 * is taken from all. Which idle nodes go is the last member's word, but for nodes that an open window wants. Members that
 * only cut, such as {@code budget-capped}, cut the whole answer at the end, wherever they stand.
 */
public final class ChainPolicy implements ScalingPolicy<ChainPolicy.Settings> {
    public static final String NAME = "chain";

    private final Settings defaults;

    /** A single queue-depth, as long as the settings do not say otherwise. */
    public ChainPolicy() {
        this(List.of(new Member<>(new QueueDepthPolicy(), QueueDepthSettings.DEFAULTS)));
    }

    /** @param members that it has by default */
    public ChainPolicy(List<Member<?>> members) {
        this.defaults = new Settings(members);
    }

    /** One policy with its settings. */
    public record Member<S extends Record>(ScalingPolicy<S> policy, S settings) {
        static <S extends Record> Member<S> ofDefaults(ScalingPolicy<S> policy) {
            return new Member<>(policy, policy.defaults());
        }

        /**
         * @param settings of the policy's own record type
         * @throws ClassCastException if they are not
         */
        public static <S extends Record> Member<S> of(ScalingPolicy<S> policy, Record settings) {
            @SuppressWarnings("unchecked") // Cast to the class of the policy's own settings.
            S typed = (S) policy.defaults().getClass().cast(settings);
            return new Member<>(policy, typed);
        }

        List<Wish> decide(ClusterSnapshot now, Planner planner) {
            return policy.decide(now, settings, planner);
        }

        List<Wish> cut(ClusterSnapshot now, List<Wish> wishes) {
            @SuppressWarnings("unchecked") // A gate has the settings of its policy.
            List<Wish> left = policy instanceof Gate<?> gate ? ((Gate<S>) gate).cut(now, settings, wishes) : wishes;
            return left;
        }
    }

    /** @param members in order, each name once, at least one that does not only cut */
    public record Settings(
            @Setting("the policies, each with its own settings; the first that wishes for nodes for a shape counts")
            List<Member<?>> members) {
        public Settings {
            members = List.copyOf(members);
            Set<String> names = new LinkedHashSet<>();
            for (Member<?> member : members) {
                if (!names.add(member.policy().name())) {
                    throw new IllegalArgumentException(
                            "a chain has " + member.policy().name() + " twice; allowed: once");
                }
            }
            if (members.stream().allMatch(member -> member.policy() instanceof Gate)) {
                throw new IllegalArgumentException("a chain needs a member that buys; found: " + names);
            }
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Settings defaults() {
        return defaults;
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, Settings settings, Planner planner) {
        Set<String> settled = new HashSet<>();
        Map<String, Wish.Hold> holds = new LinkedHashMap<>();
        List<Wish> merged = new ArrayList<>();
        List<Wish> last = List.of();
        for (Member<?> member : settings.members()) {
            if (member.policy() instanceof Gate) {
                continue;
            }
            last = member.decide(now, planner);
            List<Wish> mine = settled.isEmpty() ? last : member.decide(without(now, settled), planner);
            Set<String> served = new HashSet<>();
            for (Wish wish : mine) {
                switch (wish) {
                    case Wish.Provision provision -> {
                        merged.add(provision);
                        served.addAll(provision.shapes());
                    }
                    case Wish.Hold hold -> holds.put(hold.shape(), hold);
                    case Wish.Release ignored -> {}
                    case Wish.Power power -> merged.add(power);
                    case Wish.Repurpose repurpose -> merged.add(repurpose);
                    case Wish.Overlay overlay -> merged.add(overlay);
                }
            }
            settled.addAll(served);
        }
        holds.values().stream().filter(hold -> !settled.contains(hold.shape())).forEach(merged::add);
        Set<String> serving = Windows.serving(now);
        for (Wish wish : last) {
            if (wish instanceof Wish.Release release && release.nodes().stream().noneMatch(serving::contains)) {
                merged.add(release);
            }
        }
        List<Wish> left = merged;
        for (Member<?> member : settings.members()) {
            left = member.cut(now, left);
        }
        return left;
    }

    private static ClusterSnapshot without(ClusterSnapshot now, Set<String> settled) {
        List<Demand> rest = now.demands().stream()
                .filter(demand -> !settled.contains(demand.shape()))
                .toList();
        return Snapshots.with(now, rest, now.nodes());
    }
}
