package org.spillway.stage.pull;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The head of an answer over HTTP/1. Pure.
 *
 * @param fields by their names in lower case
 * @param keeps whether the server keeps the connection open
 */
public record HttpReply(int status, Map<String, String> fields, boolean keeps) {
    /** Most bytes of a head. */
    static final int BYTES_MAX = 64 * 1024;

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.([01]) ([1-5][0-9]{2})(?: .*)?");
    private static final Pattern RANGE = Pattern.compile("bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})");

    public HttpReply {
        fields = Map.copyOf(fields);
    }

    /** @throws IllegalArgumentException if it is no head of an answer */
    public static HttpReply of(List<String> lines) {
        Matcher first = STATUS.matcher(lines.isEmpty() ? "" : lines.getFirst());
        if (!first.matches()) {
            throw new IllegalArgumentException("no answer over HTTP/1");
        }
        Map<String, String> fields = new HashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new IllegalArgumentException("a line of the head is no field");
            }
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            String value = line.substring(colon + 1).strip();
            String other = fields.putIfAbsent(name, value);
            if (other != null && !other.equals(value) && name.equals("content-length")) {
                throw new IllegalArgumentException("two lengths");
            }
        }
        String length = fields.getOrDefault("content-length", "0");
        if (!length.matches("[0-9]{1,18}")) {
            throw new IllegalArgumentException("a length that is none");
        }
        boolean close =
                fields.getOrDefault("connection", "").toLowerCase(Locale.ROOT).contains("close");
        return new HttpReply(
                Integer.parseInt(first.group(2)), fields, first.group(1).equals("1") && !close);
    }

    /** A field; empty for none. */
    public String field(String name) {
        return fields.getOrDefault(name, "");
    }

    boolean isChunked() {
        return field("transfer-encoding").toLowerCase(Locale.ROOT).contains("chunked");
    }

    /** Of the body; empty when only its end says it. */
    OptionalLong bodyBytes() {
        if (status == 204 || status == 304 || status < 200) {
            return OptionalLong.of(0);
        }
        String length = field("content-length");
        return isChunked() || length.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(length));
    }

    /** @param total of the whole file */
    record Part(long from, long total) {}

    /** The part of a file that a 206 brings to its end; null when it is none, or another. */
    @Nullable
    Part part() {
        Matcher range = RANGE.matcher(field("content-range"));
        if (status != 206 || !range.matches()) {
            return null;
        }
        long from = Long.parseLong(range.group(1));
        long last = Long.parseLong(range.group(2));
        long total = Long.parseLong(range.group(3));
        return from <= last && last == total - 1 ? new Part(from, total) : null;
    }
}
