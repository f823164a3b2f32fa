package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Equality indexes for what name services ask. Not safe for threads: the store's lock guards it. */
final class EntryIndex {
    private static final List<String> INDEXED = List.of("uid", "cn", "uidnumber", "gidnumber", "memberuid");

    private final Map<String, Map<String, Set<UUID>>> indexes = new HashMap<>();

    EntryIndex() {
        INDEXED.forEach(name -> indexes.put(name, new HashMap<>()));
    }

    void add(UUID id, Entry entry) {
        indexes.forEach((name, index) -> {
            for (String value : values(entry, name)) {
                index.computeIfAbsent(key(value), any -> new HashSet<>()).add(id);
            }
        });
    }

    void remove(UUID id, Entry entry) {
        indexes.forEach((name, index) -> {
            for (String value : values(entry, name)) {
                index.computeIfPresent(key(value), (any, ids) -> {
                    ids.remove(id);
                    return ids.isEmpty() ? null : ids;
                });
            }
        });
    }

    Set<UUID> equal(String name, String value) {
        Map<String, Set<UUID>> index = indexes.get(name.toLowerCase(Locale.ROOT));
        return index == null ? Set.of() : index.getOrDefault(key(value), Set.of());
    }

    /** The sets of those that have a value together. */
    Stream<Set<UUID>> shared(String name) {
        return indexes.getOrDefault(name.toLowerCase(Locale.ROOT), Map.of()).values().stream()
                .filter(ids -> ids.size() > 1);
    }

    /** A superset of the entries that match, or null when only looking at all of them tells. */
    @Nullable
    Set<UUID> candidates(Filter filter) {
        if (filter.getFilterType() == Filter.FILTER_TYPE_EQUALITY) {
            String name = String.valueOf(filter.getAttributeName()).toLowerCase(Locale.ROOT);
            return indexes.containsKey(name) ? equal(name, String.valueOf(filter.getAssertionValue())) : null;
        }
        if (filter.getFilterType() == Filter.FILTER_TYPE_AND) {
            Set<UUID> best = null;
            for (Filter part : filter.getComponents()) {
                Set<UUID> found = candidates(part);
                if (found != null && (best == null || found.size() < best.size())) {
                    best = found;
                }
            }
            return best;
        }
        if (filter.getFilterType() == Filter.FILTER_TYPE_OR) {
            Set<UUID> all = new HashSet<>();
            for (Filter part : filter.getComponents()) {
                Set<UUID> found = candidates(part);
                if (found == null) {
                    return null;
                }
                all.addAll(found);
            }
            return all;
        }
        return null;
    }

    private static String[] values(Entry entry, String name) {
        String[] values = entry.getAttributeValues(name);
        return values == null ? new String[0] : values;
    }

    /** As LDAP's caseIgnoreMatch compares: without case, with single spaces. */
    private static String key(String value) {
        return value.strip().replaceAll(" +", " ").toLowerCase(Locale.ROOT);
    }
}
