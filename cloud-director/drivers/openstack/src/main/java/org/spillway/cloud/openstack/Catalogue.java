package org.spillway.cloud.openstack;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.openstack4j.model.identity.v3.Endpoint;
import org.openstack4j.model.identity.v3.Service;
import org.openstack4j.model.identity.v3.Token;

/**
 * Where the services of the chosen region are.
 *
 * @param endpoints by service
 * @param regions that the catalogue knows
 * @param problem why no region is chosen; empty if one is
 */
record Catalogue(Map<OpenStackService, String> endpoints, Set<String> regions, String problem) {
    Catalogue {
        endpoints = Map.copyOf(endpoints);
        regions = Set.copyOf(regions);
    }

    static Catalogue of(Token token, OpenStackSettings settings) {
        Set<String> regions = new TreeSet<>();
        for (Service service : token.getCatalog()) {
            for (Endpoint endpoint : service.getEndpoints()) {
                if (OpenStackService.of(service.getType()).isPresent()) {
                    regions.add(region(endpoint));
                }
            }
        }
        String wanted = settings.region();
        if (wanted.isEmpty() && regions.size() > 1) {
            return new Catalogue(Map.of(), regions, "several regions, set one: " + String.join(", ", regions));
        }
        if (!wanted.isEmpty() && !regions.contains(wanted)) {
            return new Catalogue(
                    Map.of(), regions, "no region '" + wanted + "'; there is " + String.join(", ", regions));
        }
        Map<OpenStackService, String> endpoints = new LinkedHashMap<>();
        for (Service service : token.getCatalog()) {
            Optional<OpenStackService> ours = OpenStackService.of(service.getType());
            for (Endpoint endpoint : service.getEndpoints()) {
                boolean faces = endpoint.getIface() != null
                        && endpoint.getIface().name().toLowerCase(Locale.ROOT).equals(settings.facing());
                if (ours.isPresent() && faces && (wanted.isEmpty() || wanted.equals(region(endpoint)))) {
                    endpoints.putIfAbsent(
                            ours.get(), ours.get().base(endpoint.getUrl().toString()));
                }
            }
        }
        for (Map.Entry<OpenStackService, String> each : endpoints.entrySet()) {
            if (!OpenStackSettings.isSafe(URI.create(each.getValue()))) {
                return new Catalogue(
                        Map.of(),
                        regions,
                        "the catalogue names " + each.getKey()
                                + " at a http:// address: tokens do not cross a network in" + " the clear");
            }
        }
        return new Catalogue(endpoints, regions, "");
    }

    private static String region(Endpoint endpoint) {
        String id = endpoint.getRegionId();
        return id == null ? String.valueOf(endpoint.getRegion()) : id;
    }
}
