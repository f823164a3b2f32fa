package org.spillway.cloud.openstack;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Locale;
import org.spillway.policy.LaunchOutcome.Reason;

/** Meanings of a status and its words. The table stands in {@code docs/drivers/openstack.md}. */
final class Refusals {
    private static final int MAX_MESSAGE = 300;
    private static final ObjectMapper JSON = new ObjectMapper();

    private Refusals() {}

    /** Of a status from 400 to 499, by which a service says that it did nothing. */
    static Reason of(int status, String message) {
        String words = message.toLowerCase(Locale.ROOT);
        boolean quota = words.contains("quota") || words.contains("exceed") || words.contains("maximum number");
        return switch (status) {
            case 401 -> Reason.CREDENTIALS;
            case 403 -> quota ? Reason.QUOTA : Reason.CREDENTIALS;
            // Neutron's OverQuota is a 409; old services answered 413 for a quota as well as for a rate.
            case 409 -> quota ? Reason.QUOTA : Reason.INVALID;
            case 413 -> words.contains("quota") ? Reason.QUOTA : Reason.THROTTLED;
            case 429 -> Reason.THROTTLED;
            default -> Reason.INVALID;
        };
    }

    /**
     * Of a server that was accepted and then ended in ERROR before it ever ran.
     *
     * @param code of the fault; 0 if it bears none
     */
    static Reason ofFault(int code, String message) {
        String words = message.toLowerCase(Locale.ROOT);
        if (words.contains("no valid host")
                || words.contains("exhausted all")
                || words.contains("maximum number of retries")) {
            return Reason.CAPACITY;
        }
        if (words.contains("quota") || words.contains("maximum number of")) {
            return Reason.QUOTA;
        }
        return code >= 400 && code < 500 ? Reason.INVALID : Reason.CAPACITY;
    }

    /** The words of an error, from whichever place this service puts them; one line, bounded. */
    static String message(int status, String body) {
        String found = "";
        try {
            JsonNode root = JSON.readTree(body);
            found = words(root);
        } catch (JsonProcessingException noJson) {
            found = body.startsWith("<") ? "" : body;
        }
        String line = line(found);
        return status + (line.isEmpty() ? "" : ": " + line);
    }

    /** Nova's name for a fault, the one key of its body, such as {@code itemNotFound}; empty if it is not of that form. */
    static String fault(String body) {
        try {
            JsonNode root = JSON.readTree(body);
            return root != null && root.isObject() && root.size() == 1
                    ? root.fieldNames().next()
                    : "";
        } catch (JsonProcessingException noJson) {
            return "";
        }
    }

    private static String words(JsonNode root) {
        if (root == null) {
            return "";
        }
        if (root.path("message").isTextual()) {
            return root.path("message").asText();
        }
        for (JsonNode inner : root) {
            if (inner.isTextual()) {
                return inner.asText();
            }
            if (inner.path("message").isTextual()) {
                return inner.path("message").asText();
            }
        }
        return "";
    }

    static String line(String text) {
        String clean = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
        return clean.length() > MAX_MESSAGE ? clean.substring(0, MAX_MESSAGE) + "..." : clean;
    }
}
