package org.spillway.head.config;

import java.time.Duration;
import org.spillway.settings.Section;

/**
 * Sessions in running jobs: terminals, plain streams, ports.
 *
 * @param awayFor how long the node's side goes on without a client, 30 s to 7 days
 * @param idleFor how long a terminal is kept in which nothing is typed or shown, 1 minute to 30 days; zero for any time
 * @param perUser of one user at once, 1 to 1000
 * @param perNode on one node at once, 1 to 250
 */
public record InteractiveSettings(Duration awayFor, Duration idleFor, int perUser, int perNode) {
    public static final InteractiveSettings USUAL =
            new InteractiveSettings(Duration.ofMinutes(10), Duration.ZERO, 16, 32);

    /** The section {@code interactive}. */
    static InteractiveSettings read(Section section) {
        var read = new InteractiveSettings(
                section.duration("awayFor", USUAL.awayFor, Duration.ofSeconds(30), Duration.ofDays(7)),
                section.has("idleFor")
                        ? section.duration("idleFor", USUAL.idleFor, Duration.ofMinutes(1), Duration.ofDays(30))
                        : USUAL.idleFor,
                section.integer("perUser", USUAL.perUser, 1, 1000),
                section.integer("perNode", USUAL.perNode, 1, 250));
        section.noMore();
        return read;
    }
}
