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

/**
 * Equality indexes for what name services ask, by a hash of 64 bits of each value (FNV-1a) and not the value, for the
 * memory's sake: a set may hold an entry of another value, and whoever asks compares. Not safe for threads: the store's
 * lock guards it.
 */
final class EntryIndex {
    /** The entry's name (DN), normalized. */
    static final String NAME = "=dn";

    private static final List<String> INDEXED = List.of("uid", "cn", "uidnumber", "gidnumber", "memberuid", NAME);
    private static final long FNV_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    /** A set only where several share a value: nearly all are alone. */
    private final Map<String, KeyTable> indexes = new HashMap<>();

    EntryIndex() {
        INDEXED.forEach(name -> indexes.put(name, new KeyTable()));
    }

    void add(UUID id, Entry entry) {
        indexes.forEach((name, index) -> {
            for (String value : values(entry, name)) {
                long key = key(value);
                Object before = index.get(key);
                index.put(key, before == null ? id : both(before, id));
            }
        });
    }

    private static Object both(Object before, Object added) {
        if (before.equals(added)) {
            return before;
        }
        if (before instanceof Several several) {
            several.ids.add((UUID) added);
            return several;
        }
        Several several = new Several();
        several.ids.add((UUID) before);
        several.ids.add((UUID) added);
        return several;
    }

    private static final class Several {
        private final Set<UUID> ids = new HashSet<>();
    }

    void remove(UUID id, Entry entry) {
        indexes.forEach((name, index) -> {
            for (String value : values(entry, name)) {
                long key = key(value);
                Object before = index.get(key);
                Object left = before == null ? null : without(before, id);
                if (left == null) {
                    index.remove(key);
                } else {
                    index.put(key, left);
                }
            }
        });
    }

    private static @Nullable Object without(Object before, UUID id) {
        if (before instanceof Several several) {
            several.ids.remove(id);
            return several.ids.size() == 1 ? several.ids.iterator().next() : several;
        }
        return before.equals(id) ? null : before;
    }

    /** A superset of those with this value. */
    Set<UUID> equal(String name, String value) {
        KeyTable index = indexes.get(name.toLowerCase(Locale.ROOT));
        Object found = index == null ? null : index.get(key(value));
        return found == null ? Set.of() : found instanceof Several several ? several.ids : Set.of((UUID) found);
    }

    /** The sets of those that have a value together. */
    Stream<Set<UUID>> shared(String name) {
        KeyTable index = indexes.get(name.toLowerCase(Locale.ROOT));
        return (index == null ? Stream.empty() : index.values())
                .filter(Several.class::isInstance)
                .map(several -> ((Several) several).ids);
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
        if (name.equals(NAME)) {
            return new String[] {DirectoryStore.parsed(entry).toNormalizedString()};
        }
        String[] values = entry.getAttributeValues(name);
        return values == null ? new String[0] : values;
    }

    /** As LDAP's caseIgnoreMatch compares: without case, with single spaces. */
    private static long key(String value) {
        String text = value.strip().toLowerCase(Locale.ROOT);
        long hash = FNV_BASIS;
        boolean space = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != ' ' || !space) {
                hash = (hash ^ c) * FNV_PRIME;
            }
            space = c == ' ';
        }
        return hash;
    }
}
