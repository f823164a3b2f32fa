package org.spillway.localcloud.nova;

import java.util.Map;
import org.spillway.localcloud.PublishedForms;
import org.spillway.localcloud.PublishedForms.Form;
import org.spillway.localcloud.PublishedForms.Pause;

/** Errors of OpenStack's services and of the proxies that operators put before them. */
final class NovaPublished {
    private static final String JSON = "application/json";
    private static final String LIMITS = "Compute API guide, Limits: Rate limits (413 overLimit with Retry-After)";
    private static final String PROXY = "oslo.middleware and HAProxy, http-request deny deny_status 429; RFC 6585, 4";
    private static final String OVER_LIMIT =
            "{\"overLimit\": {\"code\": 413, \"message\": \"This request was rate-limited.\", \"details\": \"Only 10 POST"
                    + " request(s) can be made to * every minute.\"}}";

    static final PublishedForms FORMS = new PublishedForms(Map.of(
            "throttled", new Form(413, Pause.SECONDS, JSON, OVER_LIMIT, LIMITS),
            "throttled-date", new Form(429, Pause.DATE, JSON, OVER_LIMIT.replace("413", "429"), LIMITS),
            "throttled-html",
                    new Form(
                            429,
                            Pause.SECONDS,
                            "text/html",
                            "<html><body><h1>429 Too Many Requests</h1></body></html>",
                            PROXY),
            "throttled-empty", new Form(429, Pause.SECONDS, "", "", PROXY),
            "unavailable-html",
                    new Form(
                            503,
                            Pause.SECONDS,
                            "text/html",
                            "<html><body><h1>503 Service Unavailable</h1>No server is available.</body></html>",
                            PROXY)));

    private NovaPublished() {}
}
