package org.spillway.cloud;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.policy.OfferingId;

/**
 * A call for instances, in the form in which it is journalled before it is made.
 *
 * @param intent id of the intent, letters, digits and dashes
 * @param attempt which call of that intent, from 1
 * @param offering the best
 * @param count instances wanted, 1 or more
 * @param image the provider's id of a stock image; may be empty where the site has a default
 * @param userData first-boot data in cloud-init's formats; at most 16 KiB
 * @param tags besides those that every driver adds: {@code spillway-cluster}, {@code -site}, {@code -intent},
 *     {@code -attempt}
 * @param alternatives others of the same site and market that serve as well, best first: what {@code offering} cannot
 *     give is taken from them, in one call where the provider has such a call; usually empty
 * @param placement where in the provider's halls, and against what
 */
public record LaunchRequest(
        String intent,
        int attempt,
        OfferingId offering,
        int count,
        String image,
        String userData,
        Map<String, String> tags,
        List<OfferingId> alternatives,
        Placement placement) {
    public static final int MAX_USER_DATA_BYTES = 16 * 1024;

    public LaunchRequest {
        tags = Map.copyOf(tags);
        // Absent in what earlier releases have journalled.
        alternatives = alternatives == null ? List.of() : List.copyOf(alternatives);
        placement = placement == null ? Placement.NONE : placement;
        for (OfferingId other : alternatives) {
            if (!other.site().equals(offering.site()) || other.market() != offering.market()) {
                throw new IllegalArgumentException(other + " is of another site or market than " + offering);
            }
        }
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

    /** Of one offering, placed anywhere, with the site's image, no first-boot data and no tags. */
    public static LaunchRequest of(String intent, int attempt, OfferingId offering, int count) {
        return new LaunchRequest(intent, attempt, offering, count, "", "", Map.of(), List.of(), Placement.NONE);
    }

    /**
     * Where instances stand, and against what they are bought.
     *
     * @param fabricGroup instances of one group stand close to each other, on one fabric: letters, digits and dashes, at
     *     most 40; empty for none. A later launch into a group that has instances joins them
     * @param reservation the provider's id of a capacity reservation or block; only with market RESERVED; empty for none
     */
    public record Placement(String fabricGroup, String reservation) {
        public static final Placement NONE = new Placement("", "");

        public Placement {
            if (!fabricGroup.matches("[A-Za-z0-9-]{0,40}")) {
                throw new IllegalArgumentException("not a fabric group: '" + fabricGroup + "'");
            }
        }
    }

    /** The same with another image. */
    public LaunchRequest withImage(String other) {
        return new LaunchRequest(intent, attempt, offering, count, other, userData, tags, alternatives, placement);
    }

    /** The same with other tags. */
    public LaunchRequest withTags(Map<String, String> other) {
        return new LaunchRequest(intent, attempt, offering, count, image, userData, other, alternatives, placement);
    }

    /** The same with other first-boot data. */
    public LaunchRequest withUserData(String other) {
        return new LaunchRequest(intent, attempt, offering, count, image, other, tags, alternatives, placement);
    }

    /** All that may be bought, best first. */
    public List<OfferingId> offerings() {
        List<OfferingId> all = new ArrayList<>();
        all.add(offering);
        all.addAll(alternatives);
        return all;
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
        // Without these it is the text of the first releases, so that a call of theirs keeps its token.
        if (!alternatives.isEmpty() || !placement.equals(Placement.NONE)) {
            field(text, placement.fabricGroup());
            field(text, placement.reservation());
            alternatives.forEach(other -> field(text, other.toString()));
        }
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
