package org.spillway.director.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A site's words on a login, for a comparison: nothing is decided by them.
 *
 * @param copy as the director's replica has it; null where it does not, or has it twice
 * @param node that was asked; empty where none is ready
 * @param word how far the node's answer is
 * @param there as the node's own name service has it; null where it does not, or before its answer
 */
public record SiteAccounts(
        @Nullable Account copy,
        String node,
        Word word,
        @Nullable Account there) {
    /** A node's answer. */
    public enum Word {
        NO_NODE,
        ASKED,
        KNOWN,
        UNKNOWN,
        /** The name service failed, or what it said is none of an account. */
        UNREADABLE
    }

    /** @param groups all, the primary one among them */
    public record Account(long uid, long gid, List<Group> groups) {
        public Account {
            groups = List.copyOf(groups);
        }
    }

    /** @param name empty where nobody names it */
    public record Group(long gid, String name) {}
}
