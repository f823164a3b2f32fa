package org.spillway.director.wire;

import java.util.List;

/**
 * Files that a director pulls into a user's store. It is kept in memory only: URLs and authorizations are secrets.
 *
 * @param mostBytes of all of them together
 * @param networks private ones that they may come from, as {@code ADDRESS/BITS}
 * @param trust certificates in PEM that are trusted besides the usual ones; empty for none
 */
public record PullOrder(List<Item> items, long mostBytes, List<String> networks, String trust) {
    /** Most files of one. */
    public static final int ITEMS_MOST = 1000;

    public PullOrder {
        items = List.copyOf(items);
        networks = List.copyOf(networks);
        if (items.isEmpty() || items.size() > ITEMS_MOST) {
            throw new IllegalArgumentException(items.size() + " files");
        }
    }

    /** As {@code org.spillway.stage.pull.PullItem} has it. */
    public record Item(String url, String authorization, String key, String sha256) {
        public Item {
            if (!key.matches("[0-9a-f]{64}") || !sha256.matches("([0-9a-f]{64})?")) {
                throw new IllegalArgumentException("a key or a digest is none");
            }
        }

        /** Without secrets: this text may reach a log. */
        @Override
        public String toString() {
            return "Item[" + key + "]";
        }
    }

    /** Without secrets: this text may reach a log. */
    @Override
    public String toString() {
        return "PullOrder[" + items.size() + " items]";
    }
}
