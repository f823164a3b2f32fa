package org.spillway.localcloud;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A request to a front.
 *
 * @param path decoded, without the query
 * @param query as sent, without its question mark; empty for none
 * @param headers by lower-case name
 */
public record FrontRequest(String method, String path, String query, Map<String, List<String>> headers, byte[] body) {
    /** The first of that name; empty for none. */
    public String header(String name) {
        List<String> values = headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
        return values.isEmpty() ? "" : values.getFirst();
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
