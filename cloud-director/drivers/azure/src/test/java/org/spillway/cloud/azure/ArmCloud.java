package org.spillway.cloud.azure;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Planted;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** A local-cloud that wears the resource manager's API, and sites on it. */
public final class ArmCloud implements AutoCloseable {
    public static final String SUBSCRIPTION = "7e4a7000-0000-4000-8000-000000000000";
    public static final String TENANT = "7e4a7000-0000-4000-8000-000000000001";
    public static final String CLIENT = "7e4a7000-0000-4000-8000-000000000002";
    static final String GROUP = "/subscriptions/" + SUBSCRIPTION + "/resourceGroups/spillway";

    /** Kinds of our bill by the vendor's type; a resource of each is planted. */
    private static final Map<String, String> KINDS = Map.of(
            "Microsoft.Compute/disks", "disk",
            "Microsoft.Compute/snapshots", "snapshot",
            "Microsoft.Compute/images", "image",
            "Microsoft.Compute/sshPublicKeys", "key",
            "Microsoft.Network/networkInterfaces", "interface",
            "Microsoft.Network/networkSecurityGroups", "group",
            "Microsoft.Compute/proximityPlacementGroups", "placement-group",
            "Microsoft.Storage/storageAccounts", "bucket",
            "Microsoft.Network/virtualNetworks", "network");

    private final Path directory;
    private final LocalCloudProcess cloud;
    private final HttpClient client;
    private volatile Duration behind = Duration.ZERO;

    public ArmCloud(Path directory, String catalogue) throws Exception {
        this.directory = directory;
        this.cloud = LocalCloudProcess.start(directory, catalogue, "arm");
        this.client = HttpClient.newBuilder()
                .sslContext(Trust.context(folder().resolve("ca.pem")))
                .build();
    }

    /** Our clock is behind the provider's: the server that answers here writes its own date and cannot be ahead. */
    void skew(Duration ahead) {
        behind = ahead;
    }

    public LocalCloudProcess process() {
        return cloud;
    }

    Path folder() {
        return cloud.state().resolve("api").resolve("arm");
    }

    String endpoint() throws Exception {
        return cloud.apiEndpoint();
    }

    /** Options that every site here needs. */
    public Map<String, String> options() throws Exception {
        Map<String, String> options = new HashMap<>();
        options.put("subscription", SUBSCRIPTION);
        options.put("resourceGroup", "spillway");
        options.put("location", "local");
        options.put("tenant", TENANT);
        options.put("clientId", CLIENT);
        options.put("clientSecretFile", folder().resolve("client-secret").toString());
        options.put("caFile", folder().resolve("ca.pem").toString());
        options.put("endpoint", endpoint());
        options.put("authority", endpoint());
        options.put("pricesEndpoint", endpoint() + "/api/retail/prices");
        options.put("consistencySeconds", "5");
        return options;
    }

    Site open(String cluster, String siteName, Map<String, String> options) {
        return open(cluster, cluster, siteName, options);
    }

    /** @param guest whose machines stand in that cluster's network */
    Site open(String cluster, String guest, String siteName, Map<String, String> options) {
        return new AzureDriver(() -> Instant.now().minus(behind))
                .open(SiteSettings.of(cluster, siteName, options, directory).withCluster(guest));
    }

    /** Of a network that another cluster's site has made. @return a subnet's id */
    public String subnet() throws Exception {
        try (Site base = open("elsewhere", "base", options())) {
            return base.network().orElseThrow().create().getLast().id() + "/subnets/nodes";
        }
    }

    private String token() throws Exception {
        String secret = Files.readString(folder().resolve("client-secret"));
        String form = "grant_type=client_credentials&client_id=" + CLIENT + "&client_secret="
                + URLEncoder.encode(secret, StandardCharsets.UTF_8);
        HttpResponse<String> answer = client.send(
                HttpRequest.newBuilder(URI.create(endpoint() + "/" + TENANT + "/oauth2/v2.0/token"))
                        .POST(HttpRequest.BodyPublishers.ofString(form))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        return answer.body().replaceAll("(?s).*\"access_token\"\\s*:\\s*\"([^\"]+)\".*", "$1");
    }

    /** By hand, as another program of the account would. */
    HttpResponse<String> call(String method, String path, String body) throws Exception {
        HttpResponse<String> answer = client.send(
                HttpRequest.newBuilder(URI.create(endpoint() + path + "?api-version=2025-04-01"))
                        .header("Authorization", "Bearer " + token())
                        .header("Content-Type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        return answer;
    }

    String put(String type, String name, String tags, String properties) throws Exception {
        String id = GROUP + "/providers/" + type + "/" + name;
        HttpResponse<String> answer =
                call("PUT", id, "{\"location\":\"local\",\"tags\":" + tags + ",\"properties\":{" + properties + "}}");
        if (answer.statusCode() != 200 && answer.statusCode() != 201) {
            throw new IOException(answer.statusCode() + " " + answer.body());
        }
        return id;
    }

    /** A group with one reservation. @return the group's id */
    public String reserved(String group, String size, String zone, int count) throws Exception {
        put("Microsoft.Compute/capacityReservationGroups", group, "{}", "");
        return reserve(group, "the-one", size, zone, count);
    }

    /** Machines that are in a reservation that {@link #reserved} has made. */
    public int inUse(String groupId) throws Exception {
        return call("GET", groupId + "/capacityReservations/the-one", "").body().split("/virtualMachines/", -1).length
                - 1;
    }

    /** A reservation in a group that is there. @return the group's id */
    String reserve(String group, String name, String size, String zone, int count) throws Exception {
        String id = GROUP + "/providers/Microsoft.Compute/capacityReservationGroups/" + group;
        HttpResponse<String> answer = call(
                "PUT",
                id + "/capacityReservations/" + name,
                "{\"location\":\"local\",\"sku\":{\"name\":\"" + size + "\",\"capacity\":" + count + "},\"zones\":["
                        + (zone.isEmpty() ? "" : "\"" + zone + "\"") + "]}");
        if (answer.statusCode() != 200 && answer.statusCode() != 201) {
            throw new IOException(answer.statusCode() + " " + answer.body());
        }
        return id;
    }

    /** Plants a resource of each kind, marked as that site's. The machine's catalogue must sell {@code paper}. */
    public List<Planted> oneOfEachKind(String cluster, String site) throws Exception {
        String tags = "{\"spillway-cluster\":\"" + cluster + "\",\"spillway-site\":\"" + site + "\"}";
        List<Planted> planted = new ArrayList<>();
        for (Map.Entry<String, String> kind : KINDS.entrySet()) {
            String id = put(kind.getKey(), "left-by-" + cluster, tags, "");
            planted.add(new Planted(kind.getValue(), id));
        }
        // The gateway holds the address, which goes after it.
        String address = put("Microsoft.Network/publicIPAddresses", "left-by-" + cluster, tags, "");
        String gateway = put(
                "Microsoft.Network/natGateways",
                "left-by-" + cluster,
                tags,
                "\"publicIpAddresses\":[{\"id\":\"" + address + "\"}]");
        planted.add(new Planted("address", address));
        planted.add(new Planted("gateway", gateway));
        planted.add(new Planted("instance", machine("left-by-" + cluster, tags)));
        return planted;
    }

    String machine(String name, String tags) throws Exception {
        put(
                "Microsoft.Compute/virtualMachines",
                name,
                tags,
                "\"hardwareProfile\":{\"vmSize\":\"paper\"},\"osProfile\":{\"computerName\":\"" + name + "\"}");
        return name;
    }

    /** As the driver would call a machine. */
    String nameOf(String cluster, String site, String intent) {
        LaunchRequest request = LaunchRequest.of(intent, 1, new OfferingId(site, "a", "paper", Market.ON_DEMAND), 1);
        return Names.of(SiteSettings.of(cluster, site, Map.of(), directory)).machine(request, 0);
    }

    @Override
    public void close() throws Exception {
        cloud.close();
        client.close();
    }
}
