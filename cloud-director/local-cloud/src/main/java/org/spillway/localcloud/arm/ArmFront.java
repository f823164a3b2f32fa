package org.spillway.localcloud.arm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.spillway.localcloud.ApiFront;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.FrontRequest;
import org.spillway.localcloud.InstanceMetadata;
import org.spillway.localcloud.StateDirectory;

/**
 * {@code --api arm}: one subscription, one location, one resource group that is there from the start. The secret of its
 * one application lies in {@code api/arm/client-secret} of the local-cloud's state, the certificate to trust beside it in
 * {@code ca.pem}.
 */
public final class ArmFront implements ApiFront {
    static final String SUBSCRIPTION = "7e4a7000-0000-4000-8000-000000000000";
    static final String GROUP = "spillway";
    static final String LOCATION = "local";
    private static final String API_VERSION = "2025-04-01";
    private static final int CONSOLE_BYTES = 256 * 1024;
    private final Map<String, String> consoleKeys = new ConcurrentHashMap<>();
    private @Nullable World world;

    /** The front's parts once it is open. */
    private record World(
            CloudBehind cloud, String endpoint, ArmLogin login, ArmOperations operations, ArmRoutes routes) {}

    @Override
    public String api() {
        return "arm";
    }

    @Override
    public SSLContext tls(CloudBehind cloud) throws IOException {
        return ArmTls.context(cloud.stateFor(api()), cloud.now());
    }

    @Override
    public void open(CloudBehind cloud, String endpoint) throws IOException {
        Path folder = cloud.stateFor(api());
        ArmStore store = new ArmStore(folder.resolve("resources.log"));
        String group = "/subscriptions/" + SUBSCRIPTION + "/resourceGroups/" + GROUP;
        if (!store.has(ArmId.key(group))) {
            store.put(Map.of(ArmId.key(group), ArmRoutes.group(group, GROUP, Map.of())));
        }
        ArmOperations operations = new ArmOperations();
        ArmMachines machines = new ArmMachines(cloud, store, operations);
        machines.dropUnknown(SUBSCRIPTION);
        ArmRoutes routes = new ArmRoutes(cloud, store, operations, machines, this::consoleLink);
        world = new World(cloud, endpoint, new ArmLogin(folder), operations, routes);
    }

    @Override
    public Set<String> brokenKinds() {
        return ArmBroken.words();
    }

    @Override
    public Optional<InstanceMetadata> metadata() {
        return Optional.of(new ArmMetadata());
    }

    /** The login is a service of its own. */
    @Override
    public String action(FrontRequest request) {
        return request.path().startsWith("/subscriptions/") ? request.method() : "";
    }

    @Override
    public FrontReply published(FrontRequest request, Fault fault, Instant now) {
        return ArmPublished.FORMS.reply(fault, now);
    }

    /**
     * Where its links lead. Behind another name they have the default port, as the vendor's have: {@code
     * "NextPageLink":"https://prices.azure.com:443/api/retail/prices?$skip=1000"} ("Azure Retail Prices REST API overview").
     */
    private static String base(World here, FrontRequest request) {
        String host = request.header("x-forwarded-host");
        return host.isEmpty() ? here.endpoint() : "https://" + host + ":443";
    }

    @Override
    public FrontReply answer(FrontRequest request) throws IOException {
        World here = world;
        if (here == null) {
            throw new IOException("not open yet");
        }
        List<String> path = Arrays.stream(request.path().split("/", -1))
                .filter(word -> !word.isEmpty())
                .toList();
        if (request.method().equals("POST")
                && path.size() == 4
                && request.path().endsWith("/oauth2/v2.0/token")) {
            Map.Entry<Integer, ObjectNode> token = here.login()
                    .token(request, path.getFirst(), here.cloud().now(), ArmBroken.EXPIRED_SECRET.is(here.cloud()));
            return json(here.endpoint(), token.getKey(), token.getValue(), "", "token");
        }
        Map<String, String> query = query(request.query());
        if (path.size() == 2 && path.getFirst().equals("console")) {
            return console(here, path.get(1), query.getOrDefault("sig", ""));
        }
        if (request.path().equals("/api/retail/prices")) {
            ArmCatalogue catalogue = new ArmCatalogue(here.cloud());
            return json(
                    here.endpoint(),
                    200,
                    ArmPricePages.page(
                            catalogue.prices(query.getOrDefault("$filter", ""), query.getOrDefault("currencyCode", "")),
                            base(here, request) + request.path(),
                            query),
                    "",
                    "prices");
        }
        return resources(here, request, path, query);
    }

    private static FrontReply resources(World here, FrontRequest request, List<String> path, Map<String, String> query)
            throws IOException {
        String base = base(here, request);
        try {
            here.login().check(request, here.cloud().now());
            if (!query.containsKey("api-version")) {
                throw new ArmFault(400, "MissingApiVersionParameter", "The api-version query parameter is required.");
            }
            if (path.size() < 2
                    || !path.getFirst().equals("subscriptions")
                    || !path.get(1).equalsIgnoreCase(SUBSCRIPTION)) {
                throw new ArmFault(404, "SubscriptionNotFound", "There is no such subscription.");
            }
            JsonNode body = request.body().length == 0
                    ? JsonNodeFactory.instance.objectNode()
                    : StateDirectory.JSON.readTree(request.body());
            ArmAnswer answer = here.routes().answer(request, base, path, query, body);
            return json(base, answer.status(), answer.body(), answer.operation(), answer.note())
                    .with(answer.fault());
        } catch (ArmFault no) {
            ObjectNode body = JsonNodeFactory.instance.objectNode();
            body.putObject("error").put("code", no.code()).put("message", no.getMessage());
            return json(base, no.status(), body, "", no.code());
        } catch (JsonProcessingException | IllegalArgumentException bad) {
            ObjectNode body = JsonNodeFactory.instance.objectNode();
            body.putObject("error")
                    .put("code", "InvalidRequestContent")
                    .put("message", String.valueOf(bad.getMessage()));
            return json(base, 400, body, "", "InvalidRequestContent");
        }
    }

    private String consoleLink(String name) {
        World here = world;
        String key =
                consoleKeys.computeIfAbsent(name, fresh -> UUID.randomUUID().toString());
        return (here == null ? "" : here.endpoint()) + "/console/" + name + "?sig=" + key;
    }

    private FrontReply console(World here, String name, String key) throws IOException {
        if (key.isEmpty() || !key.equals(consoleKeys.get(name))) {
            return FrontReply.of(403, "text/plain", "AuthenticationFailed", "console " + name);
        }
        if (here.cloud().strikes(Fault.Kind.CONSOLE_EMPTY, "", "").isPresent()) {
            return FrontReply.of(404, "text/plain", "BlobNotFound", "console " + name);
        }
        String text = here.cloud().console(name, CONSOLE_BYTES);
        boolean isTorn = here.cloud().strikes(Fault.Kind.CONSOLE_TORN, "", "").isPresent();
        return FrontReply.of(
                200, "text/plain", isTorn ? text.substring(0, text.length() / 2) : text, "console " + name);
    }

    private static FrontReply json(String base, int status, JsonNode body, String operation, String note)
            throws IOException {
        Map<String, String> headers = new HashMap<>();
        headers.put("Content-Type", "application/json; charset=utf-8");
        headers.put("x-ms-request-id", UUID.randomUUID().toString());
        if (!operation.isEmpty()) {
            headers.put(
                    "Azure-AsyncOperation",
                    base + "/subscriptions/" + SUBSCRIPTION + "/providers/Microsoft.Compute/locations/" + LOCATION
                            + "/operations/" + operation + "?api-version=" + API_VERSION);
        }
        if (status == 429) {
            headers.put("Retry-After", "1");
        }
        byte[] bytes = body.isMissingNode() ? new byte[0] : StateDirectory.JSON.writeValueAsBytes(body);
        return new FrontReply(status, headers, bytes, note, Optional.empty());
    }

    private static Map<String, String> query(String raw) {
        Map<String, String> all = new HashMap<>();
        for (String pair : raw.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                all.put(
                        URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8),
                        URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return all;
    }
}
