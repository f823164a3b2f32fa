package org.spillway.head.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.spillway.settings.Quantities;
import org.spillway.settings.Section;
import org.yaml.snakeyaml.nodes.Node;

/** The section {@code clusters}. */
final class ClustersReader {
    private static final Duration LONGEST_LEAD = Duration.ofDays(7);
    private static final int MOST_WARNINGS = 10;
    private static final int MOST_QUOTAS = 1000;
    private static final int MOST_IMAGES = 32;
    private static final String NAMED = "[A-Za-z0-9_][A-Za-z0-9._@-]{0,99}";
    private static final List<String> AMOUNTS = List.of("clusters", "nodes", "gpus", "budget", "ttl");

    private ClustersReader() {}

    /** @param image the name of the head's own image */
    static ClusterSettings read(Section section, Path base, String image) {
        var usual = ClusterSettings.USUAL;
        var before = list(
                section,
                "warnBefore",
                usual.warnBefore(),
                "a list of at most " + MOST_WARNINGS + " lengths of time from 1s to 7d, such as [1h, 10m]",
                ClustersReader::lead);
        var spent = list(
                section,
                "warnSpent",
                usual.warnSpent(),
                "a list of at most " + MOST_WARNINGS + " whole numbers from 1 to 100, in percent, such as [80, 95]",
                ClustersReader::percent);
        var within = section.duration("resultsWithin", usual.resultsWithin(), Duration.ZERO, Duration.ofDays(1));
        var quotas = section.sections("quotas", MOST_QUOTAS).stream()
                .map(ClustersReader::quota)
                .toList();
        var images = images(section, base, image);
        var approval = approval(section.section("approval", false), section.has("approval"));
        var markets = MarketsReader.read(section);
        section.noMore();
        return new ClusterSettings(before, spent, within, quotas, images, approval, markets);
    }

    private static Map<String, Path> images(Section section, Path base, String image) {
        var trees = new LinkedHashMap<String, Path>();
        if (section.has("images")) {
            var all = section.section("images", true);
            for (var name : ConfigReader.names(all, MOST_IMAGES)) {
                var its = all.section(name, true);
                if (name.equals(image)) {
                    all.mistake(
                            name, "found '" + name + "', which is the name of the image of all; allowed: other names");
                }
                trees.put(name, ConfigReader.tree(its, base));
                its.noMore();
            }
        }
        return trees;
    }

    private static ClusterSettings.Approval approval(Section section, boolean given) {
        var usual = ClusterSettings.Approval.NEVER;
        var above = section.sections("above", MOST_QUOTAS).stream()
                .map(ClustersReader::quota)
                .toList();
        var users = names(section, "users", "login names");
        var groups = names(section, "groups", "names of groups");
        var within = section.duration("within", usual.within(), Duration.ofMinutes(1), Duration.ofDays(90));
        if (given && !section.has("above")) {
            section.mistake("above", "missing; allowed: a list like that of clusters.quotas");
        }
        section.noMore();
        return new ClusterSettings.Approval(above, users, groups, within);
    }

    private static List<String> names(Section section, String key, String what) {
        var allowed = "a list of " + what + " such as [alice, bob]";
        var names = new ArrayList<String>();
        section.wordsIfAny(key, allowed)
                .forEach((word, where) -> value(section, key, word, where, allowed, ClustersReader::name, names));
        return names;
    }

    private static String name(String text) {
        if (!text.matches(NAMED)) {
            throw new IllegalArgumentException("no name");
        }
        return text;
    }

    private static ClusterSettings.Quota quota(Section section) {
        boolean group = section.has("group");
        if (group == section.has("user")) {
            section.mistakeHere(
                    "found " + (group ? "user and group" : "neither user nor group") + "; allowed: one of user, group");
        }
        var name = section.matching(
                group ? "group" : "user",
                "*",
                NAMED + "|\\*",
                "a name of letters, digits, dots, dashes, underscores and @, or \"*\" for each by itself");
        var quota = new ClusterSettings.Quota(
                group ? ClusterSettings.Quota.Holder.GROUP : ClusterSettings.Quota.Holder.USER,
                name,
                number(section, "clusters", 50),
                number(section, "nodes", 50_000),
                number(section, "gpus", 500_000),
                section.has("budget") ? Optional.of(section.money("budget")) : Optional.empty(),
                section.has("ttl")
                        ? Optional.of(section.duration("ttl", null, Duration.ofSeconds(30), Duration.ofDays(366)))
                        : Optional.empty());
        if (AMOUNTS.stream().noneMatch(section::has)) {
            section.mistakeHere("found no amount; allowed: " + String.join(", ", AMOUNTS));
        }
        section.unasked(List.of("user", "group", "clusters", "nodes", "gpus", "budget", "ttl"));
        section.noMore();
        return quota;
    }

    private static Optional<Integer> number(Section section, String key, int most) {
        return section.has(key) ? Optional.of(section.integer(key, null, 0, most)) : Optional.empty();
    }

    private static Duration lead(String text) {
        Duration found = Quantities.duration(text);
        if (found.compareTo(Duration.ofSeconds(1)) < 0 || found.compareTo(LONGEST_LEAD) > 0) {
            throw new IllegalArgumentException("out of range");
        }
        return found;
    }

    private static int percent(String text) {
        int found = text.matches("\\d{1,3}") ? Integer.parseInt(text) : 0;
        if (found < 1 || found > 100) {
            throw new IllegalArgumentException("out of range");
        }
        return found;
    }

    private static <T> List<T> list(
            Section section, String key, List<T> usual, String allowed, Function<String, T> read) {
        var words = section.wordsIfAny(key, allowed);
        if (!section.has(key)) {
            return usual;
        }
        if (words.size() > MOST_WARNINGS) {
            section.mistake(key, "found " + words.size() + " of them; allowed: " + allowed);
        }
        var values = new ArrayList<T>();
        words.forEach((word, where) -> value(section, key, word, where, allowed, read, values));
        return values;
    }

    private static <T> void value(
            Section section,
            String key,
            String word,
            Node where,
            String allowed,
            Function<String, T> read,
            List<T> values) {
        try {
            values.add(read.apply(word));
        } catch (IllegalArgumentException unusable) {
            section.mistakeAt(where, key, "found '" + word + "'; allowed: " + allowed);
        }
    }
}
