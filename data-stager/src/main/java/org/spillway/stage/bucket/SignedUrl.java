package org.spillway.stage.bucket;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.spillway.stage.Sha256;

/** URLs that let whoever has them do one thing with one object for some time: AWS Signature Version 4, in the query. Pure. */
public final class SignedUrl {
    private static final String ALGORITHM = "AWS4-HMAC-SHA256";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final String USUAL_REGION = "us-east-1";

    private SignedUrl() {}

    /**
     * @param key of the object; empty for the bucket itself
     * @param query that belongs to the question
     * @param life of the signature; at most seven days
     * @return without a signature when the keys are none
     */
    public static URI of(
            AwsKeys keys,
            String method,
            String bucket,
            String key,
            Map<String, String> query,
            Instant now,
            Duration life) {
        String region = keys.region().isEmpty() ? USUAL_REGION : keys.region();
        return of(keys, region, base(keys, region, bucket), method, key, query, now, life);
    }

    /** @param base of the bucket */
    static URI of(
            AwsKeys keys,
            String region,
            URI base,
            String method,
            String key,
            Map<String, String> query,
            Instant now,
            Duration life) {
        String path = base.getRawPath() + (key.isEmpty() ? "" : "/" + encoded(key, true));
        path = path.isEmpty() ? "/" : path;
        Map<String, String> fields = new TreeMap<>(query);
        String host = base.getRawAuthority();
        if (keys.id().isEmpty()) {
            return URI.create(base.getScheme() + "://" + host + path + (fields.isEmpty() ? "" : "?" + text(fields)));
        }
        String time = TIME.format(now);
        String scope = time.substring(0, 8) + "/" + region + "/s3/aws4_request";
        fields.put("X-Amz-Algorithm", ALGORITHM);
        fields.put("X-Amz-Credential", keys.id() + "/" + scope);
        fields.put("X-Amz-Date", time);
        fields.put("X-Amz-Expires", Long.toString(life.toSeconds()));
        fields.put("X-Amz-SignedHeaders", "host");
        if (!keys.token().isEmpty()) {
            fields.put("X-Amz-Security-Token", keys.token());
        }
        String canonical =
                String.join("\n", method, path, text(fields), "host:" + host, "", "host", "UNSIGNED-PAYLOAD");
        String toSign = String.join("\n", ALGORITHM, time, scope, sha256(canonical));
        byte[] signing = ("AWS4" + keys.secret()).getBytes(StandardCharsets.UTF_8);
        for (String part : scope.split("/", -1)) {
            signing = hmac(signing, part);
        }
        String signature = HexFormat.of().formatHex(hmac(signing, toSign));
        return URI.create(
                base.getScheme() + "://" + host + path + "?" + text(fields) + "&X-Amz-Signature=" + signature);
    }

    /** Of a bucket: its own host at Amazon where its name can be one, else a path. */
    private static URI base(AwsKeys keys, String region, String bucket) {
        if (!keys.endpoint().isEmpty()) {
            URI endpoint = URI.create(keys.endpoint().replaceAll("/+$", ""));
            boolean usable = endpoint.getHost() != null
                    && ("https".equals(endpoint.getScheme()) || "http".equals(endpoint.getScheme()));
            if (!usable) {
                throw new IllegalArgumentException("endpoint_url in ~/.aws/config is no http or https URL");
            }
            return URI.create(endpoint + "/" + encoded(bucket, true));
        }
        boolean host = bucket.matches("[a-z0-9][a-z0-9-]{1,61}[a-z0-9]");
        return URI.create(
                host
                        ? "https://" + bucket + ".s3." + region + ".amazonaws.com"
                        : "https://s3." + region + ".amazonaws.com/" + encoded(bucket, true));
    }

    private static String text(Map<String, String> fields) {
        return fields.entrySet().stream()
                .map(field -> encoded(field.getKey(), false) + "=" + encoded(field.getValue(), false))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text, boolean keepsSlash) {
        StringBuilder all = new StringBuilder();
        for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
            char symbol = (char) (one & 0xff);
            boolean plain = (symbol >= 'A' && symbol <= 'Z')
                    || (symbol >= 'a' && symbol <= 'z')
                    || (symbol >= '0' && symbol <= '9')
                    || "-._~".indexOf(symbol) >= 0
                    || (keepsSlash && symbol == '/');
            all.append(plain ? String.valueOf(symbol) : "%%%02X".formatted((int) symbol));
        }
        return all.toString();
    }

    private static String sha256(String text) {
        return HexFormat.of().formatHex(Sha256.digest().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }
}
