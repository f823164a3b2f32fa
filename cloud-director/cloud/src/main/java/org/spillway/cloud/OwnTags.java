package org.spillway.cloud;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The option {@code tags} of a site: what its owner wants on everything that is made there, beside Spillway's own tags. */
public final class OwnTags {
    /** Of the option. */
    public static final String OPTION = "tags";

    private static final int MOST = 30;

    private OwnTags() {}

    /**
     * Tags as the option has them: {@code KEY=VALUE,KEY=VALUE}; none without it.
     *
     * @param reserved how keys begin that the provider keeps to itself, in lower case
     * @param mostKey longest key, in characters
     * @param mostValue longest value, in characters
     * @throws SiteSettings.Invalid for a word that is no tag, a key twice, a key of Spillway's or of the provider's, and
     *     more than 30
     */
    public static Map<String, String> read(SiteSettings settings, List<String> reserved, int mostKey, int mostValue) {
        Map<String, String> tags = new LinkedHashMap<>();
        String list = settings.options().getOrDefault(OPTION, "");
        if (list.isEmpty()) {
            return tags;
        }
        for (String each : list.split(",", -1)) {
            String word = each.strip();
            int equals = word.indexOf('=');
            // Every provider takes these characters, in keys and in values.
            if (equals < 1 || !word.matches("[A-Za-z0-9._-]+=[A-Za-z0-9 ._:/@+-]*")) {
                throw bad(word, "KEY=VALUE with commas between; keys of letters, digits, dots, dashes and underscores");
            }
            String key = word.substring(0, equals);
            String value = word.substring(equals + 1);
            String lower = key.toLowerCase(Locale.ROOT);
            if (lower.startsWith("spillway") || reserved.stream().anyMatch(lower::startsWith)) {
                throw bad(key, "keys that begin neither with spillway nor with " + String.join(", ", reserved));
            }
            if (key.length() > mostKey || value.length() > mostValue) {
                throw bad(word, "a key of " + mostKey + " characters at most, a value of " + mostValue);
            }
            if (tags.keySet().stream().anyMatch(key::equalsIgnoreCase)) {
                throw bad(word, "each key once, whatever its case");
            }
            tags.put(key, value);
        }
        if (tags.size() > MOST) {
            throw bad(tags.size() + " tags", "at most " + MOST);
        }
        return tags;
    }

    private static SiteSettings.Invalid bad(String found, String allowed) {
        return new SiteSettings.Invalid(OPTION, "found '" + found + "'; allowed: " + allowed);
    }
}
