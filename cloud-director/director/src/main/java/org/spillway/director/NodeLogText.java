package org.spillway.director;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.director.wire.NodeLogs;

/**
 * The words of a node about itself, as it sends them: for each source a line {@code SOURCE FROM LENGTH}, then so many bytes. Whatever
 * they hold, they end no piece.
 */
final class NodeLogText {
    static final String PATH = "/v1/said";
    static final int MAX_PIECE_BYTES = 64 * 1024;
    static final Set<String> SOURCES = Set.of("agent", "kernel", "manager", "health");
    static final int MAX_BYTES = SOURCES.size() * (MAX_PIECE_BYTES + 100);

    private static final Pattern BOOT = Pattern.compile("[0-9a-f]{8,32}");
    private static final Pattern HEAD = Pattern.compile("([a-z]{1,10}) ([0-9]{1,15}) ([0-9]{1,6})");
    private static final int MAX_HEAD_BYTES = 40;

    private NodeLogText() {}

    /** @throws IllegalArgumentException for anything but whole pieces, each source once */
    static List<NodeLogs.Piece> parse(String node, String boot, byte[] body) {
        require(BOOT.matcher(boot).matches(), "boot is none");
        List<NodeLogs.Piece> pieces = new ArrayList<>();
        for (int at = 0; at < body.length; ) {
            int end = at;
            while (end < body.length && end - at < MAX_HEAD_BYTES && body[end] != '\n') {
                end++;
            }
            Matcher head = HEAD.matcher(new String(body, at, end - at, StandardCharsets.ISO_8859_1));
            require(head.matches() && SOURCES.contains(head.group(1)), "a piece of no source");
            int length = Integer.parseInt(head.group(3));
            int from = end + 1;
            require(length <= MAX_PIECE_BYTES && from + length <= body.length, "a piece that is not whole");
            String source = head.group(1);
            require(pieces.stream().noneMatch(piece -> piece.source().equals(source)), "a source twice");
            pieces.add(new NodeLogs.Piece(
                    node, boot, source, Long.parseLong(head.group(2)), Arrays.copyOfRange(body, from, from + length)));
            at = from + length;
        }
        return pieces;
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
