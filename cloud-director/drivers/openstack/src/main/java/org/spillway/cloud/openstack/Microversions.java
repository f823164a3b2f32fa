package org.spillway.cloud.openstack;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openstack4j.core.transport.HttpMethod;
import org.openstack4j.core.transport.HttpRequest;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * Versions that Nova offers, by its own document ("API Versions" of the Compute API: {@code GET /v2.1/}), which is asked
 * for before the first request, and anew each hour.
 */
final class Microversions {
    private static final Duration KEPT = Duration.ofHours(1);
    private static final Pattern BASE = Pattern.compile("(https?://[^/]+(?:/[^/]+)*?/v2(?:\\.[0-9]+)?)(?:/.*)?");
    private static final ObjectMapper JSON = new ObjectMapper();
    private final Wire wire;
    private final InstantSource clock;
    private volatile @Nullable Held held;

    Microversions(Wire wire, InstantSource clock) {
        this.wire = wire;
        this.clock = clock;
    }

    private record Held(Instant at, String endpoint, Range range) {}

    /**
     * Versions 2.LEAST to 2.MOST.
     *
     * @param known whether the document was read; what is not known is left to Nova's own refusal
     */
    record Range(int least, int most, boolean known) {
        static final Range UNKNOWN = new Range(0, Integer.MAX_VALUE, false);

        boolean has(ComputeFeature feature) {
            return least <= feature.minor() && feature.minor() <= most;
        }

        /** A sentence that stands against a request with that feature; empty if nothing does. */
        String objection(ComputeFeature feature) {
            return has(feature) ? "" : "Nova offers " + this + ", and " + feature.need();
        }

        @Override
        public String toString() {
            return !known
                    ? "versions that it does not tell"
                    : most == 0 ? "no microversions" : "2." + least + " to 2." + most;
        }
    }

    /** The document's answer: what is offered, or how the call for it ended. */
    sealed interface Told {
        record Offered(Range range) implements Told {}

        record Failed(Api.Result result) implements Told {}
    }

    /** @return how a request with that feature ends before it is sent; empty if it may be sent */
    Optional<Api.Result> objection(String endpoint, String token, ComputeFeature feature) {
        return switch (told(endpoint, token)) {
            case Told.Failed failed -> Optional.of(failed.result());
            case Told.Offered offered -> {
                String objection = offered.range().objection(feature);
                yield objection.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new Api.Result.Refused(0, Reason.INVALID, objection, ""));
            }
        };
    }

    Told told(String endpoint, String token) {
        Held now = held;
        if (now != null
                && now.endpoint().equals(endpoint)
                && clock.instant().isBefore(now.at().plus(KEPT))) {
            return new Told.Offered(now.range());
        }
        Told told = ask(endpoint, token);
        if (told instanceof Told.Offered offered) {
            held = new Held(clock.instant(), endpoint, offered.range());
        }
        return told;
    }

    /** Nothing of the request itself was sent, whatever became of this one. */
    private Told ask(String endpoint, String token) {
        HttpRequest<Void> request = HttpRequest.builder()
                .endpoint(base(endpoint))
                .path("/")
                .method(HttpMethod.GET)
                .header("X-Auth-Token", token)
                .header("Accept", "application/json")
                .build();
        return switch (wire.send(request)) {
            case Wire.Reply.Unsent unsent -> new Told.Failed(new Api.Result.Unsent(unsent.message()));
            case Wire.Reply.Unclear unclear -> new Told.Failed(new Api.Result.Unsent(unclear.message()));
            case Wire.Reply.Answer answer -> read(answer.status(), answer.body());
        };
    }

    private static Told read(int status, String body) {
        if (status == 200 || status == 300) {
            return new Told.Offered(range(body));
        }
        String message = "Nova's version document: " + Refusals.message(status, body);
        if (status == 401 || status == 413 || status == 429) {
            return new Told.Failed(new Api.Result.Refused(status, Refusals.of(status, message), message, ""));
        }
        // A proxy may hide the document and let the rest through.
        return status < 500 ? new Told.Offered(Range.UNKNOWN) : new Told.Failed(new Api.Result.Unsent(message));
    }

    /** Catalogues name {@code /v2.1}, or with the project behind it, as they did before Nova could do without. */
    static String base(String endpoint) {
        Matcher matcher = BASE.matcher(endpoint);
        return matcher.matches() ? matcher.group(1) : endpoint;
    }

    /** Of {@code {"version": {"id": "v2.1", "min_version": "2.1", "version": "2.93"}}}, or of a list of these. */
    static Range range(String body) {
        try {
            JsonNode root = JSON.readTree(body);
            JsonNode one = root.path("version");
            for (JsonNode each : root.path("versions")) {
                if (each.path("id").asText().equals("v2.1")) {
                    one = each;
                }
            }
            if (!one.path("id").isTextual()) {
                return Range.UNKNOWN;
            }
            return new Range(
                    minor(one.path("min_version").asText("")),
                    minor(one.path("version").asText("")),
                    true);
        } catch (JsonProcessingException page) {
            return Range.UNKNOWN;
        }
    }

    /** Version 2.0 has none: its fields are empty. */
    private static int minor(String version) {
        return version.matches("2\\.[0-9]{1,5}") ? Integer.parseInt(version.substring(2)) : 0;
    }
}
