package org.spillway.cloud.aws;

import java.util.Arrays;
import java.util.List;
import org.spillway.cloud.SiteSettings;

/** The flat options of an AWS site, each looked at when it is read: a mistake is told with what was found and what is allowed. */
record AwsOptions(SiteSettings settings) {
    String get(String key) {
        return settings.options().getOrDefault(key, "");
    }

    static SiteSettings.Invalid bad(String key, String found, String allowed) {
        return new SiteSettings.Invalid(key, "found '" + found + "'; allowed: " + allowed);
    }

    String required(String key, String pattern, String allowed) {
        if (get(key).isEmpty()) {
            throw new SiteSettings.Invalid(key, "missing; expected " + allowed);
        }
        return matching(key, "", pattern, allowed);
    }

    /** @return {@code otherwise} where the option is not given */
    String matching(String key, String otherwise, String pattern, String allowed) {
        String found = get(key);
        if (!found.isEmpty() && !found.matches(pattern)) {
            throw bad(key, found, allowed);
        }
        return found.isEmpty() ? otherwise : found;
    }

    /** @return {@code otherwise}, which need not be in the range, where the option is not given */
    int whole(String key, int otherwise, int least, int most) {
        String found = settings.options().get(key);
        if (found == null) {
            return otherwise;
        }
        if (!found.matches("[0-9]{1,9}") || Integer.parseInt(found) < least || Integer.parseInt(found) > most) {
            throw bad(key, found, "a whole number, " + least + " to " + most);
        }
        return Integer.parseInt(found);
    }

    static List<String> words(String key, String list) {
        if (list.isEmpty()) {
            return List.of();
        }
        List<String> words =
                Arrays.stream(list.split(",", -1)).map(String::strip).toList();
        if (words.contains("")) {
            throw bad(key, list, "a list with one comma between two");
        }
        return words;
    }
}
