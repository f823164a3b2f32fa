package org.spillway.head.past;

/**
 * The memory of {@code secrets/state-id} of the journal beside it.
 *
 * @param identity of the state, 32 hex digits made once
 * @param epoch grows whenever the state goes on from a journal that does not know all of its past; from 1
 * @param starts of heads on this state; 0 before the first has written to the journal
 * @param commits that the journal has made for certain: a journal with fewer is an older copy
 * @param numbers up to here may have been given to jobs, nodes and launches
 * @param quarantined whether what the journal does not know is neither ended nor forgotten
 */
public record StateMark(String identity, int epoch, long starts, long commits, long numbers, boolean quarantined) {
    public StateMark {
        if (!identity.matches("[0-9a-f]{32}") || epoch < 1 || starts < 0 || commits < 0 || numbers < 0) {
            throw new IllegalArgumentException("not a mark of a state");
        }
    }

    /** Nothing was ever begun with it: a head that was killed in its first moment leaves it so. */
    boolean isUnused() {
        return starts == 0;
    }

    public StateMark withNumbers(long upTo) {
        return new StateMark(identity, epoch, starts, commits, Math.max(numbers, upTo), quarantined);
    }

    public StateMark withCommits(long made) {
        return new StateMark(identity, epoch, starts, Math.max(commits, made), numbers, quarantined);
    }

    /** The journal has it all now. */
    public StateMark released() {
        return new StateMark(identity, epoch, starts, commits, numbers, false);
    }
}
