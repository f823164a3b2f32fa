package org.spillway.cloud.openstack;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.SiteSettings;

/** Reads the flat text of a site's options; each mistake is a {@link SiteSettings.Invalid} of its key. */
record Options(SiteSettings site) {
    void onlyKnown(Set<String> keys) {
        for (String key : new TreeSet<>(site.options().keySet())) {
            if (!keys.contains(key)) {
                throw new SiteSettings.Invalid(
                        key, "unknown; allowed for driver openstack: " + String.join(", ", new TreeSet<>(keys)));
            }
        }
    }

    /** The same with what else is said, where the site says nothing itself. */
    Options over(Map<String, String> otherwise) {
        Map<String, String> all = new HashMap<>(otherwise);
        site.options().forEach((key, value) -> {
            if (!value.isBlank()) {
                all.put(key, value);
            }
        });
        return new Options(site.withOptions(all));
    }

    String text(String key, String otherwise) {
        String found = site.options().getOrDefault(key, "").strip();
        return found.isEmpty() ? otherwise : found;
    }

    String required(String key, String what) {
        String found = text(key, "");
        if (found.isEmpty()) {
            throw new SiteSettings.Invalid(key, "missing; give " + what);
        }
        return found;
    }

    @Nullable
    Path file(String key) {
        String found = text(key, "");
        return found.isEmpty()
                ? null
                : site.stateDirectory().resolve(found).toAbsolutePath().normalize();
    }

    List<String> list(String key) {
        List<String> all = new ArrayList<>();
        for (String each : text(key, "").split(",", -1)) {
            if (!each.isBlank()) {
                all.add(each.strip());
            }
        }
        return all;
    }

    String cidr(String key, String otherwise) {
        String found = text(key, otherwise);
        if (!found.isEmpty() && !found.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}/([0-9]|[12][0-9]|3[0-2])")) {
            throw new SiteSettings.Invalid(key, "found '" + found + "'; expected a network such as 192.0.2.0/24");
        }
        return found;
    }

    int whole(String key, int least, int most, int otherwise) {
        String found = text(key, "");
        if (found.isEmpty()) {
            return otherwise;
        }
        if (!found.matches("[0-9]{1,6}") || Integer.parseInt(found) < least || Integer.parseInt(found) > most) {
            throw new SiteSettings.Invalid(
                    key, "found '" + found + "'; allowed: a whole number, " + least + " to " + most);
        }
        return Integer.parseInt(found);
    }
}
