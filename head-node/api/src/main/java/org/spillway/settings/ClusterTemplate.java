package org.spillway.settings;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.policy.Money;
import org.yaml.snakeyaml.nodes.Node;

/**
 * A template of a cluster on demand, from a file with typed parameters. What the file does not say is empty.
 *
 * @param nodes 1 to 1000
 * @param gpus 0 to 1000
 */
public record ClusterTemplate(
        String site,
        OptionalInt nodes,
        OptionalInt gpus,
        String type,
        Optional<Duration> ttl,
        Optional<Money> budget,
        List<String> users,
        String results,
        String image,
        String workload) {
    private static final int MOST_PARAMETERS = 100;
    private static final String NAME = "[a-z][A-Za-z0-9-]{0,39}";
    private static final Pattern USE = Pattern.compile("\\$\\{([^}]*)}");

    public ClusterTemplate {
        users = List.copyOf(users);
    }

    /** Kinds of values, with what is allowed of each. */
    private enum Kind {
        INTEGER("a whole number such as 4") {
            @Override
            BigInteger order(String text) {
                if (!text.matches("-?\\d{1,18}")) {
                    throw new IllegalArgumentException("no whole number");
                }
                return new BigInteger(text);
            }
        },
        AMOUNT("an amount such as 2.50") {
            @Override
            BigInteger order(String text) {
                return BigInteger.valueOf(Money.parse(text).micros());
            }
        },
        TIME("a length of time such as 8h") {
            @Override
            BigInteger order(String text) {
                return BigInteger.valueOf(Quantities.duration(text).toMillis());
            }
        },
        TEXT("text in one line") {
            @Override
            BigInteger order(String text) {
                if (text.length() > 1000 || text.chars().anyMatch(Character::isISOControl)) {
                    throw new IllegalArgumentException("no line");
                }
                return BigInteger.ZERO;
            }
        };

        private final String allowed;

        Kind(String allowed) {
            this.allowed = allowed;
        }

        /** Larger values have larger numbers. @throws IllegalArgumentException if it is none of this kind */
        abstract BigInteger order(String text);
    }

    /**
     * @param set values of parameters, by name
     * @throws ConfigMistakes with everything that is wrong with the file, or with these values for it
     */
    public static ClusterTemplate read(Path file, Map<String, String> set) throws ConfigMistakes {
        var problems = new Problems();
        Optional<Node> node = SettingsFile.node(file, problems);
        Optional<ClusterTemplate> template =
                node.map(root -> read(new Section(problems, "", root, root), set, problems));
        if (!problems.none() || template.isEmpty()) {
            throw new ConfigMistakes(file.toString(), problems.inOrder());
        }
        return template.get();
    }

    private static ClusterTemplate read(Section root, Map<String, String> set, Problems problems) {
        var values = new LinkedHashMap<String, String>();
        var sections = root.sections("parameters", MOST_PARAMETERS);
        for (Section section : sections) {
            parameter(section, set, values);
        }
        for (String name : new TreeSet<>(set.keySet())) {
            if (!values.containsKey(name)) {
                problems.add(
                        root.where("parameters"),
                        "parameters",
                        "found no '" + name + "', which --set names; allowed: "
                                + (values.isEmpty() ? "none" : String.join(", ", values.keySet()))
                                + Suggestion.phrase(name, values.keySet()));
            }
        }
        var cluster = new Use(root.section("cluster", true), values);
        root.noMore();
        return cluster.template();
    }

    /** The values have been looked at when this returns; those that cannot be used have a stand-in. */
    private static void parameter(Section section, Map<String, String> set, Map<String, String> values) {
        var name = section.matching("name", null, NAME, "a small letter, then letters, digits and dashes");
        var kind = Kind.valueOf(section.oneOf("type", "text", List.of("integer", "amount", "time", "text"))
                .toUpperCase(java.util.Locale.ROOT));
        var oneOf = section.wordsIfAny("oneOf", "a list of values").keySet();
        var least = section.text("min", "", kind.allowed);
        var most = section.text("max", "", kind.allowed);
        var given = set.get(name);
        var usual = section.text("default", "", kind.allowed);
        if (values.containsKey(name)) {
            section.mistake("name", "found '" + name + "' a second time; allowed: once");
        }
        if (kind == Kind.TEXT && !(least + most).isEmpty()) {
            section.mistake(least.isEmpty() ? "max" : "min", "found for a text; allowed: oneOf");
        } else {
            for (String bound : List.of("min", "max")) {
                check(section, bound, bound.equals("min") ? least : most, kind, "", "");
            }
            if (given == null && !section.has("default")) {
                section.mistake(
                        "default", "missing, and --set " + name + "=VALUE says none either; allowed: " + kind.allowed);
            }
            check(section, "default", usual, kind, least, most);
            if (given != null) {
                check(section, "name", given, kind, least, most);
            }
            for (String value : given == null ? List.of(usual) : List.of(usual, given)) {
                if (!oneOf.isEmpty() && !value.isEmpty() && !oneOf.contains(value)) {
                    section.mistake(
                            "oneOf",
                            "found '" + value + "' for " + name + "; allowed: " + String.join(", ", oneOf)
                                    + Suggestion.phrase(value, oneOf));
                }
            }
        }
        values.put(name, given == null ? usual : given);
        section.noMore();
    }

    /** Nothing stands for nothing. */
    private static void check(Section section, String key, String text, Kind kind, String least, String most) {
        if (text.isEmpty()) {
            return;
        }
        String range = (least.isEmpty() ? "" : ", at least " + least) + (most.isEmpty() ? "" : ", at most " + most);
        try {
            BigInteger order = kind.order(text);
            boolean low = !least.isEmpty() && order.compareTo(kind.order(least)) < 0;
            boolean high = !most.isEmpty() && order.compareTo(kind.order(most)) > 0;
            if (!low && !high) {
                return;
            }
        } catch (IllegalArgumentException none) {
            // Told below.
        }
        String from = key.equals("name") ? " from --set" : "";
        section.mistake(key, "found '" + text + "'" + from + "; allowed: " + kind.allowed + range);
    }

    /** The section {@code cluster}, with parameters in its values. */
    private record Use(Section section, Map<String, String> values) {
        ClusterTemplate template() {
            var site = text("site", "a site's name");
            var nodes = whole("nodes", 1);
            var gpus = whole("gpus", 0);
            var type = text("type", "an instance type");
            var ttl = value("ttl", Kind.TIME.allowed, Quantities::duration);
            var budget = value("budget", Kind.AMOUNT.allowed, Money::parse);
            var users = section.wordsIfAny("users", "a list of login names").keySet().stream()
                    .map(user -> filled("users", user))
                    .toList();
            var results = text("results", "a folder");
            var image = text("image", "an image's name");
            // Which of them there are is the head's to know.
            var workload = value("workload", "a workload manager's name, such as embedded", text -> {
                        if (!text.matches("[a-z][a-z0-9-]{0,19}")) {
                            throw new IllegalArgumentException("no name");
                        }
                        return text;
                    })
                    .orElse("");
            section.noMore();
            return new ClusterTemplate(site, nodes, gpus, type, ttl, budget, users, results, image, workload);
        }

        private String text(String key, String allowed) {
            return filled(key, section.text(key, "", allowed));
        }

        private OptionalInt whole(String key, int least) {
            return value(key, "a whole number from " + least + " to 1000", text -> {
                        int number = text.matches("\\d{1,4}") ? Integer.parseInt(text) : -1;
                        if (number < least || number > 1000) {
                            throw new IllegalArgumentException("out of range");
                        }
                        return number;
                    })
                    .map(OptionalInt::of)
                    .orElse(OptionalInt.empty());
        }

        private <T> Optional<T> value(String key, String allowed, java.util.function.Function<String, T> read) {
            String text = text(key, allowed);
            if (text.isEmpty()) {
                return Optional.empty();
            }
            try {
                return Optional.of(read.apply(text));
            } catch (IllegalArgumentException unusable) {
                section.mistake(key, "found '" + text + "'; allowed: " + allowed);
                return Optional.empty();
            }
        }

        private String filled(String key, String text) {
            return USE.matcher(text).replaceAll(use -> {
                String name = use.group(1);
                String value = values.get(name);
                if (value == null) {
                    section.mistake(
                            key,
                            "found '${" + name + "}'; allowed: "
                                    + (values.isEmpty()
                                            ? "no parameter, since there is none"
                                            : String.join(", ", values.keySet()))
                                    + Suggestion.phrase(name, values.keySet()));
                    return "";
                }
                return Matcher.quoteReplacement(value);
            });
        }
    }
}
