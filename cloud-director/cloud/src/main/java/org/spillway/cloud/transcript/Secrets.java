package org.spillway.cloud.transcript;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Knows secrets by their names, by their forms, and those that it was told or has seen by themselves. Thread-safe. */
final class Secrets {
    /** The place of one. */
    static final String GONE = "***";

    private static final int SHORTEST = 8;
    private static final Pattern NAMES = Pattern.compile(
            "passw|passphrase|secret|credential|private_?key|signature|user-?_?data|custom-?_?data|adminpass|apikey|api_key"
                    + "|accesskey|access_key|accountkey|sharedkey|connectionstring|assertion|authorization|personality"
                    + "|cookie");
    private static final Set<String> EXACT = Set.of("sig", "sas", "accesssas", "output", "token");
    /** A token of a page or of a repeated call opens nothing. */
    private static final Pattern OPEN_TOKENS =
            Pattern.compile("(next|client|continuation|skip|page|pagination)_?token");

    private static final Pattern FORMS = Pattern.compile(
            "eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_.-]+"
                    + "|gAAAA[A-Za-z0-9_=-]{20,}"
                    + "|\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b"
                    + "|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
            Pattern.DOTALL);
    private static final Pattern BEARER = Pattern.compile("(?i)(bearer |basic )[A-Za-z0-9._~+/=-]{8,}");
    /** A password with a slash is no correct address, and one all the same. */
    private static final Pattern USER = Pattern.compile("(://)(?:[^/@\\s\"<>]+|[^/@:\\s\"<>]*:[^@\\s\"<>]*)@");

    private static final Pattern QUERY = Pattern.compile("([?&])([A-Za-z0-9_.-]+)=([^&#\\s\"'<>]*)");

    private final Set<String> known = new ConcurrentSkipListSet<>((one, other) ->
            one.length() == other.length() ? one.compareTo(other) : Integer.compare(other.length(), one.length()));

    Secrets(Collection<String> told) {
        told.forEach(this::learn);
    }

    /** A value that is one wherever it stands. Short ones would be found everywhere. */
    void learn(String value) {
        if (value.length() >= SHORTEST && !value.equals(GONE)) {
            known.add(value);
            known.add(Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)));
            known.add(URLEncoder.encode(value, StandardCharsets.UTF_8));
        }
    }

    /** Whether what bears that name is one. */
    static boolean isNamed(String name) {
        String small = name.toLowerCase(Locale.ROOT);
        String last = small.substring(Math.max(small.lastIndexOf('.'), small.lastIndexOf(':')) + 1);
        return EXACT.contains(last)
                || NAMES.matcher(small).find()
                || (last.endsWith("token") && !OPEN_TOKENS.matcher(last).find());
    }

    /** Any text without those that are known, that have the form of one, or that an address carries. */
    String without(String text) {
        String clean = text;
        for (String secret : known) {
            clean = clean.replace(secret, GONE);
        }
        clean = FORMS.matcher(clean).replaceAll(GONE);
        clean = BEARER.matcher(clean).replaceAll("$1" + GONE);
        clean = USER.matcher(clean).replaceAll("$1" + GONE + "@");
        return QUERY.matcher(clean)
                .replaceAll(found -> Matcher.quoteReplacement(found.group(1) + found.group(2) + "="
                        + (isNamed(found.group(2)) && !found.group(3).isEmpty() ? GONE : found.group(3))));
    }
}
