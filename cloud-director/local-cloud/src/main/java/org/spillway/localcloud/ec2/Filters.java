package org.spillway.localcloud.ec2;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The filters of a call: each must hold, and holds by any of its values. */
final class Filters {
    private static final int MAX_VALUES = 200;
    private final List<One> filters = new ArrayList<>();

    private record One(String name, List<Pattern> values) {}

    /** @param allowed names besides {@code tag:KEY} and {@code tag-key} */
    static Filters of(Query query, Set<String> allowed) throws Ec2Error {
        Filters all = new Filters();
        for (Query filter : query.structures("Filter")) {
            String name = filter.required("Name");
            if (!allowed.contains(name) && !name.startsWith("tag:") && !name.equals("tag-key")) {
                throw new Ec2Error("InvalidParameterValue", "The filter '" + name + "' is invalid");
            }
            List<String> values = filter.list("Value");
            if (values.size() > MAX_VALUES) {
                throw new Ec2Error("FilterLimitExceeded", "The maximum number of filter values is " + MAX_VALUES);
            }
            all.filters.add(new One(name, values.stream().map(Filters::wildcard).toList()));
        }
        return all;
    }

    private static Pattern wildcard(String value) {
        StringBuilder pattern = new StringBuilder();
        for (char c : value.toCharArray()) {
            pattern.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
        }
        return Pattern.compile(pattern.toString(), Pattern.DOTALL);
    }

    boolean match(Thing thing) {
        return match(thing.facts(), thing.tags());
    }

    boolean match(Map<String, String> facts, Map<String, String> tags) {
        return filters.stream()
                .allMatch(filter -> found(filter.name(), facts, tags).stream()
                        .anyMatch(value -> filter.values().stream()
                                .anyMatch(pattern -> pattern.matcher(value).matches())));
    }

    private static List<String> found(String name, Map<String, String> facts, Map<String, String> tags) {
        if (name.equals("tag-key")) {
            return List.copyOf(tags.keySet());
        }
        String value = name.startsWith("tag:") ? tags.get(name.substring("tag:".length())) : facts.get(name);
        return value == null ? List.of() : name.startsWith("tag:") ? List.of(value) : List.of(value.split(",", -1));
    }

    /** The tags that must be borne with just that value; a listing is quicker by them. */
    static Map<String, String> exactTags(Query query) {
        Map<String, String> tags = new HashMap<>();
        for (Query filter : query.structures("Filter")) {
            String value = filter.get("Value.1");
            if (filter.get("Name").startsWith("tag:")
                    && filter.get("Value.2").isEmpty()
                    && !value.contains("*")
                    && !value.contains("?")) {
                tags.put(filter.get("Name").substring("tag:".length()), value);
            }
        }
        return tags;
    }
}
