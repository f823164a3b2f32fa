package org.spillway.localcloud.ec2;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** The parameters of one call, such as {@code TagSpecification.1.Tag.2.Key}. */
final class Query {
    private static final int MAX_PARAMETERS = 20_000;
    private static final Set<String> NOT_FINGERPRINTED = Set.of("ClientToken", "DryRun");
    private final NavigableMap<String, String> parameters;

    private Query(NavigableMap<String, String> parameters) {
        this.parameters = parameters;
    }

    static Query parse(String form) throws Ec2Error {
        NavigableMap<String, String> parameters = new TreeMap<>();
        for (String pair : form.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                parameters.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
            }
        }
        if (parameters.size() > MAX_PARAMETERS) {
            throw new Ec2Error("MalformedQueryString", "more than " + MAX_PARAMETERS + " parameters");
        }
        return new Query(parameters);
    }

    static Query of(Map<String, String> parameters) {
        return new Query(new TreeMap<>(parameters));
    }

    private static String decode(String text) throws Ec2Error {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException bad) {
            throw new Ec2Error("MalformedQueryString", String.valueOf(bad.getMessage()));
        }
    }

    /** Empty when it is missing. */
    String get(String name) {
        return parameters.getOrDefault(name, "");
    }

    String required(String name) throws Ec2Error {
        String value = get(name);
        if (value.isEmpty()) {
            throw Ec2Error.missing(name);
        }
        return value;
    }

    int whole(String name, int otherwise, int least, int most) throws Ec2Error {
        String value = get(name);
        if (value.isEmpty()) {
            return otherwise;
        }
        if (!value.matches("[0-9]{1,9}") || Integer.parseInt(value) < least || Integer.parseInt(value) > most) {
            throw Ec2Error.badValue(name, value);
        }
        return Integer.parseInt(value);
    }

    boolean isTrue(String name) {
        return get(name).equals("true");
    }

    /** The values {@code name.1}, {@code name.2}, ... */
    List<String> list(String name) {
        List<String> values = new ArrayList<>();
        for (int i = 1; parameters.containsKey(name + "." + i); i++) {
            values.add(get(name + "." + i));
        }
        return values;
    }

    /** The structures {@code name.1.}, {@code name.2.}, ... each with its own parameters. */
    List<Query> structures(String name) {
        List<Query> all = new ArrayList<>();
        for (int i = 1; ; i++) {
            Query one = below(name + "." + i + ".");
            if (one.parameters.isEmpty()) {
                return all;
            }
            all.add(one);
        }
    }

    /** The parameters that begin with {@code prefix}, without it. */
    Query below(String prefix) {
        NavigableMap<String, String> found = new TreeMap<>();
        parameters
                .subMap(prefix, true, prefix + Character.MAX_VALUE, true)
                .forEach((name, value) -> found.put(name.substring(prefix.length()), value));
        return new Query(found);
    }

    /** The query with parameters of {@code over} above its own. */
    Query with(Map<String, String> over) {
        NavigableMap<String, String> all = new TreeMap<>(parameters);
        all.putAll(over);
        return new Query(all);
    }

    /** The tags that the call gives to what it makes of that kind. */
    Map<String, String> tagsFor(String resourceType) throws Ec2Error {
        Map<String, String> tags = new LinkedHashMap<>();
        // The API has both spellings, one for each call.
        List<Query> specifications = new ArrayList<>(structures("TagSpecification"));
        specifications.addAll(structures("TagSpecifications"));
        for (Query specification : specifications) {
            if (specification.get("ResourceType").equals(resourceType)) {
                tags.putAll(specification.tags("Tag"));
            }
        }
        return tags;
    }

    Map<String, String> tags(String name) throws Ec2Error {
        Map<String, String> tags = new LinkedHashMap<>();
        for (Query tag : structures(name)) {
            String key = tag.required("Key");
            if (key.length() > 127 || key.startsWith("aws:") || tag.get("Value").length() > 255) {
                throw Ec2Error.badValue("Tag.Key", key);
            }
            if (tags.put(key, tag.get("Value")) != null) {
                throw new Ec2Error("InvalidParameterValue", "Duplicate tag key '" + key + "' specified.");
            }
        }
        return tags;
    }

    /** The part of a call that ClientToken stands for: all but what may differ between two calls that are the same. */
    String fingerprint() {
        StringBuilder text = new StringBuilder();
        parameters.forEach((name, value) -> {
            if (!NOT_FINGERPRINTED.contains(name)) {
                text.append(name)
                        .append('=')
                        .append(value.length())
                        .append(':')
                        .append(value)
                        .append('\n');
            }
        });
        return Digest.hex(text.toString());
    }

    Map<String, String> all() {
        return Map.copyOf(parameters);
    }
}
