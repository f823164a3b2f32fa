package org.spillway.head.mail;

import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Where a user's mail goes: to the address that the directory has of them, else to their login name at the site's
 * domain.
 */
public final class Addresses {
    private final UnaryOperator<String> directory;
    private final String domain;

    /**
     * @param directory the {@code mail} of a login name; empty for none
     * @param domain empty for none
     */
    public Addresses(UnaryOperator<String> directory, String domain) {
        this.directory = directory;
        this.domain = domain;
    }

    /** Empty where neither makes an address that mail can be sent to. */
    public Optional<String> of(String user) {
        return Optional.of(directory.apply(user))
                .filter(Letter::isAddress)
                .or(() -> Optional.of(user + "@" + domain).filter(Letter::isAddress));
    }
}
