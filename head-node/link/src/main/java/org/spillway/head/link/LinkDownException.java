package org.spillway.head.link;

/** The director was not reached, or it did not answer in time. */
public final class LinkDownException extends Exception {
    private static final long serialVersionUID = 1;

    public LinkDownException(String message, Throwable cause) {
        super(message, cause);
    }

    public LinkDownException(String message) {
        super(message);
    }
}
