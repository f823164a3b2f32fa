package org.spillway.head.config;

import java.time.Duration;
import org.spillway.settings.Quantities;
import org.spillway.settings.Section;

/**
 * The logs of nodes that are kept at home.
 *
 * @param keptFor behind their last word, 1 h to 10 years
 * @param mostBytes of all nodes together, 16 MiB to 1 TiB; the oldest go first
 */
public record NodeLogSettings(Duration keptFor, long mostBytes) {
    public static final NodeLogSettings USUAL = new NodeLogSettings(Duration.ofDays(30), 4L << 30);

    private static final long LEAST = 16L << 20;
    private static final long MOST = 1L << 40;
    private static final String ROOM = "a size from 16MiB to 1TiB, such as 4GiB";

    /** The section {@code nodes}. */
    static NodeLogSettings read(Section section) {
        Duration keptFor = section.duration("logsKeptFor", USUAL.keptFor, Duration.ofHours(1), Duration.ofDays(3650));
        long most = section.value("logsRoom", USUAL.mostBytes, USUAL.mostBytes, ROOM, text -> {
            long bytes = -1;
            try {
                bytes = Quantities.bytes(text);
            } catch (IllegalArgumentException malformed) {
                // As one that is too small.
            }
            if (bytes < LEAST || bytes > MOST) {
                throw new IllegalArgumentException("found '" + text + "'; allowed: " + ROOM);
            }
            return bytes;
        });
        section.noMore();
        return new NodeLogSettings(keptFor, most);
    }
}
