package org.spillway.cloud.openstack;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;
import org.spillway.cloud.ErrorTable;
import org.spillway.policy.LaunchOutcome.Reason;

/** Meanings of a status and its words, by the table in {@code error-codes.txt}, which names its sources. */
final class Refusals {
    private static final int MAX_MESSAGE = 300;
    private static final ErrorTable TABLE = ErrorTable.beside(Refusals.class, "error-codes.txt");
    private static final ObjectMapper JSON = new ObjectMapper();

    private Refusals() {}

    /** Of a status from 400 to 499, by which a service says that it did nothing. */
    static Reason of(int status, String message) {
        return reason(Integer.toString(status), message).orElse(Reason.INVALID);
    }

    private static Optional<Reason> reason(String code, String message) {
        return TABLE.meaning(code, message).flatMap(ErrorTable.Meaning::reason);
    }

    /**
     * Of a server that was accepted and then ended in ERROR before it ever ran.
     *
     * @param code of the fault; 0 if it bears none
     */
    static Reason ofFault(int code, String message) {
        return reason("ERROR-" + code, message).orElse(Reason.CAPACITY);
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
