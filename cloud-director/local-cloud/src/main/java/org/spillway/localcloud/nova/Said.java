package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.spillway.localcloud.FrontReply;

/** Answers in OpenStack's shapes. */
final class Said {
    private Said() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static FrontReply json(int status, JsonNode body, String note) {
        return FrontReply.of(status, "application/json", body.toString(), note);
    }

    static FrontReply nothing(int status, String note) {
        return new FrontReply(status, Map.of(), new byte[0], note, java.util.Optional.empty());
    }

    /** A refusal that is answered as it is. */
    static final class No extends Exception {
        private static final long serialVersionUID = 1;
        private final int status;

        No(int status, String message) {
            super(message);
            this.status = status;
        }

        int status() {
            return status;
        }

        static No missing(String what, String id) {
            return new No(404, what + " " + id + " could not be found.");
        }

        static No bad(String message) {
            return new No(400, message);
        }
    }

    /** Nova's way: {@code {"badRequest": {"code": 400, "message": ...}}}. */
    static FrontReply fault(int status, String message) {
        String name = switch (status) {
            case 400 -> "badRequest";
            case 401 -> "unauthorized";
            case 403 -> "forbidden";
            case 404 -> "itemNotFound";
            case 409 -> "conflictingRequest";
            case 429 -> "overLimit";
            case 503 -> "serviceUnavailable";
            default -> "computeFault";
        };
        ObjectNode body = object();
        body.putObject(name).put("code", status).put("message", message);
        return json(status, body, message);
    }

    /** Neutron's way. */
    static FrontReply networkFault(int status, String message) {
        ObjectNode body = object();
        body.putObject("NeutronError")
                .put("type", "Refused")
                .put("message", message)
                .put("detail", "");
        return json(status, body, message);
    }
}
