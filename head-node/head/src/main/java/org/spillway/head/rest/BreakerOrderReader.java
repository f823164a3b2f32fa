package org.spillway.head.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.Json;

/** Which breaker to close: names have slashes, and so stand in the body. */
final class BreakerOrderReader {
    private static final int MOST_CHARACTERS = 200;

    private BreakerOrderReader() {}

    static String name(byte[] body) {
        JsonNode name;
        try {
            name = Json.tree(body).path("name");
        } catch (IOException noJson) {
            throw new ApiException(Code.BAD_REQUEST, "the body is not JSON", "send {\"name\": \"pool:SITE\"}");
        }
        if (!name.isTextual() || name.asText().isEmpty() || name.asText().length() > MOST_CHARACTERS) {
            throw new ApiException(
                    Code.BAD_REQUEST, "name: missing or too long", "send the name that 'spillway breaker list' prints");
        }
        return name.asText();
    }
}
