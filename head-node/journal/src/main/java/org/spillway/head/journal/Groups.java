package org.spillway.head.journal;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Records by something that they have in common, in the order of their ids: the loop must decide the same whenever it
 * sees the same. One thread writes, any thread reads.
 */
final class Groups<K, R> {
    private final ConcurrentMap<K, ConcurrentNavigableMap<String, R>> groups = new ConcurrentHashMap<>();

    void put(K group, String id, R record) {
        groups.computeIfAbsent(group, key -> new ConcurrentSkipListMap<>()).put(id, record);
    }

    void remove(K group, String id) {
        groups.computeIfPresent(group, (key, members) -> {
            members.remove(id);
            return members.isEmpty() ? null : members;
        });
    }

    /** A view that goes along with changes. */
    Collection<R> of(K group) {
        ConcurrentNavigableMap<String, R> members = groups.get(group);
        return members == null ? List.of() : Collections.unmodifiableCollection(members.values());
    }
}
