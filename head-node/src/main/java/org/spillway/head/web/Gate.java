package org.spillway.head.web;

import java.util.Optional;
import java.util.Set;

/**
 * Decides who comes in. The page is read only: nothing but GET and HEAD is answered, so a request that a stranger's
 * page makes in the administrator's browser could change nothing even if it got this far. Pure.
 */
final class Gate {
    private final WebToken token;
    private final String host;
    private final int port;

    /** @param host the address as it stands in a URL, such as {@code 127.0.0.1} or {@code [::1]} */
    Gate(WebToken token, String host, int port) {
        this.token = token;
        this.host = host;
        this.port = port;
    }

    /**
     * What the decision needs of a request.
     *
     * @param host the Host header; empty for none
     * @param origin the Origin header
     * @param token of the query
     * @param cookie of the name {@link #cookieName}
     */
    record Asked(
            String method, String host, Optional<String> origin, Optional<String> token, Optional<String> cookie) {}

    /** The decision. */
    sealed interface Verdict {
        /** Goes on to what was asked for. */
        record Pass() implements Verdict {}

        /** Showed the token: gets the cookie, and goes on without the token in the address. */
        record Enter(String cookie) implements Verdict {}

        /** @param status 401, 403 or 405 */
        record Refuse(int status, String title, String message) implements Verdict {}
    }

    /** Host and port as they stand in the address. */
    String authority() {
        return host + ":" + port;
    }

    /** Browsers keep cookies by host and not by port, so that the port stands in the name. */
    String cookieName() {
        return "spillway-" + port;
    }

    Verdict judge(Asked asked) {
        if (!asked.method().equals("GET") && !asked.method().equals("HEAD")) {
            return new Verdict.Refuse(405, "This page only shows", "Jobs and nodes are changed by the commands.");
        }
        // A name that a stranger's DNS points to 127.0.0.1 is another host to the browser; here it is refused.
        if (!authorities().contains(asked.host())) {
            return new Verdict.Refuse(
                    403,
                    "This is not the page's address",
                    "It is served as http://" + authority()
                            + " only. Through a tunnel, use the same port at both ends: ssh -L " + port + ":"
                            + authority() + " HOST");
        }
        if (asked.origin().isPresent() && !asked.origin().get().equals("http://" + asked.host())) {
            return new Verdict.Refuse(
                    403, "Another page asked for this", "Only the page itself may ask this server for anything.");
        }
        if (asked.token().filter(token::isToken).isPresent()) {
            return new Verdict.Enter(token.cookie(port));
        }
        if (asked.cookie().filter(shown -> token.isCookie(shown, port)).isPresent()) {
            return new Verdict.Pass();
        }
        return new Verdict.Refuse(
                401,
                asked.token().isPresent() ? "This link is not valid" : "Open the page by its link",
                "The command 'spillway web' prints the link, for root and for the user that the head runs as. A link is"
                        + " asked for again after the head was started anew.");
    }

    private Set<String> authorities() {
        return Set.of(authority(), "localhost:" + port);
    }
}
