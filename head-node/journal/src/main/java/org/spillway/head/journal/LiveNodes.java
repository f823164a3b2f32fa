package org.spillway.head.journal;

import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** Nodes and directors that have not ended, by all that the loop asks for. One thread writes, any thread reads. */
final class LiveNodes {
    private final ConcurrentNavigableMap<String, NodeRecord> byId = new ConcurrentSkipListMap<>();
    private final Groups<String, NodeRecord> bySite = new Groups<>();
    private final Groups<String, NodeRecord> directors = new Groups<>();
    private final Groups<String, NodeRecord> byIntent = new Groups<>();

    private final AtomicLong changes = new AtomicLong();

    /** Grows with each change of a node, after it was made. */
    long changes() {
        return changes.get();
    }

    /** Site, role and intent of a node never change. */
    void put(NodeRecord node) {
        String id = node.id();
        if (node.isLive()) {
            byId.put(id, node);
            bySite.put(node.site(), id, node);
            byIntent.put(node.intent(), id, node);
            if (node.isDirector()) {
                directors.put(node.site(), id, node);
            }
        } else {
            byId.remove(id);
            bySite.remove(node.site(), id);
            byIntent.remove(node.intent(), id);
            directors.remove(node.site(), id);
        }
        changes.incrementAndGet();
    }

    Collection<NodeRecord> all() {
        return Collections.unmodifiableCollection(byId.values());
    }

    Collection<NodeRecord> of(String site) {
        return bySite.of(site);
    }

    Collection<NodeRecord> directors(String site) {
        return directors.of(site);
    }

    Collection<NodeRecord> under(String intent) {
        return byIntent.of(intent);
    }
}
