package org.spillway.head.past;

import java.util.Set;
import java.util.function.BooleanSupplier;

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
    /** Of a tag: identity, epoch, word. */
    private static final int PARTS = 3;

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

    /**
     * Whether a head has bought it that was made of the same state and may live beside this one: in this epoch or a later
     * one, by a start or a launch of which this journal does not know. A copy of a state that was made while its head ran
     * knows the word of that head's start, and none of its later launches. An earlier epoch is no sign of another head: it is
     * the part of the past that a journal lacks which was put back.
     *
     * @param bought tag of something bought
     * @param isRecorded whether this journal has the launch; asked only where that decides
     */
    public boolean isOfTwin(String bought, BooleanSupplier isRecorded) {
        String[] own = tag.split("\\.", -1);
        String[] its = bought.split("\\.", -1);
        if (own.length != PARTS || its.length != PARTS || !its[0].equals(own[0]) || bought.equals(tag)) {
            return false;
        }
        boolean isLater = its[1].matches("[0-9]{1,9}") && Integer.parseInt(its[1]) >= epoch;
        return isLater && !(known.contains(bought) && isRecorded.getAsBoolean());
    }

    public Standing released() {
        return new Standing(tag, epoch, known, false, moved);
    }

    /** No other head of this state commands anything. */
    public Standing settled() {
        return new Standing(tag, epoch, known, quarantined, false);
    }
}
