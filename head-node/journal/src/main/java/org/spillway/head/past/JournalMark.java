package org.spillway.head.past;

/**
 * A journal's word on itself, before anything is written to it.
 *
 * @param identity empty for one of a release that had none, and for an empty one
 * @param epoch 0 without an identity
 * @param starts of heads that have written to it since it has an identity
 * @param commits that it has made since then
 * @param sequence up to here numbers are reserved
 * @param isEmpty nothing was ever written to it, or it is not there
 */
public record JournalMark(String identity, int epoch, long starts, long commits, long sequence, boolean isEmpty) {
    /** A journal that is not there, or has no bytes. */
    public static final JournalMark EMPTY = new JournalMark("", 0, 0, 0, 0, true);
}
