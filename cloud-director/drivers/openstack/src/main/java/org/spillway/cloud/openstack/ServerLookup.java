package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.openstack4j.core.transport.HttpMethod;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;

/**
 * Servers by their ids, one call each. Denied is what Nova itself denies: 404 with {@code itemNotFound}, as "Show Server
 * Details" of the Compute API has it. A 404 of another form may be that of a proxy, or of an endpoint that moved.
 */
final class ServerLookup implements Lookup {
    private static final String DENIED = "itemNotFound";
    private final Api api;
    private final Servers servers;

    ServerLookup(Api api, Servers servers) {
        this.api = api;
        this.servers = servers;
    }

    @Override
    public Map<String, Look> look(Collection<String> instanceIds) throws CloudException {
        Map<String, Look> all = new ConcurrentHashMap<>();
        SideBySide.forEach(Set.copyOf(instanceIds), id -> all.put(id, look(id)));
        return all;
    }

    private Look look(String id) throws CloudException {
        if (!id.matches("[A-Za-z0-9-]{1,64}")) {
            return new Look.Unsure("it is no server's id");
        }
        Api.Result result = api.call(OpenStackService.COMPUTE, HttpMethod.GET, "/servers/" + id, Map.of(), null);
        if (result instanceof Api.Result.Refused no && no.status() == 404) {
            return no.fault().equals(DENIED) ? new Look.Denied(DENIED) : new Look.Unsure("answer " + no.message());
        }
        JsonNode server = Api.done(result).path("server");
        try {
            return server.path("id").asText().equals(id)
                    ? new Look.Found(servers.instance(server))
                    : new Look.Unsure("the answer is about another server");
        } catch (IllegalArgumentException bad) {
            return new Look.Unsure("the answer cannot be read: " + bad.getMessage());
        }
    }
}
