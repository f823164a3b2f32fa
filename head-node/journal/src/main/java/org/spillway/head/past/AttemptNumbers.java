package org.spillway.head.past;

import java.util.stream.IntStream;

/**
 * Numbers of a job's attempts, none of which is given twice: a node begins each once, and what an attempt leaves lies under
 * its number. A journal that lacks a part of its past does not know how far a job's attempts had come, so those of each epoch
 * have a thousand numbers of their own.
 */
public final class AttemptNumbers {
    private static final int EACH = 1000;
    /** More attempts than that of an earlier epoch, of which nobody knows the number, are not looked for. */
    private static final int MOST_SOUGHT = 10;

    private AttemptNumbers() {}

    /**
     * The number below all that may be given now.
     *
     * @param last that the journal knows; 0 before the first
     * @param epoch 1 or more
     */
    public static int before(int last, int epoch) {
        return Math.max(last, (epoch - 1) * EACH);
    }

    /** How many attempts were made in that one's epoch, it among them; 0 for none. */
    public static int made(int number) {
        return number == 0 ? 0 : (number - 1) % EACH + 1;
    }

    /** How many attempts count for the next in that epoch: those before the journal was cut are forgiven. */
    public static int made(int last, int epoch) {
        return before(last, epoch) == last ? made(last) : 0;
    }

    /** All that a job may have had, up to this one; of earlier epochs the first few. */
    public static IntStream upTo(int number) {
        int begin = number - made(number);
        return IntStream.concat(
                IntStream.range(0, begin / EACH)
                        .flatMap(epoch -> IntStream.rangeClosed(1, MOST_SOUGHT).map(made -> epoch * EACH + made)),
                IntStream.rangeClosed(begin + 1, number));
    }
}
