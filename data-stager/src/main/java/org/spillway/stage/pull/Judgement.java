package org.spillway.stage.pull;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** The meaning of an answer for a file that is being pulled. Pure. */
public sealed interface Judgement {
    /**
     * The body is the file from byte {@code from} on.
     *
     * @param total of the whole file; -1 when only the end says it
     * @param validator by which the same file is known again; empty for none
     * @param changed another file lay there when it was looked at before
     * @param modifiedSeconds since 1970; 0 when nobody says
     */
    record Take(long from, long total, String validator, boolean changed, long modifiedSeconds) implements Judgement {}

    /** The file that is here already is the one that lies there. */
    record Same() implements Judgement {}

    record Elsewhere(String location) implements Judgement {}

    /** @param asked by the server itself; otherwise it is a failure that may pass */
    record Later(Duration pause, boolean asked, PullFault fault, String detail) implements Judgement {}

    /** The part that was asked for is none of this file: all of it is to be asked for. */
    record Anew() implements Judgement {}

    record Never(PullFault fault, String detail) implements Judgement {}

    /**
     * The file as far as it is known.
     *
     * @param from bytes that are here, and asked for no more
     * @param total of the whole file; -1 when not known
     * @param validator empty when nothing is known
     * @param whole whether all of it is here
     */
    record Known(long from, long total, String validator, boolean whole) {
        static final Known NOTHING = new Known(0, -1, "", false);
    }

    /** A server that wants to be left alone for longer is asked again by the next try. */
    Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    /** A time that is counted by the second tells two files apart only when it is so much older than the answer. */
    Duration SETTLED = Duration.ofSeconds(60);

    static Judgement of(Known known, HttpReply reply, Instant now) {
        return switch (reply.status()) {
            case 200 ->
                new Take(
                        0,
                        reply.bodyBytes().orElse(-1),
                        validator(reply),
                        !known.validator.isEmpty(),
                        modified(reply).map(Instant::getEpochSecond).orElse(0L));
            case 206 -> part(known, reply);
            case 304 -> known.whole ? new Same() : new Never(PullFault.STATUS, "304");
            case 301, 302, 303, 307, 308 -> {
                String location = reply.field("location");
                yield location.isEmpty() ? new Never(PullFault.REDIRECTS, "nowhere") : new Elsewhere(location);
            }
            case 401, 403, 407 -> new Never(PullFault.REFUSED, Integer.toString(reply.status()));
            case 404, 410 -> new Never(PullFault.ABSENT, Integer.toString(reply.status()));
            case 416 -> known.from > 0 ? new Anew() : new Never(PullFault.STATUS, "416");
            case 408, 425, 429 -> later(reply, now, PullFault.BUSY);
            case 503 -> later(reply, now, PullFault.BUSY);
            default ->
                reply.status() >= 500
                        ? later(reply, now, PullFault.SERVER)
                        : new Never(PullFault.STATUS, Integer.toString(reply.status()));
        };
    }

    private static Judgement part(Known known, HttpReply reply) {
        HttpReply.Part part = reply.part();
        if (known.from == 0) {
            return new Never(PullFault.STATUS, "206");
        }
        // A server that knows no If-Range sends a part of whatever lies there now.
        if (part == null
                || part.from() != known.from
                || (known.total >= 0 && part.total() != known.total)
                || !validator(reply).equals(known.validator)) {
            return new Anew();
        }
        long modified = modified(reply).map(Instant::getEpochSecond).orElse(0L);
        return new Take(known.from, part.total(), known.validator, false, modified);
    }

    private static Later later(HttpReply reply, Instant now, PullFault fault) {
        Optional<Duration> asked = pause(reply.field("retry-after"), now);
        String detail = Integer.toString(reply.status());
        return new Later(asked.orElse(Duration.ZERO), asked.isPresent(), fault, detail);
    }

    /** Seconds or a date, as RFC 9110 has it. */
    private static Optional<Duration> pause(String text, Instant now) {
        if (text.matches("[0-9]{1,9}")) {
            return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
        }
        return date(text).map(then -> then.isAfter(now) ? Duration.between(now, then) : Duration.ZERO);
    }

    private static Optional<Instant> date(String text) {
        try {
            return text.isEmpty()
                    ? Optional.empty()
                    : Optional.of(ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                            .toInstant());
        } catch (DateTimeParseException none) {
            return Optional.empty();
        }
    }

    private static Optional<Instant> modified(HttpReply reply) {
        return date(reply.field("last-modified"));
    }

    /** A strong tag, or a time that is old enough; empty for none. */
    static String validator(HttpReply reply) {
        String tag = reply.field("etag");
        if (tag.matches("\"[\\x21\\x23-\\x7e]{0,200}\"")) {
            return tag;
        }
        Optional<Instant> modified = modified(reply);
        Optional<Instant> sent = date(reply.field("date"));
        boolean settled = modified.isPresent()
                && sent.isPresent()
                && !modified.get().plus(SETTLED).isAfter(sent.get());
        return settled ? reply.field("last-modified") : "";
    }

    /** Fields of the request that asks for what is not known yet; each ends with a line break. */
    static String conditions(Known known) {
        if (known.validator.isEmpty()) {
            return "";
        }
        boolean tag = known.validator.startsWith("\"");
        if (known.whole) {
            return (tag ? "If-None-Match: " : "If-Modified-Since: ") + known.validator + "\r\n";
        }
        return known.from == 0 ? "" : "Range: bytes=" + known.from + "-\r\nIf-Range: " + known.validator + "\r\n";
    }
}
