package org.spillway.head.trust;

/** A certificate signing request that gets no certificate. The message may be told to whoever sent it. */
public final class CsrRefused extends Exception {
    private static final long serialVersionUID = 1;

    CsrRefused(String message) {
        super(message);
    }
}
