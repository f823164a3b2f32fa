package org.spillway.head.web;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.spillway.head.rest.Caller;

/**
 * Decides who comes in. Everything but clusters on demand is read only: nothing but GET and HEAD is answered. What changes
 * a cluster is a form of the page itself: the browser says that it comes from there, and it has in it what only a page
 * that was sent to this very browser knows. Pure.
 */
final class Gate {
    private final WebToken token;
    private final String host;
    private final int port;
    private final Caller admin;

    /** @param host the address as it stands in a URL, such as {@code 127.0.0.1} or {@code [::1]} @param admin who acts with the link */
    Gate(WebToken token, String host, int port, Caller admin) {
        this.token = token;
        this.host = host;
        this.port = port;
        this.admin = admin;
    }

    /**
     * The parts of a request that the decision needs.
     *
     * @param host the Host header; empty for none
     * @param origin the Origin header
     * @param token of the query
     * @param cookie of the name {@link #cookieName}
     * @param path that is asked for
     * @param form what a form shows besides
     */
    record Asked(
            String method,
            String host,
            Optional<String> origin,
            Optional<String> token,
            Optional<String> cookie,
            String path,
            Optional<String> form) {}

    /** The decision. */
    sealed interface Verdict {
        /** Goes on to what was asked for. @param form what its forms have to show @param until not for longer */
        record Pass(Caller caller, String form, Instant until) implements Verdict {}

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

    Verdict judge(Asked asked, Instant now) {
        boolean reads = asked.method().equals("GET") || asked.method().equals("HEAD");
        boolean changes = asked.method().equals("POST") && asked.path().matches("/clusters(/.*)?");
        if (!reads && !changes) {
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
        if (reads && asked.token().filter(token::isToken).isPresent()) {
            return new Verdict.Enter(token.cookie(port));
        }
        Optional<WebToken.Visitor> visitor = reads ? asked.token().flatMap(token::visitor) : Optional.empty();
        if (visitor.filter(one -> !one.isOver(now)).isPresent()) {
            return new Verdict.Enter(token.visitorCookie(visitor.get(), port));
        }
        String cookie = asked.cookie().orElse("");
        Optional<WebToken.Visitor> known = token.isCookie(cookie, port)
                ? Optional.of(new WebToken.Visitor(admin, Instant.MAX))
                : token.visitorOf(cookie, port);
        if (known.filter(one -> !one.isOver(now)).isPresent()) {
            boolean ours = reads
                    || (asked.origin().isPresent()
                            && asked.form()
                                    .filter(shown -> token.isForm(shown, cookie))
                                    .isPresent());
            return ours
                    ? new Verdict.Pass(
                            known.get().caller(),
                            token.form(cookie),
                            known.get().until())
                    : new Verdict.Refuse(
                            403, "Another page asked for this", "Load the page again, and press the button there.");
        }
        boolean over = visitor.isPresent() || known.isPresent();
        return new Verdict.Refuse(
                401,
                over
                        ? "This link has ended"
                        : asked.token().isPresent() ? "This link is not valid" : "Open the page by its link",
                "The command 'spillway web' prints the link: to everything for root and for the user that the head runs as,"
                        + " to their clusters for everybody else. A link is asked for again when its time is over, and after"
                        + " the head was started anew.");
    }

    private Set<String> authorities() {
        return Set.of(authority(), "localhost:" + port);
    }
}
