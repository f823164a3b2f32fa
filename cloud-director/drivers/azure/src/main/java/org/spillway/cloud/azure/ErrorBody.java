package org.spillway.cloud.azure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Code and sentence of an error, from each form in which one comes: in an envelope {@code {"error": {...}}} ("Azure REST
 * API guidelines"), bare with its cause in {@code details} (the compute provider's 429 in "Troubleshooting API throttling
 * errors"), as XML (storage's {@code <Error><Code>}), as a page of a gateway, or as nothing at all.
 *
 * @param code empty for none
 * @param message one bounded line; empty for none
 */
record ErrorBody(String code, String message) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MOST_READ = 64 * 1024;
    private static final int DEEPEST = 4;
    private static final ErrorBody NONE = new ErrorBody("", "");
    private static final Pattern XML_CODE = Pattern.compile("<Code>([A-Za-z0-9._-]{1,100})</Code>");
    private static final Pattern XML_MESSAGE = Pattern.compile("<Message>([^<]{1,4000})</Message>");
    private static final Pattern TITLE = Pattern.compile("<title>([^<]{1,300})</title>", Pattern.CASE_INSENSITIVE);

    static ErrorBody of(byte[] body) {
        int length = Math.min(body.length, MOST_READ);
        String text = new String(body, 0, length, StandardCharsets.UTF_8).strip();
        if (text.startsWith("\uFEFF")) {
            text = text.substring(1).strip();
        }
        if (text.startsWith("<")) {
            return markup(text);
        }
        try {
            JsonNode tree = JSON.readTree(text);
            return tree == null ? NONE : of(tree);
        } catch (IOException noJson) {
            return new ErrorBody("", Arm.line(text));
        }
    }

    /** Of an answer, or of an operation that failed. */
    static ErrorBody of(JsonNode tree) {
        JsonNode error = tree.path("error").isObject() ? tree.path("error") : tree;
        ErrorBody outer = new ErrorBody(text(error, "code"), Arm.line(text(error, "message")));
        return ArmErrors.reason(outer.code(), outer.message()).isPresent() ? outer : inner(error, outer, 0);
    }

    /** A code that says nothing may have its cause in {@code details}. */
    private static ErrorBody inner(JsonNode error, ErrorBody outer, int depth) {
        for (JsonNode detail : error.path("details")) {
            String code = text(detail, "code");
            String message = Arm.line(text(detail, "message"));
            if (ArmErrors.reason(code, message).isPresent()) {
                return new ErrorBody(code, message);
            }
            ErrorBody deeper = depth < DEEPEST ? inner(detail, outer, depth + 1) : outer;
            if (!deeper.equals(outer)) {
                return deeper;
            }
        }
        return outer;
    }

    private static ErrorBody markup(String text) {
        Matcher code = XML_CODE.matcher(text);
        if (code.find()) {
            Matcher message = XML_MESSAGE.matcher(text);
            return new ErrorBody(code.group(1), message.find() ? Arm.line(message.group(1)) : "");
        }
        Matcher title = TITLE.matcher(text);
        return title.find() ? new ErrorBody("", Arm.line(title.group(1))) : NONE;
    }

    private static String text(JsonNode at, String key) {
        JsonNode found = at.path(key);
        return found.isTextual() ? found.asText() : "";
    }
}
