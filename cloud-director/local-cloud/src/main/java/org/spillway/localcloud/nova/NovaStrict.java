package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** Servers that Nova's own schemas call invalid: {@code nova/api/openstack/compute/schemas/servers.py}. */
final class NovaStrict {
    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_TAG = 60;
    private static final int MOST_TAGS = 50;
    private static final int MOST_USER_DATA = 65_535;
    /** Quota {@code metadata_items}, as it is delivered. */
    private static final int MOST_METADATA = 128;

    private NovaStrict() {}

    static void check(JsonNode server) throws Said.No {
        String name = server.path("name").asText();
        if (name.isBlank() || name.length() > LONGEST_NAME || !name.equals(name.strip())) {
            throw invalid("name", name);
        }
        if (server.path("user_data").asText("").length() > MOST_USER_DATA) {
            throw Said.No.bad("User data too large. User data must be no larger than 65535 bytes.");
        }
        if (server.path("metadata").size() > MOST_METADATA) {
            throw Said.No.bad("Maximum number of metadata items exceeds " + MOST_METADATA);
        }
        for (Map.Entry<String, JsonNode> each : server.path("metadata").properties()) {
            if (!each.getKey().matches("[a-zA-Z0-9-_:. ]{1,255}")
                    || !each.getValue().isTextual()
                    || each.getValue().asText().length() > LONGEST_NAME) {
                throw invalid("metadata", each.getKey());
            }
        }
        if (server.path("tags").size() > MOST_TAGS) {
            throw invalid("tags", Integer.toString(server.path("tags").size()));
        }
        for (JsonNode tag : server.path("tags")) {
            if (!tag.asText().matches("[^,/]{1," + LONGEST_TAG + "}")) {
                throw invalid("tags", tag.asText());
            }
        }
    }

    private static Said.No invalid(String field, String value) {
        return Said.No.bad("Invalid input for field/attribute " + field + ". Value: " + value + ".");
    }
}
