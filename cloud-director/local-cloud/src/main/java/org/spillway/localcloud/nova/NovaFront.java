package org.spillway.localcloud.nova;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.localcloud.ApiFront;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.FrontRequest;
import org.spillway.localcloud.StateDirectory;

/**
 * All services under one port: Keystone at {@code /v3}, the others at {@code /compute}, {@code /network}, {@code /image},
 * {@code /volume} and {@code /reservation}, as the catalogue says.
 */
public final class NovaFront implements ApiFront {
    private @Nullable Identity identity;
    private @Nullable Compute compute;
    private @Nullable Network network;
    private @Nullable Storage storage;
    private @Nullable Reservations reservations;

    @Override
    public String api() {
        return "nova";
    }

    @Override
    public void open(CloudBehind cloud, String endpoint) throws IOException {
        Path folder = cloud.stateFor(api());
        Identity keystone = new Identity(cloud, endpoint, folder);
        Storage glance = new Storage(cloud, folder);
        Network neutron = new Network(cloud, folder);
        identity = keystone;
        storage = glance;
        network = neutron;
        Reservations blazar = new Reservations(cloud, folder);
        reservations = blazar;
        compute = new Compute(cloud, keystone, neutron, glance, blazar, folder);
    }

    @Override
    public Set<String> brokenKinds() {
        return NovaBroken.words();
    }

    /** The login is a service of its own. */
    @Override
    public String action(FrontRequest request) {
        return request.path().startsWith("/v3/") ? "" : request.method();
    }

    @Override
    public FrontReply published(FrontRequest request, Fault fault, Instant now) {
        return NovaPublished.FORMS.reply(fault, now);
    }

    @Override
    public FrontReply answer(FrontRequest request) throws IOException {
        String path = request.path();
        boolean neutron = path.startsWith("/network/");
        try {
            return route(request, path);
        } catch (Said.No no) {
            String message = String.valueOf(no.getMessage());
            return neutron ? Said.networkFault(no.status(), message) : Said.fault(no.status(), message);
        }
    }

    private FrontReply route(FrontRequest request, String path) throws IOException, Said.No {
        Identity keystone = Objects.requireNonNull(identity);
        if (path.equals("/v3/auth/tokens") && request.method().equals("POST")) {
            return keystone.login(body(request));
        }
        if (!keystone.knows(request.header("X-Auth-Token"))) {
            throw new Said.No(401, "The request you have made requires authentication.");
        }
        for (Map.Entry<String, Service> each : services().entrySet()) {
            if (path.startsWith(each.getKey() + "/")) {
                String[] words = path.substring(each.getKey().length() + 1).split("/", -1);
                return each.getValue().answer(new Asked(request, words, query(request.query()), body(request)));
            }
        }
        throw Said.No.missing("Path", path);
    }

    private Map<String, Service> services() {
        return Map.of(
                "/compute/v2.1",
                Objects.requireNonNull(compute),
                "/network/v2.0",
                Objects.requireNonNull(network),
                "/reservation/v1",
                Objects.requireNonNull(reservations),
                "/image/v2",
                Objects.requireNonNull(storage),
                "/volume/v3/" + Identity.PROJECT,
                Objects.requireNonNull(storage));
    }

    /** A service of OpenStack's. */
    interface Service {
        FrontReply answer(Asked asked) throws IOException, Said.No;
    }

    /**
     * A request, taken apart.
     *
     * @param words of the path behind the service's own
     */
    record Asked(FrontRequest request, String[] words, Map<String, String> query, JsonNode body) {
        String method() {
            return request.method();
        }

        String word(int index) {
            return index < words.length ? words[index] : "";
        }
    }

    private static JsonNode body(FrontRequest request) throws Said.No {
        try {
            return request.body().length == 0 ? Said.object() : StateDirectory.JSON.readTree(request.body());
        } catch (JsonProcessingException bad) {
            throw Said.No.bad("Malformed request body");
        } catch (IOException bad) {
            throw Said.No.bad("Malformed request body: " + bad.getMessage());
        }
    }

    private static Map<String, String> query(String text) {
        Map<String, String> query = new HashMap<>();
        for (String part : text.split("&", -1)) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                query.put(decoded(part.substring(0, equals)), decoded(part.substring(equals + 1)));
            }
        }
        return query;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
