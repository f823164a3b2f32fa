package org.spillway.cloud.localcloud;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Market;

/** The body of a launch call. */
public record LaunchCommand(
        String token,
        String zone,
        String type,
        @Nullable Market market,
        int count,
        String image,
        String userData,
        @Nullable Map<String, String> tags) {
    private static final int MAX_COUNT = 10_000;
    private static final int MAX_TAGS = 50;
    private static final int MAX_USER_DATA_BYTES = 16 * 1024;

    void check() throws ApiError {
        if (token == null || !token.matches("[A-Za-z0-9-]{8,128}")) {
            throw ApiError.invalid("token is 8 to 128 letters, digits and dashes");
        }
        if (count < 1 || count > MAX_COUNT) {
            throw ApiError.invalid("count is " + count + "; allowed: 1 to " + MAX_COUNT);
        }
        if (market == null || market == Market.RESERVED) {
            throw ApiError.invalid("market is " + market + "; allowed: ON_DEMAND, SPOT");
        }
        if (tags == null || tags.size() > MAX_TAGS) {
            throw ApiError.invalid("tags: a map of at most " + MAX_TAGS);
        }
        if (userData == null || userData.getBytes(StandardCharsets.UTF_8).length > MAX_USER_DATA_BYTES) {
            throw ApiError.invalid("userData is missing or over " + MAX_USER_DATA_BYTES + " bytes");
        }
    }

    /** The same for the same parameters; the token is not one. */
    String fingerprint() throws ApiError {
        StringBuilder text = new StringBuilder();
        for (String field :
                new String[] {zone, type, String.valueOf(market), Integer.toString(count), image, userData}) {
            String value = String.valueOf(field);
            text.append(value.length()).append(':').append(value);
        }
        text.append(new TreeMap<>(tags == null ? Map.of() : tags));
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256")
                            .digest(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new ApiError(500, "INTERNAL", "no SHA-256: " + impossible.getMessage());
        }
    }
}
