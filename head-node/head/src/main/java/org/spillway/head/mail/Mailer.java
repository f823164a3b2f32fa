package org.spillway.head.mail;

import java.io.IOException;

/** Hands letters to a mail server. Calls block for a bounded time, and may be repeated. Any thread. */
@FunctionalInterface
public interface Mailer {
    /**
     * Returns when the server has taken it over.
     *
     * @throws MailRefused if the server will never take this letter
     * @throws IOException if it could not be handed over now, or it is not known whether it was; the message is one line
     *     for a person and holds no secret
     */
    void send(Letter letter) throws IOException;
}
