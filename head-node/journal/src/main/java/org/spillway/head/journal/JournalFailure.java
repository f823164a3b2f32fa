package org.spillway.head.journal;

/** The journal cannot be used. The message says what was found and what to do. */
public final class JournalFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JournalFailure(String message, Throwable cause) {
        super(message, cause);
    }

    public JournalFailure(String message) {
        super(message);
    }
}
