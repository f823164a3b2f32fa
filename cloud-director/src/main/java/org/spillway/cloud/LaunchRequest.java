package org.spillway.cloud;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.policy.OfferingId;

/**
 * One call for instances, in the form in which it is journalled before it is made.
 *
 * @param intent id of the intent, letters, digits and dashes
 * @param attempt which call of that intent, from 1
 * @param count instances wanted, 1 or more
 * @param image the provider's id of a stock image; may be empty where the site has a default
 * @param userData first-boot data in cloud-init's formats; at most 16 KiB
 * @param tags besides those that every driver adds: {@code spillway-cluster}, {@code -site}, {@code -intent},
 *     {@code -attempt}
 */
public record LaunchRequest(
        String intent,
        int attempt,
        OfferingId offering,
        int count,
        String image,
        String userData,
        Map<String, String> tags) {
    public static final int MAX_USER_DATA_BYTES = 16 * 1024;

    public LaunchRequest {
        tags = Map.copyOf(tags);
        if (!intent.matches("[A-Za-z0-9-]{1,40}")) {
            throw new IllegalArgumentException("not an intent id: '" + intent + "'");
        }
        if (attempt < 1 || count < 1) {
            throw new IllegalArgumentException("attempt and count start at 1: " + attempt + ", " + count);
        }
        if (userData.getBytes(StandardCharsets.UTF_8).length > MAX_USER_DATA_BYTES) {
            throw new IllegalArgumentException("user data is over " + MAX_USER_DATA_BYTES + " bytes");
        }
    }

    /** The request as text, the same for equal requests on every machine and in every release with this schema. */
    public String canonical() {
        StringBuilder text = new StringBuilder("spillway-launch-1");
        field(text, intent);
        field(text, Integer.toString(attempt));
        field(text, offering.toString());
        field(text, Integer.toString(count));
        field(text, image);
        field(text, userData);
        new TreeMap<>(tags).forEach((key, value) -> {
            field(text, key);
            field(text, value);
        });
        return text.toString();
    }

    /** Client token: 64 hex digits, the SHA-256 of {@link #canonical()}, which covers intent and attempt. */
    public String token() {
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(canonical().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Length-prefixed, so that no two different requests have the same text. */
    private static void field(StringBuilder text, String value) {
        text.append('\n').append(value.length()).append(':').append(value);
    }
}
