package org.spillway.head.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.Json;
import org.spillway.api.NodeOrder;

/** Reads the body of an order for nodes, with every bound checked. */
final class NodeOrderReader {
    private static final int MOST = 1000;

    private NodeOrderReader() {}

    /** @throws ApiException BAD_REQUEST naming the field */
    static NodeOrder read(byte[] bytes) {
        JsonNode body;
        try {
            body = Json.tree(bytes);
        } catch (IOException malformed) {
            throw new ApiException(Code.BAD_REQUEST, "the body is not JSON", "send one JSON object");
        }
        int count = body.path("count").asInt(1);
        if (count < 1 || count > MOST) {
            throw new ApiException(Code.BAD_REQUEST, "count: found " + count, "allowed: 1 to " + MOST);
        }
        return new NodeOrder(
                word(body, "site", "", "[a-z0-9][a-z0-9-]{0,39}"),
                word(body, "type", "", "\\S{1,100}"),
                word(body, "zone", "", "\\S{0,100}"),
                word(body, "market", "on-demand", "on-demand|spot|reserved"),
                count,
                body.path("keep").asBoolean(false));
    }

    private static String word(JsonNode body, String field, String fallback, String pattern) {
        var text = body.path(field).asText(fallback);
        if (!text.matches(pattern)) {
            throw new ApiException(Code.BAD_REQUEST, field + ": found '" + text + "'", "allowed: " + pattern);
        }
        return text;
    }
}
