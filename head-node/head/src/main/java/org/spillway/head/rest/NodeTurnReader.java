package org.spillway.head.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Set;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.Json;
import org.spillway.api.NodeTurnOrder;

/** Reads what a node is to be. */
final class NodeTurnReader {
    private static final Set<String> ACTIONS = Set.of("repurpose", "join", "leave");
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}";

    private NodeTurnReader() {}

    /** Whether an action has a body. */
    static boolean reads(String action) {
        return ACTIONS.contains(action);
    }

    /** @throws ApiException BAD_REQUEST naming the field */
    static NodeTurnOrder read(String action, byte[] bytes) {
        JsonNode body;
        try {
            body = Json.tree(bytes);
        } catch (IOException malformed) {
            throw new ApiException(Code.BAD_REQUEST, "the body is not JSON", "send one JSON object");
        }
        boolean repurpose = action.equals("repurpose");
        JsonNode drain = body.path("drain");
        if (!drain.isMissingNode() && !drain.isBoolean()) {
            throw new ApiException(Code.BAD_REQUEST, "drain: found '" + drain.asText() + "'", "allowed: true, false");
        }
        return new NodeTurnOrder(
                repurpose ? name(body, "category", "a category's name, or nothing for none", "|" + NAME) : "",
                repurpose ? "" : name(body, "overlay", "an overlay's name", NAME),
                drain.asBoolean(false));
    }

    private static String name(JsonNode body, String field, String allowed, String pattern) {
        JsonNode found = body.path(field);
        if (!found.isTextual() || !found.asText().matches(pattern)) {
            String what = found.isMissingNode() ? "nothing" : "'" + found.asText() + "'";
            throw new ApiException(Code.BAD_REQUEST, field + ": found " + what, "allowed: " + allowed);
        }
        return found.asText();
    }
}
