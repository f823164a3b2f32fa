package org.spillway.localcloud.ec2;

import java.util.Map;
import org.spillway.localcloud.PublishedForms;
import org.spillway.localcloud.PublishedForms.Form;
import org.spillway.localcloud.PublishedForms.Pause;

/** Errors of EC2 as its documents show them, and those of what stands before it. */
final class Ec2Published {
    private static final String XML = "text/xml;charset=UTF-8";
    private static final String THROTTLING = "EC2 developer guide, Request throttling for the Amazon EC2 API";
    private static final String ERRORS = "EC2 developer guide, Error codes for the Amazon EC2 API";
    private static final String BEFORE = "RFC 9110, 10.2.3 and 15.6.4; RFC 6585, 4";

    static final PublishedForms FORMS = new PublishedForms(Map.of(
            "throttled",
                    new Form(
                            503, Pause.NONE, XML, error("RequestLimitExceeded", "Request limit exceeded."), THROTTLING),
            "throttled-seconds",
                    new Form(
                            503,
                            Pause.SECONDS,
                            XML,
                            error("RequestLimitExceeded", "Request limit exceeded."),
                            THROTTLING),
            "throttled-date", new Form(429, Pause.DATE, XML, error("ThrottlingException", "Rate exceeded"), BEFORE),
            "throttled-html",
                    new Form(
                            429,
                            Pause.SECONDS,
                            "text/html",
                            "<html><title>429 Too Many Requests</title></html>",
                            BEFORE),
            "throttled-empty", new Form(429, Pause.SECONDS, "", "", BEFORE),
            "unavailable-html",
                    new Form(
                            503,
                            Pause.SECONDS,
                            "text/html",
                            "<html><title>503 Service Unavailable</title></html>",
                            BEFORE),
            "denied",
                    new Form(
                            403,
                            Pause.NONE,
                            XML,
                            error("UnauthorizedOperation", "You are not authorized to perform this operation."),
                            ERRORS),
            "nothing-500", new Form(500, Pause.NONE, "", "", BEFORE)));

    private Ec2Published() {}

    private static String error(String code, String message) {
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error><Code>" + code + "</Code><Message>"
                + message
                + "</Message></Error></Errors><RequestID>0a0a0a0a-0000-4000-8000-000000000000</RequestID></Response>";
    }
}
