package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openstack4j.model.image.v2.Image;
import org.openstack4j.model.network.NetFloatingIP;
import org.openstack4j.model.storage.block.Volume;
import org.openstack4j.model.storage.block.VolumeSnapshot;
import org.spillway.cloud.Instance;

/**
 * Whose a thing is that is no server. Neutron's take a description in the call that makes them, so that nothing is ever
 * without; tags of Neutron's and Glance's, and Cinder's metadata, are read as well.
 */
final class Things {
    private static final List<String> NAMES = List.of(
            Instance.TAG_CLUSTER, Instance.TAG_SITE, Instance.TAG_ROLE, Instance.TAG_INTENT, Instance.TAG_ATTEMPT);

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

    /** Of what OpenStack4j (3.12) has no description or no tags for: networks, subnets, routers, ports, security groups. */
    static Map<String, String> tags(JsonNode thing) {
        List<String> tags =
                thing.path("tags").valueStream().map(JsonNode::asText).toList();
        return tags(thing.path("description").asText(""), tags, Map.of());
    }

    static Map<String, String> tags(NetFloatingIP address) {
        return tags(address.getDescription(), address.getTags(), null);
    }

    static Map<String, String> tags(Volume volume) {
        return tags(volume.getDescription(), null, volume.getMetaData());
    }

    static Map<String, String> tags(VolumeSnapshot snapshot) {
        return tags(snapshot.getDescription(), null, snapshot.getMetaData());
    }

    /** Of Glance's properties, OpenStack4j (3.12) hands out what it is asked for by name. */
    static Map<String, String> tags(Image image) {
        Map<String, String> properties = new HashMap<>();
        for (String name : NAMES) {
            String value = image.getAdditionalPropertyValue(name);
            if (value != null) {
                properties.put(name, value);
            }
        }
        return tags(image.getAdditionalPropertyValue("description"), image.getTags(), properties);
    }

    private static Map<String, String> tags(
            @Nullable String description, @Nullable List<String> words, @Nullable Map<String, String> properties) {
        Map<String, String> tags = new HashMap<>();
        for (String word : (description == null ? "" : description).split("\\s+", -1)) {
            read(word, tags);
        }
        for (String word : words == null ? List.<String>of() : words) {
            read(word, tags);
        }
        tags.putAll(properties == null ? Map.of() : properties);
        return tags;
    }

    private static void read(String word, Map<String, String> tags) {
        int equals = word.indexOf('=');
        if (equals > 0 && word.startsWith("spillway-")) {
            tags.put(word.substring(0, equals), word.substring(equals + 1));
        }
    }
}
