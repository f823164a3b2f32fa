package org.spillway.head.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.ErrandOrder;
import org.spillway.api.ErrandOrder.ThingName;
import org.spillway.api.Json;

/** Reads the body of an order for an errand, with every bound checked. */
final class ErrandOrderReader {
    private static final int MOST_THINGS = 1000;
    private static final int MOST_CHARS = 1000;

    private ErrandOrderReader() {}

    /** @throws ApiException BAD_REQUEST naming the field */
    static ErrandOrder read(byte[] bytes) {
        JsonNode body;
        try {
            body = Json.tree(bytes);
        } catch (IOException malformed) {
            throw new ApiException(Code.BAD_REQUEST, "the body is not JSON", "send one JSON object");
        }
        var kind = body.path("kind").asText();
        if (!ErrandOrder.KINDS.contains(kind)) {
            throw bad("kind: found '" + kind + "'", String.join(", ", ErrandOrder.KINDS));
        }
        var site = body.path("site").asText();
        if (!site.matches("[a-z0-9][a-z0-9-]{0,39}")) {
            throw bad("site: found '" + site + "'", "a site's name");
        }
        var things = things(body.path("things"));
        if (kind.equals("delete") == things.isEmpty()) {
            throw bad("things: found " + things.size(), "1 to " + MOST_THINGS + " for delete, none for the others");
        }
        return new ErrandOrder(kind, site, things);
    }

    private static List<ThingName> things(JsonNode list) {
        if (!list.isMissingNode() && !list.isNull() && !list.isArray()) {
            throw bad("things: not a list", "a list of kind and id");
        }
        if (list.size() > MOST_THINGS) {
            throw bad("things: found " + list.size(), "at most " + MOST_THINGS);
        }
        var things = new ArrayList<ThingName>();
        for (var item : list) {
            var thing =
                    new ThingName(item.path("kind").asText(), item.path("id").asText());
            if (thing.kind().isEmpty() || thing.id().isEmpty() || thing.id().length() > MOST_CHARS) {
                throw bad("things: found one without kind or id", "a list of kind and id, as an audit names them");
            }
            things.add(thing);
        }
        return things;
    }

    private static ApiException bad(String found, String allowed) {
        return new ApiException(Code.BAD_REQUEST, found, "allowed: " + allowed);
    }
}
