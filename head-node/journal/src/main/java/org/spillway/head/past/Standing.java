package org.spillway.head.past;

import java.util.Set;

/**
 * How far the journal that is open knows its past.
 *
 * @param tag of this start of a head, which all that it buys bears; empty when nobody keeps the past
 * @param epoch 1, and one more after each journal that lacked a part of its past
 * @param known tags of all starts that the journal knows, this one among them
 * @param quarantined whether what the journal does not know is kept until an administrator says otherwise
 * @param moved the state directory is not the one in which its last head ran: that head may live on, beside a copy
 */
public record Standing(String tag, int epoch, Set<String> known, boolean quarantined, boolean moved) {
    /** A journal whose past nobody keeps: a simulated one, and a child's before its first head. */
    public static final Standing UNKEPT = new Standing("", 1, Set.of(), false, false);

    public Standing {
        known = Set.copyOf(known);
    }

    /**
     * Whether it was bought by another state, by a copy of this one, or by this one after the journal was copied.
     *
     * @param bought tag of something bought; empty for what an earlier release has bought, of which nothing is known
     */
    public boolean isStrange(String bought) {
        return !tag.isEmpty() && !bought.isEmpty() && !known.contains(bought);
    }

    public Standing released() {
        return new Standing(tag, epoch, known, false, moved);
    }

    /** No other head of this state commands anything. */
    public Standing settled() {
        return new Standing(tag, epoch, known, quarantined, false);
    }
}
