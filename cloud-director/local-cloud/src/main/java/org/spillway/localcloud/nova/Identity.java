package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.StateDirectory;

/**
 * Keystone: one user in one project, with a password in {@code api/nova/password} that is an application credential's
 * secret too. Tokens are forgotten when the cloud restarts, as if they had expired.
 */
final class Identity {
    static final String PROJECT = "00000000000000000000000000000d31";
    static final String REGION = "RegionOne";
    private static final String USER = "spillway";
    private static final String USER_ID = "000000000000000000000000000000a1";
    private static final Duration LIFE = Duration.ofHours(1);
    private final CloudBehind cloud;
    private final String endpoint;
    private final byte[] password;
    private final Map<String, Instant> tokens = new ConcurrentHashMap<>();
    private final AtomicInteger refusals = new AtomicInteger();

    Identity(CloudBehind cloud, String endpoint, Path folder) throws IOException {
        this.cloud = cloud;
        this.endpoint = endpoint;
        Path file = folder.resolve("password");
        if (!Files.exists(file)) {
            StateDirectory.write(file, random());
        }
        this.password = Files.readString(file).strip().getBytes(StandardCharsets.UTF_8);
    }

    private static String random() {
        byte[] bytes = new byte[24];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    boolean knows(String token) {
        Instant end = tokens.get(token);
        return end != null && cloud.now().isBefore(end);
    }

    /** As if the credentials had expired: no token is good any more, and the next login is refused. */
    void expire() {
        tokens.clear();
        refusals.incrementAndGet();
    }

    FrontReply login(JsonNode body) throws Said.No {
        JsonNode identity = body.path("auth").path("identity");
        boolean refused = refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        boolean expired = NovaBroken.EXPIRED_CREDENTIAL.is(cloud)
                && identity.path("methods").path(0).asText().equals("application_credential");
        if (refused || expired || !isGood(identity)) {
            throw new Said.No(401, "The request you have made requires authentication.");
        }
        JsonNode project = body.path("auth").path("scope").path("project");
        boolean application = identity.path("methods").path(0).asText().equals("application_credential");
        if (!application
                && !project.path("name").asText().equals("demo")
                && !project.path("id").asText().equals(PROJECT)) {
            throw new Said.No(401, "User has no access to the project.");
        }
        String token = "gAAAA" + random();
        Instant now = cloud.now();
        tokens.values().removeIf(end -> end.isBefore(now));
        tokens.put(token, now.plus(LIFE));
        Duration ahead = cloud.strikes(Fault.Kind.SKEW, "", "")
                .map(fault -> Duration.ofMillis((long) (fault.seconds() * 1000)))
                .orElse(Duration.ZERO);
        ObjectNode answer = Said.object();
        answer.set("token", token(now.plus(ahead)));
        return new FrontReply(
                201,
                Map.of("Content-Type", "application/json", "X-Subject-Token", token),
                answer.toString().getBytes(StandardCharsets.UTF_8),
                "login",
                Optional.empty());
    }

    private boolean isGood(JsonNode identity) {
        String method = identity.path("methods").path(0).asText();
        JsonNode credential = identity.path("application_credential");
        JsonNode user = identity.path("password").path("user");
        return switch (method) {
            case "password" ->
                user.path("name").asText().equals(USER)
                        && isPassword(user.path("password").asText());
            case "application_credential" ->
                credential.path("id").asText().equals(USER)
                        && isPassword(credential.path("secret").asText());
            default -> false;
        };
    }

    private boolean isPassword(String given) {
        return MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), password);
    }

    private ObjectNode token(Instant issued) {
        ObjectNode token = Said.object();
        token.putArray("methods").add("password");
        token.put("issued_at", time(issued)).put("expires_at", time(issued.plus(LIFE)));
        token.putObject("user")
                .put("id", USER_ID)
                .put("name", USER)
                .putObject("domain")
                .put("id", "default")
                .put("name", "Default");
        token.putObject("project")
                .put("id", PROJECT)
                .put("name", "demo")
                .putObject("domain")
                .put("id", "default")
                .put("name", "Default");
        token.putArray("roles").addObject().put("id", "m").put("name", "member");
        ArrayNode catalog = token.putArray("catalog");
        service(catalog, "keystone", "identity", "/v3");
        service(catalog, "nova", "compute", "/compute/v2.1");
        if (!NovaBroken.NO_ENDPOINT.is(cloud)) {
            service(catalog, "neutron", "network", "/network");
        }
        service(catalog, "glance", "image", "/image");
        service(catalog, "blazar", "reservation", "/reservation/v1");
        service(catalog, "cinderv3", "volumev3", "/volume/v3/" + PROJECT);
        return token;
    }

    private static String time(Instant at) {
        String text = at.toString();
        return text.contains(".") ? text.replaceAll("(\\.[0-9]{3})Z$", "$1000Z") : text.replace("Z", ".000000Z");
    }

    private void service(ArrayNode catalog, String name, String type, String path) {
        ObjectNode service =
                catalog.addObject().put("id", name).put("name", name).put("type", type);
        ArrayNode endpoints = service.putArray("endpoints");
        for (String facing : List.of("public", "internal", "admin")) {
            endpoints
                    .addObject()
                    .put("id", name + "-" + facing)
                    .put("interface", facing)
                    .put("region", REGION)
                    .put("region_id", REGION)
                    .put("url", endpoint + path);
        }
    }
}
