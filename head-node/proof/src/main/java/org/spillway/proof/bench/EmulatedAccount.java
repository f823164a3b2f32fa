package org.spillway.proof.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import org.spillway.api.Json;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.Money;

/** A local cloud that wears a vendor's API, with machines without processes, and a site of that vendor's driver on it. */
final class EmulatedAccount implements AutoCloseable {
    static final String SITE = "calls";

    /** Vendors whose calls are counted. */
    enum Vendor {
        /** Request throttling for the Amazon EC2 API (EC2 developer guide). */
        AWS("ec2", "us-east-1a", "t3.nano", "DescribeInstances", "throttled-seconds"),
        /** Understand how Azure Resource Manager throttles requests; Compute throttling limits. */
        AZURE("arm", "1", "Standard_B1s", "GET", "throttled-compute"),
        /** Nova publishes none since its own limits went with Juno; operators put theirs into proxies. */
        OPENSTACK("nova", "nova", "e1.small", "GET", "throttled");

        final String api;
        final String zone;
        final String type;
        /** Action of a listing, as faults name it. */
        final String listing;
        /** An answer that asks for a pause. */
        final String pause;

        Vendor(String api, String zone, String type, String listing, String pause) {
            this.api = api;
            this.zone = zone;
            this.type = type;
            this.listing = listing;
            this.pause = pause;
        }

        String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    private final Path folder;
    private final Process process;
    private final Site site;

    private EmulatedAccount(Path folder, Process process, Site site) {
        this.folder = folder;
        this.process = process;
        this.site = site;
    }

    static EmulatedAccount start(Path launcher, Vendor vendor) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(
                "spillway-bench", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Process process = EmulatedEc2.begin(
                launcher,
                vendor.api,
                folder,
                "zones: ['" + vendor.zone + "']\ntypes:\n  - {name: " + vendor.type
                        + ", cpus: 1, memoryGiB: 1, process: false, capacity: 20000, bootSeconds: 0.3}\n");
        try {
            Path state = EmulatedEc2.up(process, folder);
            Site site = driver(vendor.word())
                    .open(SiteSettings.of("bench", SITE, options(vendor, state), folder)
                            .withPrices(Map.of(vendor.type, Money.parse("0.01"))));
            if (site.network().isPresent()) {
                site.network().get().create();
            }
            return new EmulatedAccount(folder, process, site);
        } catch (CloudException failed) {
            EmulatedEc2.remove(process, folder);
            throw new IOException("the region got no network: " + failed.getMessage(), failed);
        } catch (IOException | InterruptedException | RuntimeException failed) {
            EmulatedEc2.remove(process, folder);
            throw failed;
        }
    }

    private static CloudDriver driver(String name) throws IOException {
        for (CloudDriver driver : ServiceLoader.load(CloudDriver.class)) {
            if (driver.name().equals(name)) {
                return driver;
            }
        }
        throw new IOException("this program carries no driver " + name);
    }

    private static Map<String, String> options(Vendor vendor, Path state) throws IOException {
        String endpoint = Files.readString(state.resolve("api-endpoint")).strip();
        Map<String, String> options =
                new HashMap<>(Map.of("adminCidr", "127.0.0.0/8", "sshPort", "2222", "consistencySeconds", "1"));
        options.putAll(
                switch (vendor) {
                    case AWS ->
                        Map.of(
                                "region",
                                "us-east-1",
                                "endpoint",
                                endpoint,
                                "pricingEndpoint",
                                endpoint,
                                "credentialsFile",
                                state.resolve("api/ec2/credentials").toString(),
                                "image",
                                "ami-00000000000000001",
                                "types",
                                "t3.*");
                    case AZURE ->
                        Map.of(
                                "subscription",
                                "7e4a7000-0000-4000-8000-000000000000",
                                "resourceGroup",
                                "spillway",
                                "location",
                                "local",
                                "tenant",
                                "7e4a7000-0000-4000-8000-000000000001",
                                "clientId",
                                "7e4a7000-0000-4000-8000-000000000002",
                                "clientSecretFile",
                                state.resolve("api/arm/client-secret").toString(),
                                "caFile",
                                state.resolve("api/arm/ca.pem").toString(),
                                "endpoint",
                                endpoint,
                                "authority",
                                endpoint,
                                "pricesEndpoint",
                                endpoint + "/api/retail/prices");
                    case OPENSTACK ->
                        Map.of(
                                "endpoint", endpoint + "/v3",
                                "user", "spillway",
                                "project", "demo",
                                "passwordFile",
                                        state.resolve("api/nova/password").toString(),
                                "image", "stock");
                });
        return options;
    }

    Site site() {
        return site;
    }

    /** From now on a listing is answered by a pause of that many seconds. */
    void pauses(Vendor vendor, int seconds) throws IOException, InterruptedException {
        Path state = folder.resolve("cloud");
        String address = Files.readString(state.resolve("endpoint")).strip().split(" ", -1)[0];
        Map<String, Object> fault = Map.of(
                "kind", "answer", "form", vendor.pause, "type", vendor.listing, "seconds", seconds, "count", 1000);
        var request = HttpRequest.newBuilder(URI.create("http://" + address + "/admin/faults"))
                .header(
                        "Authorization",
                        "Bearer " + Files.readString(state.resolve("token")).strip())
                .POST(HttpRequest.BodyPublishers.ofString(Json.write(fault)))
                .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            int status =
                    http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status != 200) {
                throw new IOException("the cloud takes no fault: " + status);
            }
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        site.close();
        EmulatedEc2.remove(process, folder);
    }
}
