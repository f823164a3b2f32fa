package org.spillway.director;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The framing of a node's report: the line {@code spillway-report VERSION}, then records of {@code LENGTH:BYTES} and a
 * line feed, the length in decimal and of the bytes alone. What stands in a record cannot end it. After a record that is
 * torn, reading goes on behind the next line feed. A report without that first line is of a node of an earlier release,
 * and each line is a record; of a later version the records that are known here are taken.
 */
final class ReportFrames {
    private static final byte[] HEADER = "spillway-report ".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_LENGTH_DIGITS = 7;

    /** A record of a report. */
    sealed interface Frame {
        record Whole(byte[] bytes) implements Frame {}

        /** Bytes up to a line feed that are no record. */
        record Torn(String cause) implements Frame {}
    }

    private final byte[] body;
    private int at;

    private ReportFrames(byte[] body) {
        this.body = body;
    }

    /** The records in order; never fails. */
    static List<Frame> of(byte[] body) {
        var reader = new ReportFrames(body);
        boolean framed =
                body.length >= HEADER.length && Arrays.equals(body, 0, HEADER.length, HEADER, 0, HEADER.length);
        if (framed) {
            reader.at = reader.lineEnd() + 1;
        }
        List<Frame> frames = new ArrayList<>();
        while (reader.at < body.length) {
            frames.add(framed ? reader.next() : new Frame.Whole(reader.line()));
        }
        return frames;
    }

    private Frame next() {
        int colon = at;
        int length = 0;
        while (colon < body.length && colon - at < MAX_LENGTH_DIGITS && body[colon] >= '0' && body[colon] <= '9') {
            length = length * 10 + (body[colon] - '0');
            colon++;
        }
        if (colon == at || colon >= body.length || body[colon] != ':') {
            line();
            return new Frame.Torn("no length before it");
        }
        int end = colon + 1 + length;
        if (end >= body.length || body[end] != '\n') {
            line();
            return new Frame.Torn("it is not as long as it says");
        }
        at = end + 1;
        return new Frame.Whole(Arrays.copyOfRange(body, colon + 1, end));
    }

    private byte[] line() {
        int end = lineEnd();
        byte[] line = Arrays.copyOfRange(body, at, end);
        at = end + 1;
        return line;
    }

    private int lineEnd() {
        int end = at;
        while (end < body.length && body[end] != '\n') {
            end++;
        }
        return end;
    }
}
