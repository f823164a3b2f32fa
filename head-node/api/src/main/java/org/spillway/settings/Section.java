package org.spillway.settings;

import java.math.BigInteger;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Money;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * A mapping of the file. Each getter notes a mistake and answers a stand-in when the value cannot be used: what is made
 * of it is thrown away at the end, when there was any mistake.
 */
public final class Section {
    private final Problems problems;
    private final String path;
    private final Node place;
    private final Map<String, Node> names = new LinkedHashMap<>();
    private final Map<String, Node> values = new LinkedHashMap<>();
    private final Set<String> asked = new LinkedHashSet<>();

    /** @param place where to show what is missing in it */
    public Section(Problems problems, String path, Node place, Node node) {
        this.path = path;
        this.place = place;
        if (node instanceof MappingNode mapping) {
            this.problems = problems;
            for (var tuple : mapping.getValue()) {
                take(tuple.getKeyNode(), tuple.getValueNode());
            }
        } else {
            problems.add(place, path, "found " + describe(node) + "; allowed: a section of keys");
            this.problems = new Problems();
        }
    }

    /** Stands for a section that is not there: what is missing in it is not worth a line. */
    private Section(String path, Node place) {
        this.path = path;
        this.place = place;
        this.problems = new Problems();
    }

    private void take(Node key, Node value) {
        if (!(key instanceof ScalarNode name)) {
            problems.add(key, path, "found " + describe(key) + " as a key; allowed: a word");
        } else if (values.putIfAbsent(name.getValue(), value) != null) {
            problems.add(key, at(name.getValue()), "found a second time; allowed: once");
        } else {
            names.put(name.getValue(), name);
        }
    }

    /** Dotted path of a key of this section. */
    public String at(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    public Set<String> keys() {
        return values.keySet();
    }

    public boolean has(String key) {
        return values.containsKey(key);
    }

    /** Whether there is a mapping. */
    public boolean isSection(String key) {
        return values.get(key) instanceof MappingNode;
    }

    /** Keys of a mapping below this one, which another reader reads. */
    public Set<String> keysOf(String key) {
        return values.get(key) instanceof MappingNode mapping
                ? mapping.getValue().stream()
                        .map(NodeTuple::getKeyNode)
                        .filter(ScalarNode.class::isInstance)
                        .map(name -> ((ScalarNode) name).getValue())
                        .collect(Collectors.toCollection(LinkedHashSet::new))
                : Set.of();
    }

    /** Whether the file says exactly this: a getter may have answered a stand-in. */
    public boolean says(String key, String text) {
        return values.get(key) instanceof ScalarNode scalar && scalar.getValue().equals(text);
    }

    /** Where to show a mistake about {@code key}: at the key, or at this section when it is not there. */
    Node where(String key) {
        return names.getOrDefault(key, place);
    }

    /** A mistake about this section as a whole. */
    public void mistakeHere(String message) {
        problems.add(place, path, message);
    }

    public void mistake(String key, String message) {
        problems.add(where(key), at(key), message);
    }

    /** A mistake in a part of what stands under a key. */
    public void mistakeAt(Node where, String key, String message) {
        problems.add(where, at(key), message);
    }

    /** A mapping below this one. Where there is none, an empty one that notes nothing but its own absence. */
    public Section section(String key, boolean required) {
        asked.add(key);
        var node = values.get(key);
        if (node == null) {
            if (required) {
                problems.add(place, at(key), "missing; this section is required");
            }
            return new Section(at(key), place);
        }
        return new Section(problems, at(key), where(key), node);
    }

    /** A scalar's text, or null when the key is absent or no scalar. */
    @Nullable
    public String scalar(String key, String allowed) {
        asked.add(key);
        var node = values.get(key);
        if (node == null) {
            return null;
        }
        if (node instanceof ScalarNode scalar && (!scalar.getValue().isEmpty() || !scalar.isPlain())) {
            return scalar.getValue();
        }
        mistake(key, "found " + describe(node) + "; allowed: " + allowed);
        return null;
    }

    /**
     * A value of any kind.
     *
     * @param fallback null when the key is required
     * @param read throws IllegalArgumentException with what was found and what is allowed
     */
    public <T> T value(String key, @Nullable T fallback, T standIn, String allowed, Function<String, T> read) {
        boolean present = has(key);
        var text = scalar(key, allowed);
        if (text == null) {
            if (!present && fallback == null) {
                mistake(key, "missing; allowed: " + allowed);
            }
            return fallback == null ? standIn : fallback;
        }
        try {
            return read.apply(text);
        } catch (IllegalArgumentException refused) {
            mistake(key, String.valueOf(refused.getMessage()));
            return fallback == null ? standIn : fallback;
        }
    }

    public String text(String key, @Nullable String fallback, String allowed) {
        return value(key, fallback, "", allowed, text -> text);
    }

    public String matching(String key, @Nullable String fallback, String pattern, String allowed) {
        return value(key, fallback, "x", allowed, text -> {
            if (!text.matches(pattern)) {
                throw new IllegalArgumentException("found '" + text + "'; allowed: " + allowed);
            }
            return text;
        });
    }

    public String oneOf(String key, @Nullable String fallback, List<String> allowed) {
        var choice = allowed.isEmpty() ? "none is installed" : String.join(", ", allowed);
        return value(key, fallback, allowed.isEmpty() ? "" : allowed.getFirst(), choice, text -> {
            if (!allowed.contains(text)) {
                throw new IllegalArgumentException(
                        "found '" + text + "'; allowed: " + choice + Suggestion.phrase(text, allowed));
            }
            return text;
        });
    }

    public boolean flag(String key, boolean fallback) {
        return oneOf(key, fallback ? "true" : "false", List.of("true", "false")).equals("true");
    }

    public int integer(String key, @Nullable Integer fallback, int least, int most) {
        var allowed = "a whole number from " + least + " to " + most;
        return value(key, fallback, least, allowed, text -> {
            if (!text.matches("-?\\d{1,40}") || !within(new BigInteger(text), least, most)) {
                throw new IllegalArgumentException("found '" + text + "'; allowed: " + allowed);
            }
            return Integer.valueOf(text);
        });
    }

    private static boolean within(BigInteger number, long least, long most) {
        return number.compareTo(BigInteger.valueOf(least)) >= 0 && number.compareTo(BigInteger.valueOf(most)) <= 0;
    }

    public Duration duration(String key, @Nullable Duration fallback, Duration least, Duration most) {
        var allowed = "a length of time from " + Quantities.write(least) + " to " + Quantities.write(most);
        return value(key, fallback, least, allowed, text -> {
            Duration found = read(text, allowed, Quantities::duration);
            if (found.compareTo(least) < 0 || found.compareTo(most) > 0) {
                throw new IllegalArgumentException("found '" + text + "'; allowed: " + allowed);
            }
            return found;
        });
    }

    public Money money(String key) {
        return money(key, null);
    }

    public Money money(String key, @Nullable Money fallback) {
        var allowed = "an amount such as 50.00, at least 0";
        return value(key, fallback, Money.ZERO, allowed, text -> {
            var found = text.length() > 40 ? new Money(-1) : read(text, allowed, Money::parse);
            if (found.micros() < 0) {
                throw new IllegalArgumentException("found '" + text + "'; allowed: " + allowed);
            }
            return found;
        });
    }

    private static <T> T read(String text, String allowed, Function<String, T> read) {
        try {
            return read.apply(text);
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException("found '" + text + "'; allowed: " + allowed, malformed);
        }
    }

    /** A path, made absolute against the file's own directory. */
    public Path path(String key, @Nullable Path fallback, Path base) {
        return value(key, fallback, base, "a path", text -> {
            try {
                return base.resolve(text).normalize();
            } catch (InvalidPathException malformed) {
                throw new IllegalArgumentException("found '" + text + "'; allowed: a path", malformed);
            }
        });
    }

    /**
     * A value for whoever knows single values only: a list as {@code a,b}, a mapping as {@code k=v,l=w}, in the file's
     * order. What could not be told apart any more is a mistake.
     */
    public String flat(String key, String allowed) {
        return switch (values.get(key)) {
            case SequenceNode list -> {
                asked.add(key);
                yield joined(key, allowed, list.getValue(), item -> part(key, allowed, item, ","));
            }
            case MappingNode mapping -> {
                asked.add(key);
                yield joined(
                        key,
                        allowed,
                        mapping.getValue(),
                        pair -> part(key, allowed, pair.getKeyNode(), ",=") + "="
                                + part(key, allowed, pair.getValueNode(), ","));
            }
            case null, default -> text(key, "", allowed);
        };
    }

    private <T> String joined(String key, String allowed, List<T> items, Function<T, String> one) {
        if (items.isEmpty()) {
            mistake(key, "found nothing in it; allowed: " + allowed);
        }
        return items.stream().map(one).collect(Collectors.joining(","));
    }

    private String part(String key, String allowed, Node node, String separators) {
        if (!(node instanceof ScalarNode scalar) || scalar.getValue().isEmpty()) {
            problems.add(node, at(key), "found " + describe(node) + " in it; allowed: " + allowed);
            return "";
        }
        var text = scalar.getValue();
        if (separators.chars().anyMatch(separator -> text.indexOf(separator) >= 0)) {
            problems.add(
                    node,
                    at(key),
                    "found '" + text + "' in it; allowed: values without " + separators.charAt(0)
                            + (separators.length() > 1 ? " and =" : ""));
        }
        return text;
    }

    /** As {@link #words}, and none where the key is absent. */
    public Map<String, Node> wordsIfAny(String key, String allowed) {
        asked.add(key);
        return has(key) ? words(key, allowed) : Map.of();
    }

    /** A list of sections; none where the key is absent. */
    public List<Section> sections(String key, int most) {
        asked.add(key);
        var node = values.get(key);
        if (node == null) {
            return List.of();
        }
        if (!(node instanceof SequenceNode list) || list.getValue().size() > most) {
            mistake(key, "found " + describe(node) + "; allowed: a list of at most " + most + " sections of keys");
            return List.of();
        }
        return list.getValue().stream()
                .map(item -> new Section(problems, at(key), item, item))
                .toList();
    }

    /** A list of words, each with its node, so that a mistake can be shown at the right line. */
    public Map<String, Node> words(String key, String allowed) {
        asked.add(key);
        var node = values.get(key);
        var words = new LinkedHashMap<String, Node>();
        if (!(node instanceof SequenceNode list) || list.getValue().isEmpty()) {
            mistake(
                    key,
                    node == null
                            ? "missing; allowed: " + allowed
                            : "found " + describe(node) + "; allowed: " + allowed);
            return words;
        }
        for (var item : list.getValue()) {
            if (!(item instanceof ScalarNode word)) {
                problems.add(item, at(key), "found " + describe(item) + "; allowed: " + allowed);
            } else if (words.putIfAbsent(word.getValue(), word) != null) {
                problems.add(item, at(key), "found '" + word.getValue() + "' a second time; allowed: once");
            }
        }
        return words;
    }

    /** Names keys among the allowed ones that were not asked for, since they are absent. */
    public void unasked(List<String> keys) {
        asked.addAll(keys);
    }

    /** Notes every key that nobody asked for. */
    public void noMore() {
        for (var key : values.keySet()) {
            if (!asked.contains(key)) {
                mistake(key, "unknown key; allowed: " + String.join(", ", asked) + Suggestion.phrase(key, asked));
            }
        }
    }

    static String describe(Node node) {
        return switch (node) {
            case ScalarNode scalar -> scalar.getValue().isEmpty() ? "nothing" : "'" + scalar.getValue() + "'";
            case SequenceNode list -> list.getValue().isEmpty() ? "an empty list" : "a list";
            default -> "a section of keys";
        };
    }
}
