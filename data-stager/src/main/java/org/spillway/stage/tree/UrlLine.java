package org.spillway.stage.tree;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A line of a list of URLs: the URL, a name and a SHA-256, of which the last two may be missing, divided by tabs or, where
 * there is no tab, by blanks.
 *
 * @param name relative; empty for the last part of the URL
 * @param sha256 in lower-case hex; empty for none
 */
public record UrlLine(Origin origin, String name, String sha256) {
    /** Longest line, in characters. */
    public static final int TEXT_MAX = 3 * Origin.TEXT_MAX;

    private static final Pattern DIGEST = Pattern.compile("(?:sha256:)?([0-9a-fA-F]{64})");

    /**
     * Empty for a line without content, or one that begins with {@code #}.
     *
     * @throws IllegalArgumentException with what is wrong, without the line, which may hold a secret
     */
    public static Optional<UrlLine> of(String line) {
        String text = line.strip();
        if (text.isEmpty() || text.startsWith("#")) {
            return Optional.empty();
        }
        if (text.length() > TEXT_MAX) {
            throw new IllegalArgumentException("the line has more than " + TEXT_MAX + " characters");
        }
        String[] words = text.split(text.indexOf('\t') >= 0 ? "\t+" : " +", -1);
        if (words.length > 3) {
            throw new IllegalArgumentException(
                    "a line is URL [NAME] [SHA256]; where a name has blanks, the parts are divided by tabs");
        }
        Origin origin = Origin.listed(words[0].strip());
        if (origin instanceof Origin.Home || origin instanceof Origin.UrlList) {
            throw new IllegalArgumentException("a list names https:// and s3:// only");
        }
        if (origin instanceof Origin.Bucket bucket && bucket.isPrefix()) {
            throw new IllegalArgumentException("a list names single objects of a bucket");
        }
        String name = "";
        String sha256 = "";
        for (int i = 1; i < words.length; i++) {
            var digest = DIGEST.matcher(words[i].strip());
            if (digest.matches() && (i == words.length - 1)) {
                sha256 = digest.group(1).toLowerCase(Locale.ROOT);
            } else if (i == 1) {
                name = words[i].strip();
            } else {
                throw new IllegalArgumentException("the last of three parts is a SHA-256 of 64 hex digits");
            }
        }
        boolean plain =
                origin instanceof Origin.Web web && web.uri().getScheme().equals("http");
        if (plain && sha256.isEmpty()) {
            throw new IllegalArgumentException("nobody knows whose bytes come by http: add a SHA-256, or use https");
        }
        if (name.isEmpty() && origin.lastName().isEmpty()) {
            throw new IllegalArgumentException("the URL ends with no name: add one");
        }
        return Optional.of(new UrlLine(origin, name.isEmpty() ? origin.lastName() : name, sha256));
    }
}
