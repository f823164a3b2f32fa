package org.spillway.head.mail;

import java.io.IOException;

/** The server will never take this letter: there is nobody of that address, or we may not send there. */
public final class MailRefused extends IOException {
    private static final long serialVersionUID = 1;

    public MailRefused(String why) {
        super(why);
    }
}
