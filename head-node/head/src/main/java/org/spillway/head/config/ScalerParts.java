package org.spillway.head.config;

import java.lang.reflect.RecordComponent;
import java.text.ParseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.quartz.CronExpression;
import org.spillway.policy.Market;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.ScheduleWindow;
import org.spillway.policy.builtin.BuiltInPolicies;
import org.spillway.policy.builtin.ChainPolicy;
import org.spillway.policy.builtin.HouseRules;
import org.spillway.settings.Section;
import org.spillway.settings.Suggestion;

/** Parts of {@code scaler} beside the one policy: a chain, the rules of the house, the schedule. */
final class ScalerParts {
    private static final int MOST_WINDOWS = 100;
    private static final int MOST_NODES = 10_000;
    private static final String CRON = "a Quartz cron expression of six or seven fields, such as '0 45 7 ? * MON'";

    private ScalerParts() {}

    static HouseRules rules(Section scaler) {
        return (HouseRules) PolicySettings.read(scaler.section("rules", false), HouseRules.NONE);
    }

    /**
     * Settings for policies that do not decide as configured: sections of {@code scaler.settings} by the policy's name.
     *
     * @param own keys that are something else
     * @param installed default settings of built-in policies
     * @param files whether others may be there
     */
    static Others others(Section settings, Set<String> own, Map<String, Record> installed, boolean files) {
        var others = Others.none();
        for (var name : List.copyOf(settings.keys())) {
            if (own.contains(name) || !settings.isSection(name)) {
                continue;
            }
            var defaults = installed.get(name);
            if (defaults != null && !name.equals(ChainPolicy.NAME)) {
                others.builtIn().put(name, PolicySettings.read(settings.section(name, false), defaults));
            } else if (files && defaults == null && name.matches("[a-z][a-z0-9-]{0,39}")) {
                others.texts().put(name, texts(settings.section(name, false)));
            }
        }
        return others;
    }

    /** @param texts of policies from files, which know themselves what is allowed */
    record Others(Map<String, Record> builtIn, Map<String, Map<String, String>> texts) {
        static Others none() {
            return new Others(new LinkedHashMap<>(), new LinkedHashMap<>());
        }
    }

    /** Names of a record's components; none for one that is not known yet. */
    static Set<String> keys(@Nullable Record defaults) {
        return defaults == null
                ? Set.of()
                : Arrays.stream(defaults.getClass().getRecordComponents())
                        .map(RecordComponent::getName)
                        .collect(Collectors.toSet());
    }

    static Set<String> members(ChainPolicy.Settings chain) {
        return chain.members().stream().map(ChainPolicy.Member::policy).collect(Collectors.toSet());
    }

    /** As they are written; what is a section stays out. */
    static Map<String, String> texts(Section settings) {
        var texts = new LinkedHashMap<String, String>();
        settings.keys().stream()
                .filter(key -> !settings.isSection(key))
                .forEach(key -> texts.put(key, settings.text(key, "", "a word or a number")));
        return texts;
    }

    /**
     * A chain with the rules of the house; empty where neither is set, and for a policy from a file.
     *
     * @param sections settings of a chain's members, by name
     * @param settings of the one policy
     */
    static Optional<ChainPolicy.Settings> chain(
            Section scaler, Section sections, String policy, Record settings, HouseRules rules) {
        boolean chained = scaler.has("chain");
        if (!chained && (!scaler.has("rules") || BuiltInPolicies.find(policy).isEmpty())) {
            return Optional.empty();
        }
        if (chained && scaler.has("policy") && !policy.equals(ChainPolicy.NAME)) {
            scaler.mistake("policy", "found '" + policy + "' beside a chain; allowed: chain, or no policy");
        }
        var members = chained ? members(scaler, sections) : List.of(ChainPolicy.Member.of(policy, settings));
        try {
            return Optional.of(new ChainPolicy.Settings(members, rules));
        } catch (IllegalArgumentException refused) {
            scaler.mistake("chain", String.valueOf(refused.getMessage()));
            return Optional.empty();
        }
    }

    /** Each with its own settings, in a section of its name. */
    private static List<ChainPolicy.Member> members(Section scaler, Section settings) {
        var known = BuiltInPolicies.byName();
        var allowed = known.keySet().stream()
                .filter(name -> !name.equals(ChainPolicy.NAME))
                .toList();
        var members = new ArrayList<ChainPolicy.Member>();
        scaler.words("chain", "a list of policies").forEach((name, _) -> {
            ScalingPolicy<?> policy = known.get(name);
            if (policy == null || name.equals(ChainPolicy.NAME)) {
                scaler.mistake(
                        "chain",
                        "found '" + name + "'; allowed: " + String.join(", ", allowed)
                                + Suggestion.phrase(name, allowed));
                return;
            }
            Record own = PolicySettings.read(settings.section(name, false), policy.defaults());
            members.add(ChainPolicy.Member.of(name, own));
        });
        return members;
    }

    static List<HeadConfig.Window> schedule(Section scaler, Map<String, HeadConfig.Site> sites) {
        var windows = new ArrayList<HeadConfig.Window>();
        var sections = scaler.sections("schedule", MOST_WINDOWS);
        for (var section : sections) {
            var name = section.matching("name", null, "[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}", "a name of at most 40");
            var cron = section.value("cron", null, "", CRON, ScalerParts::cron);
            var duration = section.duration("duration", null, Duration.ofMinutes(1), Duration.ofDays(31));
            var site = section.oneOf("site", null, List.copyOf(sites.keySet()));
            var type = section.text("type", "", "an instance type of the site");
            var market = section.oneOf("market", "on-demand", List.of("on-demand", "spot", "reserved"));
            int nodes = section.integer("nodes", null, 1, MOST_NODES);
            section.noMore();
            if (windows.stream().anyMatch(window -> window.name().equals(name))) {
                section.mistake("name", "found '" + name + "' a second time; allowed: once");
            }
            windows.add(new HeadConfig.Window(
                    name,
                    cron,
                    duration,
                    new ScheduleWindow.Warm(
                            site,
                            type,
                            Market.valueOf(market.toUpperCase(Locale.ROOT).replace('-', '_')),
                            nodes)));
        }
        return List.copyOf(windows);
    }

    /** A schedule that nobody looks at would be an option without effect. */
    static void someoneLooks(Section scaler, String policy, Record settings) {
        boolean looks = settings instanceof ChainPolicy.Settings chain
                ? chain.members().stream().anyMatch(member -> member.policy().equals("schedule"))
                : policy.equals("schedule");
        if (!looks) {
            scaler.mistake(
                    "schedule",
                    "found with policy '" + policy + "'; allowed: with a chain, such as [schedule, " + policy + "]");
        }
    }

    private static String cron(String text) {
        try {
            CronExpression.validateExpression(text);
            return text;
        } catch (ParseException malformed) {
            throw new IllegalArgumentException("found '" + text + "'; allowed: " + CRON, malformed);
        }
    }
}
