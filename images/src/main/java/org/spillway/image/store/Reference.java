package org.spillway.image.store;

import org.spillway.image.ImageRefused;

/**
 * A version as a person names it.
 *
 * @param tag empty where a digest is given
 * @param digest the first eight digits of it or more; empty where a tag is given
 */
public record Reference(String name, String tag, String digest) {
    /** {@code NAME}, which is {@code NAME:latest}, {@code NAME:TAG}, or {@code NAME@DIGEST}. */
    public static Reference parse(String text) throws ImageRefused {
        if (!text.matches("[a-z0-9-]{1,64}(:[A-Za-z0-9][A-Za-z0-9._-]{0,63}|@[0-9a-f]{8,64})?")) {
            throw new ImageRefused("'" + text.replaceAll("\\p{Cntrl}", "?")
                    + "' names no version; allowed: NAME, NAME:TAG, or NAME@ and at least 8 digits of a digest");
        }
        String[] tagged = text.split(":", 2);
        String[] exact = text.split("@", 2);
        return exact.length == 2
                ? new Reference(exact[0], "", exact[1])
                : new Reference(tagged[0], tagged.length == 2 ? tagged[1] : VersionStore.LATEST, "");
    }

    static void checkTag(String tag) throws ImageRefused {
        if (!tag.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
            throw new ImageRefused("'" + tag.replaceAll("\\p{Cntrl}", "?")
                    + "' is no tag; allowed: up to 64 of letters, digits, '.', '_' and '-'");
        }
    }
}
