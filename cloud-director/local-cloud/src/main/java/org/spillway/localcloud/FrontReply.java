package org.spillway.localcloud;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/**
 * A front's answer.
 *
 * @param note for the request log: the operation and what it was about, no secrets
 * @param fault LOST drops the connection instead, SLOW answers late; empty for neither
 */
public record FrontReply(int status, Map<String, String> headers, byte[] body, String note, Optional<Fault> fault) {
    public FrontReply {
        headers = Map.copyOf(headers);
    }

    public static FrontReply of(int status, String contentType, String body, String note) {
        return new FrontReply(
                status,
                Map.of("Content-Type", contentType),
                body.getBytes(StandardCharsets.UTF_8),
                note,
                Optional.empty());
    }

    public FrontReply with(Optional<Fault> struck) {
        return new FrontReply(status, headers, body, note, struck);
    }
}
