package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.cloud.Planted;
import org.spillway.localcloud.LocalCloudProcess;

/** A person's work with an OpenStack, without our driver: for leaving things behind. */
public final class OpenStackCalls implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<String, String> endpoints = new HashMap<>();
    private final String token;

    /** @param keystone ending in {@code /v3} */
    OpenStackCalls(String keystone, String user, String password, String project) throws Exception {
        String login = """
                {"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": "%s", "password": "%s",
                "domain": {"name": "Default"}}}}, "scope": {"project": {"name": "%s", "domain": {"name": "Default"}}}}}
                """.formatted(user, password, project);
        HttpResponse<String> answer = client.send(
                HttpRequest.newBuilder(URI.create(keystone + "/auth/tokens"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(login))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 201) {
            throw new IOException(answer.body());
        }
        token = answer.headers().firstValue("X-Subject-Token").orElseThrow();
        for (JsonNode service : JSON.readTree(answer.body()).at("/token/catalog")) {
            for (JsonNode endpoint : service.path("endpoints")) {
                if (endpoint.path("interface").asText().equals("public")) {
                    endpoints.put(
                            service.path("type").asText(),
                            endpoint.path("url").asText().replaceAll("/$", ""));
                }
            }
        }
    }

    boolean has(String service) {
        return endpoints.containsKey(service);
    }

    JsonNode call(String method, String service, String path, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(endpoints.get(service) + path))
                .header("X-Auth-Token", token);
        if (service.equals("compute")) {
            // Cinder refuses a version of another service's.
            request.header("OpenStack-API-Version", "compute 2.61");
        }
        if (body.isEmpty()) {
            // Cinder calls JSON of no bytes malformed.
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            request.header("Content-Type", "application/json")
                    .method(method, HttpRequest.BodyPublishers.ofString(body));
        }
        HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IOException(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
        }
        return answer.body().isEmpty() ? JSON.createObjectNode() : JSON.readTree(answer.body());
    }

    /**
     * Plants a thing of each kind that the services of a local cloud have, marked as that site's. It must sell {@code
     * paper}.
     */
    public static List<Planted> oneOfEachKind(LocalCloudProcess cloud, String cluster, String site) throws Exception {
        try (OpenStackCalls calls = to(cloud)) {
            return calls.plant(cluster, site, calls.server("paper"));
        }
    }

    /** The fields of a server of that flavor, as JSON with single quotes. */
    String server(String flavor) throws Exception {
        return "'name': 'left', 'flavorRef': '"
                + find("compute", "/flavors", "flavors", flavor).orElseThrow() + "', 'imageRef': '"
                + find("image", "/v2/images", "images", "stock").orElseThrow() + "', 'networks': [{'uuid': '"
                + find("network", "/v2.0/networks", "networks", "lan").orElseThrow() + "'}]";
    }

    /** A server that bears the cluster's mark and no site's. @return its id */
    String plantWithoutSite(String cluster, String flavor) throws Exception {
        String fields = server(flavor) + ", 'metadata': {'spillway-cluster': '" + cluster + "'}";
        return call("POST", "compute", "/servers", quoted("{'server': {" + fields + "}}"))
                .path("server")
                .path("id")
                .asText();
    }

    /** A lease with one reservation of those fields, as JSON with single quotes. @return the reservation's id */
    String reserve(String fields) throws Exception {
        String lease = "{'name': 'l', 'start_date': '2026-01-01 00:00', 'end_date': '2036-01-01 00:00', 'events': [],"
                + " 'reservations': [{" + fields + "}]}";
        return call("POST", "reservation", "/leases", quoted(lease))
                .at("/lease/reservations/0/id")
                .asText();
    }

    /** Options of a site in a local cloud, in its only network. */
    static Map<String, String> options(LocalCloudProcess cloud) throws IOException {
        return new HashMap<>(Map.of(
                "endpoint", cloud.apiEndpoint() + "/v3",
                "image", "stock",
                "network", "lan",
                "user", "spillway",
                "project", "demo",
                "consistencySeconds", "1",
                "passwordFile", "cloud/api/nova/password"));
    }

    /** Logged in to a local cloud. */
    static OpenStackCalls to(LocalCloudProcess cloud) throws Exception {
        String password =
                Files.readString(cloud.state().resolve("api/nova/password")).strip();
        return new OpenStackCalls(cloud.apiEndpoint() + "/v3", "spillway", password, "demo");
    }

    /** Plants a thing of each kind that the cloud's services have, marked as that site's. */
    List<Planted> plant(String cluster, String site, String server) throws Exception {
        Plot plot = new Plot(cluster, site);
        String ours = plot.ours;
        String network = plot.make(
                "network", "network", "/v2.0/networks", "network", "'name': 'n', 'description': '" + ours + "'");
        String subnet = plot.make(
                "subnet",
                "network",
                "/v2.0/subnets",
                "subnet",
                "'network_id': '" + network + "', 'ip_version': 4, 'cidr': '10.9.0.0/24', 'description': '" + ours
                        + "'");
        plot.make(
                "interface",
                "network",
                "/v2.0/ports",
                "port",
                "'network_id': '" + network + "', 'description': '" + ours + "'");
        String router =
                plot.make("router", "network", "/v2.0/routers", "router", "'name': 'r', 'description': '" + ours + "'");
        call(
                "PUT",
                "network",
                "/v2.0/routers/" + router + "/add_router_interface",
                quoted("{'subnet_id': '" + subnet + "'}"));
        plot.make(
                "group",
                "network",
                "/v2.0/security-groups",
                "security_group",
                "'name': 'g', 'description': '" + ours + "'");
        plot.make(
                "address",
                "network",
                "/v2.0/floatingips",
                "floatingip",
                "'floating_network_id': '" + external() + "', 'description': '" + ours + "'");
        String named = "spillway-" + cluster + "-" + site;
        call(
                "POST",
                "compute",
                "/os-keypairs",
                quoted("{'keypair': {'name': '" + named + "', 'public_key': '" + KEY + "'}}"));
        plot.planted.add(new Planted("key", named));
        plot.make(
                "server-group",
                "compute",
                "/os-server-groups",
                "server_group",
                "'name': '" + named + "-gang', 'policies': ['soft-affinity']");
        String tags = "'spillway-cluster': '" + cluster + "', 'spillway-site': '" + site + "'";
        plot.make("instance", "compute", "/servers", "server", server + ", 'metadata': {" + tags + "}");
        JsonNode image = call(
                "POST",
                "image",
                "/v2/images",
                quoted("{'name': 'i', 'disk_format': 'raw', 'container_format': 'bare', " + tags + "}"));
        plot.planted.add(new Planted("image", image.path("id").asText()));
        if (has("volumev3")) {
            String disk = plot.make(
                    "disk", "volumev3", "/volumes", "volume", "'size': 1, 'name': 'v', 'metadata': {" + tags + "}");
            LocalCloudProcess.await(
                    () -> call("GET", "volumev3", "/volumes/" + disk, "")
                            .at("/volume/status")
                            .asText(),
                    "available"::equals);
            plot.make(
                    "snapshot",
                    "volumev3",
                    "/snapshots",
                    "snapshot",
                    "'name': 's', 'volume_id': '" + disk + "', 'metadata': {" + tags + "}");
        }
        return plot.planted;
    }

    static final String KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE/mSj16aU6TiP6mdurIMAXmifAz/T+SFYvn/WZW0AXg";

    String external() throws Exception {
        return find("network", "/v2.0/networks?router:external=true", "networks", "")
                .orElseThrow();
    }

    /** The id of the first of that name; of any for an empty one. */
    Optional<String> find(String service, String path, String list, String name) throws Exception {
        String marker = "";
        while (true) {
            JsonNode page = call("GET", service, path + marker, "").path(list);
            for (JsonNode each : page) {
                if (name.isEmpty() || each.path("name").asText().equals(name)) {
                    return Optional.of(each.path("id").asText());
                }
            }
            if (page.isEmpty()) {
                return Optional.empty();
            }
            String next = (path.contains("?") ? "&" : "?") + "marker="
                    + page.get(page.size() - 1).path("id").asText();
            if (next.equals(marker)) {
                return Optional.empty();
            }
            marker = next;
        }
    }

    static String quoted(String text) {
        return text.replace('\'', '"');
    }

    private final class Plot {
        private final List<Planted> planted = new ArrayList<>();
        private final String ours;

        Plot(String cluster, String site) {
            this.ours = "spillway-cluster=" + cluster + " spillway-site=" + site;
        }

        String make(String kind, String service, String path, String key, String fields) throws Exception {
            JsonNode made = call("POST", service, path, quoted("{'" + key + "': {" + fields + "}}"));
            String id = made.path(key).path("id").asText();
            planted.add(new Planted(kind, id));
            return id;
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
