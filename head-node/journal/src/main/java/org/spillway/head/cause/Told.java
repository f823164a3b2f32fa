package org.spillway.head.cause;

/**
 * Words from outside: a provider's, a workload manager's, a user's, or those of a journal from before causes. Shown as they
 * are; nothing is concluded from them.
 *
 * @param text not empty
 */
public record Told(String text) implements Cause {
    public Told {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("nothing was told");
        }
    }

    /** {@link Cause#NONE} for an empty text. */
    public static Cause of(String text) {
        return text.isEmpty() ? NONE : new Told(text);
    }
}
