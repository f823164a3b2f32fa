package org.spillway.localcloud;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Answers as a provider's documents show them, by name. */
public final class PublishedForms {
    private final Map<String, Form> forms;

    public PublishedForms(Map<String, Form> forms) {
        this.forms = Map.copyOf(forms);
    }

    /** How an answer asks for a pause. */
    public enum Pause {
        NONE,
        SECONDS,
        /** RFC 9110, 10.2.3, allows a date as well. */
        DATE
    }

    /**
     * @param type of its content; empty for an answer without a body
     * @param source the document that shows it
     */
    public record Form(int status, Pause pause, String type, String body, String source) {}

    /** @throws IllegalArgumentException for a name that is not there */
    public FrontReply reply(Fault fault, Instant now) {
        Form form = forms.get(fault.form());
        if (form == null) {
            throw new IllegalArgumentException(
                    "no published answer '" + fault.form() + "'; there are: " + new TreeSet<>(forms.keySet()));
        }
        Map<String, String> headers = new HashMap<>();
        if (!form.type().isEmpty()) {
            headers.put("Content-Type", form.type());
        }
        long seconds = (long) fault.seconds();
        switch (form.pause()) {
            case NONE -> {}
            case SECONDS -> headers.put("Retry-After", Long.toString(seconds));
            case DATE ->
                headers.put(
                        "Retry-After",
                        DateTimeFormatter.RFC_1123_DATE_TIME.format(
                                now.plusSeconds(seconds).atOffset(ZoneOffset.UTC)));
        }
        return new FrontReply(
                form.status(),
                headers,
                form.body().getBytes(StandardCharsets.UTF_8),
                "published " + fault.form(),
                Optional.empty());
    }
}
