package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.spillway.localcloud.FrontRequest;
import org.spillway.localcloud.StateDirectory;

/** Client credentials for tokens, as OAuth 2 has it. One application, whose secret lies in {@code client-secret}. */
final class ArmLogin {
    static final String TENANT = "7e4a7000-0000-4000-8000-000000000001";
    static final String CLIENT = "7e4a7000-0000-4000-8000-000000000002";
    private static final Duration VALID = Duration.ofHours(1);
    private static final int MAX_TOKENS = 10_000;
    private final byte[] secret;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Instant> tokens = new ConcurrentHashMap<>();

    ArmLogin(Path folder) throws IOException {
        Path file = folder.resolve("client-secret");
        if (!Files.exists(file)) {
            StateDirectory.write(file, fresh());
        }
        this.secret = Files.readString(file).strip().getBytes(StandardCharsets.UTF_8);
    }

    private String fresh() {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** @param expired whether the secret is @return the status and the body of the token endpoint's answer */
    Map.Entry<Integer, ObjectNode> token(FrontRequest request, String tenant, Instant now, boolean expired) {
        Map<String, String> form = form(request.text());
        boolean known = tenant.equals(TENANT) && CLIENT.equals(form.get("client_id"));
        byte[] given = form.getOrDefault("client_secret", "").getBytes(StandardCharsets.UTF_8);
        if (!"client_credentials".equals(form.get("grant_type"))) {
            return refused(400, "unsupported_grant_type", "AADSTS70003: only client_credentials");
        }
        if (!known) {
            return refused(400, "unauthorized_client", "AADSTS700016: no such application in this directory");
        }
        if (!MessageDigest.isEqual(given, secret)) {
            return refused(401, "invalid_client", "AADSTS7000215: Invalid client secret provided");
        }
        if (expired) {
            return refused(
                    401,
                    "invalid_client",
                    "AADSTS7000222: The provided client secret keys for app '" + CLIENT
                            + "' are expired. Visit the Azure portal to create new keys for your app:"
                            + " https://aka.ms/NewClientSecret");
        }
        if (tokens.size() >= MAX_TOKENS) {
            tokens.values().removeIf(end -> end.isBefore(now));
        }
        String token = fresh();
        tokens.put(token, now.plus(VALID));
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("token_type", "Bearer").put("expires_in", VALID.toSeconds()).put("ext_expires_in", VALID.toSeconds());
        return Map.entry(200, body.put("access_token", token));
    }

    private static Map.Entry<Integer, ObjectNode> refused(int status, String error, String why) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        return Map.entry(status, body.put("error", error).put("error_description", why));
    }

    /** @throws ArmFault if the request bears no good token */
    void check(FrontRequest request, Instant now) throws ArmFault {
        String given = request.header("authorization");
        if (!given.startsWith("Bearer ")) {
            throw new ArmFault(
                    401, "AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing.");
        }
        Instant end = tokens.get(given.substring("Bearer ".length()));
        if (end == null) {
            throw new ArmFault(401, "InvalidAuthenticationToken", "The access token is invalid.");
        }
        if (end.isBefore(now)) {
            throw new ArmFault(401, "ExpiredAuthenticationToken", "The access token expired at " + end + ".");
        }
    }

    private static Map<String, String> form(String text) {
        Map<String, String> form = new HashMap<>();
        for (String pair : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                form.put(
                        URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8),
                        URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return form;
    }
}
