package org.spillway.cloud.openstack;

import java.util.Optional;
import java.util.Set;

/** The services that are asked, with the names that catalogues give them. */
enum OpenStackService {
    COMPUTE("", Set.of("compute")),
    NETWORK("/v2.0", Set.of("network")),
    IMAGE("/v2", Set.of("image")),
    VOLUME("", Set.of("block-storage", "volumev3")),
    RESERVATION("/v1", Set.of("reservation"));

    private final String version;
    private final Set<String> types;

    OpenStackService(String version, Set<String> types) {
        this.version = version;
        this.types = types;
    }

    static Optional<OpenStackService> of(String type) {
        for (OpenStackService each : values()) {
            if (each.types.contains(type)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Some catalogues name the version, some do not. */
    String base(String url) {
        String text = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
        return version.isEmpty() || text.endsWith(version) ? text : text + version;
    }
}
