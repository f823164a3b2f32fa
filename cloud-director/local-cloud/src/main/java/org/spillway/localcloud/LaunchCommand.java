package org.spillway.localcloud;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Market;

/**
 * The body of a launch call.
 *
 * @param alternatives what else serves, best first, under the same token: what the first cannot give is taken from them
 * @param fabricGroup instances of one group are close to each other; only for types with a fabric; empty for none
 */
public record LaunchCommand(
        String token,
        String zone,
        String type,
        @Nullable Market market,
        int count,
        String image,
        String userData,
        @Nullable Map<String, String> tags,
        List<Choice> alternatives,
        String fabricGroup) {
    private static final int MAX_COUNT = 10_000;
    private static final int MAX_ALTERNATIVES = 100;
    private static final int MAX_TAGS = 50;
    private static final int MAX_USER_DATA_BYTES = 16 * 1024;

    public LaunchCommand {
        // Absent in what older drivers send.
        alternatives = alternatives == null ? List.of() : List.copyOf(alternatives);
        fabricGroup = fabricGroup == null ? "" : fabricGroup;
    }

    /** Where, and of what. */
    public record Choice(String zone, String type) {}

    /** All that may be given, best first. */
    List<Choice> choices() {
        List<Choice> choices = new ArrayList<>();
        choices.add(new Choice(zone, type));
        choices.addAll(alternatives);
        return choices;
    }

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
        if (alternatives.size() > MAX_ALTERNATIVES) {
            throw ApiError.invalid("alternatives: at most " + MAX_ALTERNATIVES);
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
        // As in earlier releases where neither is used: a token of theirs stays good.
        if (!alternatives.isEmpty() || !fabricGroup.isEmpty()) {
            text.append(alternatives).append(fabricGroup.length()).append(':').append(fabricGroup);
        }
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256")
                            .digest(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new ApiError(500, "INTERNAL", "no SHA-256: " + impossible.getMessage());
        }
    }
}
