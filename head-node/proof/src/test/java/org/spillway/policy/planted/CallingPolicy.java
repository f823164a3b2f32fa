package org.spillway.policy.planted;

import java.net.URI;
import java.time.Instant;

/** Planted: a decision that reaches into the world, reads a clock and sees another library. */
public final class CallingPolicy {
    private CallingPolicy() {}

    public static String decide() {
        return URI.create("http://127.0.0.1") + " " + Instant.now();
    }

    public static Class<?> library() {
        return org.slf4j.Logger.class;
    }
}
