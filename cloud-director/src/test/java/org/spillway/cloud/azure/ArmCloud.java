package org.spillway.cloud.azure;

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
import java.util.HashMap;
import java.util.Map;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.localcloud.LocalCloudProcess;

/** A local-cloud that wears the resource manager's API, and sites on it. */
final class ArmCloud implements AutoCloseable {
    static final String SUBSCRIPTION = "7e4a7000-0000-4000-8000-000000000000";
    private static final String TENANT = "7e4a7000-0000-4000-8000-000000000001";
    private static final String CLIENT = "7e4a7000-0000-4000-8000-000000000002";
    static final String GROUP = "/subscriptions/" + SUBSCRIPTION + "/resourceGroups/spillway";
    private final Path directory;
    private final LocalCloudProcess cloud;
    private final HttpClient client;
    private volatile Duration behind = Duration.ZERO;

    ArmCloud(Path directory, String catalogue) throws Exception {
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

    LocalCloudProcess process() {
        return cloud;
    }

    Path folder() {
        return cloud.state().resolve("api").resolve("arm");
    }

    String endpoint() throws Exception {
        return cloud.apiEndpoint();
    }

    /** What every site here needs. */
    Map<String, String> options() throws Exception {
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
        return new AzureDriver(() -> Instant.now().minus(behind))
                .open(new SiteSettings(cluster, siteName, options, directory));
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

    @Override
    public void close() throws Exception {
        cloud.close();
        client.close();
    }
}
