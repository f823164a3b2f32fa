package org.spillway.head.link;

import java.time.Duration;

/**
 * How long the link waits.
 *
 * @param connect for TCP and, inside, for TLS
 * @param answer for the whole of one answer, and for key exchange and login together: a small machine that still boots
 *     takes longer than {@code connect}, and calls that are broken off make it slower yet
 * @param heartbeat between two signs of life; a peer that owes three is taken for dead
 */
public record LinkTimes(Duration connect, Duration answer, Duration heartbeat) {
    public static final LinkTimes USUAL =
            new LinkTimes(Duration.ofSeconds(3), Duration.ofSeconds(10), Duration.ofSeconds(5));

    public LinkTimes {
        if (!connect.isPositive() || !answer.isPositive() || !heartbeat.isPositive()) {
            throw new IllegalArgumentException("the link's times must be positive");
        }
    }
}
