package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import org.spillway.cloud.Instance;

/**
 * Whose a thing is that is no server. Neutron's take a description in the call that makes them, so that nothing is ever
 * without; tags of Neutron's and Glance's, and Cinder's metadata, are read as well.
 */
final class Things {
    private Things() {}

    /** For the description of what is made: {@code spillway-cluster=C spillway-site=S spillway-role=NETWORK}. */
    static String description(Account account) {
        return description(account, "NETWORK", "");
    }

    /** @param intent that it was made under; empty for none */
    static String description(Account account, String role, String intent) {
        return Instance.TAG_CLUSTER + "=" + account.site().cluster() + " " + Instance.TAG_SITE + "="
                + account.site().site() + " " + Instance.TAG_ROLE + "=" + role
                + (intent.isEmpty() ? "" : " " + Instance.TAG_INTENT + "=" + intent);
    }

    static Map<String, String> tags(JsonNode thing) {
        Map<String, String> tags = new HashMap<>();
        for (String word : thing.path("description").asText("").split("\\s+", -1)) {
            read(word, tags);
        }
        for (JsonNode tag : thing.path("tags")) {
            read(tag.asText(), tags);
        }
        thing.path("metadata")
                .properties()
                .forEach(each -> tags.put(each.getKey(), each.getValue().asText()));
        for (Map.Entry<String, JsonNode> property : thing.properties()) {
            if (property.getKey().startsWith("spillway-")) {
                tags.put(property.getKey(), property.getValue().asText());
            }
        }
        return tags;
    }

    private static void read(String word, Map<String, String> tags) {
        int equals = word.indexOf('=');
        if (equals > 0 && word.startsWith("spillway-")) {
            tags.put(word.substring(0, equals), word.substring(equals + 1));
        }
    }
}
