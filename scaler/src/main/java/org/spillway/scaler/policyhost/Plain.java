package org.spillway.scaler.policyhost;

import org.jspecify.annotations.Nullable;

/** Text from a plugin, made fit for a log and a terminal: one line, bounded, and nothing that steers either. */
final class Plain {
    private static final int MOST = 600;

    private Plain() {}

    static String text(@Nullable String said) {
        if (said == null) {
            return "";
        }
        String part = said.length() > MOST ? said.substring(0, MOST) + "..." : said;
        return part.replaceAll("\\s*[\\r\\n]+\\s*", "; ")
                .replaceAll("[\\p{Cc}\\p{Cf}]", "?")
                .strip();
    }
}
