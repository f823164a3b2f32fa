package org.spillway.settings;

/**
 * A mistake in the file.
 *
 * @param line from 1
 * @param key dotted path such as {@code sites.east.maxNodes}; empty for the file as a whole
 * @param message what was found and what is allowed
 */
public record Mistake(int line, String key, String message) {
    /** {@code FILE:LINE: key: message}. */
    public String at(String file) {
        return file + ":" + line + ": " + (key.isEmpty() ? "" : key + ": ") + message;
    }
}
