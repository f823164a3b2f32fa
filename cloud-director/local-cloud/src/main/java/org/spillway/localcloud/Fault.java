package org.spillway.localcloud;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.policy.LaunchOutcome;

/**
 * Bad luck on request.
 *
 * @param type machine type that it strikes; empty for every type
 * @param zone zone that it strikes; empty for every zone
 * @param count how often it still strikes, 1 or more
 * @param probability of striking when it could, above 0 and at most 1
 * @param reason for {@link Kind#REFUSE}, {@link Kind#PARTIAL}, {@link Kind#FAILS_LATER} and {@link Kind#LISTING_REFUSED}
 * @param instances how many {@link Kind#PARTIAL} gives, 0 or more
 * @param seconds for {@link Kind#SLOW}, {@link Kind#DIE}, {@link Kind#LATE_LISTING}, {@link
 *     Kind#LISTING_STALE}, {@link Kind#SPOT_NOTICE} and {@link Kind#SKEW}, 0 or more; the pause that {@link Kind#ANSWER}
 *     asks for
 * @param form of {@link Kind#ANSWER}, a name of the front's published answers; {@link #HINT} for a
 *     {@link Kind#SPOT_NOTICE} that is none yet; else empty
 */
public record Fault(
        Kind kind,
        String type,
        String zone,
        int count,
        double probability,
        LaunchOutcome.Reason reason,
        int instances,
        double seconds,
        String form) {

    /** The provider only hints that it may take the machine back, and does not. */
    static final String HINT = "rebalance";

    private static final Set<String> KEYS =
            Set.of("kind", "type", "zone", "count", "probability", "reason", "instances", "seconds", "form");
    private static final double MAX_SECONDS = 86_400;

    public Fault {
        if (count < 1 || probability <= 0 || probability > 1 || instances < 0 || seconds < 0 || seconds > MAX_SECONDS) {
            throw new IllegalArgumentException("count is 1 or more, probability above 0 and at most 1, instances 0 or"
                    + " more, seconds 0 to 86400");
        }
    }

    /** @throws IllegalArgumentException with what was found and what is allowed */
    static Fault from(JsonNode body) {
        for (String key : body.properties().stream().map(e -> e.getKey()).toList()) {
            if (!KEYS.contains(key)) {
                throw new IllegalArgumentException(
                        "unknown key '" + key + "'; allowed: " + String.join(", ", new TreeSet<>(KEYS)));
            }
        }
        return new Fault(
                Kind.named(body.path("kind").asText()),
                body.path("type").asText(""),
                body.path("zone").asText(""),
                body.path("count").asInt(1),
                body.path("probability").asDouble(1),
                reasonNamed(body.path("reason").asText("CAPACITY")),
                body.path("instances").asInt(1),
                body.path("seconds").asDouble(1),
                body.path("form").asText(""));
    }

    private static LaunchOutcome.Reason reasonNamed(String name) {
        for (LaunchOutcome.Reason reason : LaunchOutcome.Reason.values()) {
            if (reason.name().equalsIgnoreCase(name)) {
                return reason;
            }
        }
        throw new IllegalArgumentException(
                "'" + name + "' is no reason; allowed: " + List.of(LaunchOutcome.Reason.values()));
    }

    boolean strikes(Kind wanted, String atType, String atZone) {
        return kind == wanted && (type.isEmpty() || type.equals(atType)) && (zone.isEmpty() || zone.equals(atZone));
    }

    Fault once() {
        return new Fault(kind, type, zone, count - 1, probability, reason, instances, seconds, form);
    }

    /** Kinds of bad luck. */
    public enum Kind {
        /** Launch is refused for {@link Fault#reason()}; nothing exists. */
        REFUSE,
        /** Launch gives at most {@link Fault#instances()}. */
        PARTIAL,
        /** The launch happens at once, its answer comes {@link Fault#seconds()} later. */
        SLOW,
        /** The instance ends that long after it has booted. */
        DIE,
        /** A spot instance that runs is told that it is taken back, and is taken {@link Fault#seconds()} later. */
        SPOT_NOTICE,
        /** The launch happens, and its connection is dropped without an answer. */
        LOST,
        /** New instances are missing from listings for that long. */
        LATE_LISTING,
        /** A page of a listing fails. */
        LISTING_FAILS,
        /** The instance stays pending. */
        BOOTS_NEVER,
        /** The instance runs, but its user data does not. */
        MUTE,
        /** The kernel's log of the new instance says that a GPU has fallen off the bus. */
        SICK,
        /** The launch is accepted; when the instance should be up it is said that it cannot be had, {@link Fault#reason()}. */
        FAILS_LATER,
        /** A page of a listing is refused for {@link Fault#reason()}. */
        LISTING_REFUSED,
        /** A page of a listing comes twice. */
        REPEATED_PAGE,
        /** A page of a listing comes empty, with a good status, and says that it is the last. */
        LISTING_EMPTY,
        /** A page of a listing has the first half of its instances, and says that it is the last. */
        LISTING_HALF,
        /** A page of a listing has moved by a deletion: an instance has slipped over its edge. */
        LISTING_MOVED,
        /** A page of a listing is as of {@link Fault#seconds()} ago: what was launched since is not in it. */
        LISTING_STALE,
        /** A page of a listing says of the last instance on it that lives that it has ended. */
        LISTING_ENDED,
        /** A console is not to be had yet, in the words of the API that is worn. */
        CONSOLE_EMPTY,
        /** A console breaks off. */
        CONSOLE_TORN,
        /** A call of the action {@link Fault#type()} is answered as the provider's documents show, {@link Fault#form()}. */
        ANSWER,
        /** The provider's clock is that much ahead in an answer that tells the time. */
        SKEW;

        static Kind named(String name) {
            String wanted = name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
            for (Kind kind : values()) {
                if (kind.name().replace("_", "").toLowerCase(Locale.ROOT).equals(wanted)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("'" + name + "' is no kind of fault; allowed: "
                    + List.of(values()).stream()
                            .map(kind -> kind.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                            .toList());
        }
    }
}
