package org.spillway.policy.builtin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.HasIdleTime;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Setting;
import org.spillway.policy.SettingTexts;
import org.spillway.policy.Wish;

/**
 * Several policies, one after the other. For each shape the first counts that wishes for nodes; a hold, and silence, leave
 * the shape to the next, and the last one's reason is told when all hold. What is wished for no shape (nodes of a schedule)
 * is taken from all. Which idle nodes go is the last member's word, but for nodes that an open window wants. Members that
 * only cut, such as {@code budget-capped}, cut the whole answer at the end, wherever they stand. The rules of the house are
 * kept around all of it: a chain of one is a policy under rules.
 */
public final class ChainPolicy implements ScalingPolicy<ChainPolicy.Settings> {
    public static final String NAME = "chain";

    private final List<String> members;

    /** A single queue-depth under no rules, as long as the settings do not say otherwise. */
    public ChainPolicy() {
        this(List.of("queue-depth"));
    }

    /** @param members that it has by default, with their default settings */
    ChainPolicy(List<String> members) {
        this.members = List.copyOf(members);
    }

    /**
     * @param policy name of a built-in one that is no chain
     * @param settings of it, by key, as they would be written in the file; others have their defaults
     */
    public record Member(String policy, Map<String, String> settings) {
        public Member {
            settings = Map.copyOf(settings);
        }

        /** With these settings. */
        public static Member of(String policy, Record settings) {
            return new Member(
                    policy,
                    SettingTexts.describe(settings).stream()
                            .collect(Collectors.toMap(SettingTexts.Described::key, SettingTexts.Described::standard)));
        }

        private Ready<?> ready() {
            return BuiltInPolicies.find(policy)
                    .filter(entry -> !(entry.policy() instanceof ChainPolicy))
                    .<Ready<?>>map(entry -> Ready.of(entry.policy(), settings))
                    .orElseThrow(() -> new IllegalArgumentException(
                            "a chain has '" + policy + "'; allowed: built-in policies other than a chain"));
        }
    }

    /**
     * All of it is text and numbers, so that a journalled decision can be made again.
     *
     * @param members in order, each name once, at least one that does not only cut
     */
    public record Settings(
            @Setting("the policies, each with its own settings; the first that wishes for nodes for a shape counts")
            List<Member> members,

            @Setting("what holds whatever the members decide")
            HouseRules rules) {
        public Settings {
            members = List.copyOf(members);
            Set<String> names = new LinkedHashSet<>();
            for (Member member : members) {
                if (!names.add(member.policy())) {
                    throw new IllegalArgumentException("a chain has " + member.policy() + " twice; allowed: once");
                }
            }
            if (members.stream().allMatch(member -> member.ready().policy() instanceof Gate)) {
                throw new IllegalArgumentException("a chain needs a member that buys; found: " + names);
            }
        }

        /** The longest that any member lets a node idle; empty where none has such a setting. */
        public Optional<Duration> longestIdle() {
            return members.stream()
                    .map(member -> member.ready().settings())
                    .filter(HasIdleTime.class::isInstance)
                    .map(settings -> ((HasIdleTime) settings).idleTime())
                    .max(Comparator.naturalOrder());
        }
    }

    private record Ready<S extends Record>(ScalingPolicy<S> policy, S settings) {
        static <S extends Record> Ready<S> of(ScalingPolicy<S> policy, Map<String, String> texts) {
            return new Ready<>(policy, SettingTexts.with(policy.defaults(), texts));
        }

        List<Wish> decide(ClusterSnapshot now, Planner planner) {
            return policy.decide(now, settings, planner);
        }

        Optional<Instant> nextChange(ClusterSnapshot now) {
            return policy.nextChange(now, settings);
        }

        List<Wish> cut(ClusterSnapshot now, List<Wish> wishes) {
            @SuppressWarnings("unchecked") // A gate has the settings of its policy.
            List<Wish> left = policy instanceof Gate<?> gate ? ((Gate<S>) gate).cut(now, settings, wishes) : wishes;
            return left;
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Settings defaults() {
        return new Settings(
                members.stream().map(name -> new Member(name, Map.of())).toList(), HouseRules.NONE);
    }

    @Override
    public Optional<Instant> nextChange(ClusterSnapshot now, Settings settings) {
        if (!settings.rules().wholeTime().isZero()) {
            return Optional.of(now.now());
        }
        return settings.members().stream()
                .map(member -> member.ready().nextChange(now))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder());
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, Settings settings, Planner planner) {
        HouseRuling ruling = new HouseRuling(settings.rules());
        List<Ready<?>> members =
                settings.members().stream().<Ready<?>>map(Member::ready).toList();
        List<Wish> wishes = merged(ruling.seen(now), members, planner);
        for (Ready<?> member : members) {
            wishes = member.cut(now, wishes);
        }
        return ruling.ruled(now, wishes);
    }

    private static List<Wish> merged(ClusterSnapshot now, List<Ready<?>> members, Planner planner) {
        Set<String> settled = new HashSet<>();
        Map<String, Wish.Hold> holds = new LinkedHashMap<>();
        List<Wish> merged = new ArrayList<>();
        List<Wish> last = List.of();
        for (Ready<?> member : members) {
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
        last.stream().filter(Wish.Release.class::isInstance).forEach(merged::add);
        return merged;
    }

    private static ClusterSnapshot without(ClusterSnapshot now, Set<String> settled) {
        List<Demand> rest = now.demands().stream()
                .filter(demand -> !settled.contains(demand.shape()))
                .toList();
        return Snapshots.with(now, rest, now.nodes());
    }
}
