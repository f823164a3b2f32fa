package org.spillway.api.session;

/** The other end says what nobody says, or has forgotten what is needed: there is no going on. */
public final class SessionFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    public SessionFault(String what) {
        super(what);
    }
}
