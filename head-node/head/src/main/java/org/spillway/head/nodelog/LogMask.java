package org.spillway.head.nodelog;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * A log without what looks like a secret, or steers a terminal: each such byte is another one, so that places stay as they
 * are. Pure, and linear in the length of what a hostile node may write.
 */
final class LogMask {
    private static final Pattern KEY_BLOCK =
            Pattern.compile("-----BEGIN [A-Z0-9 ]{1,40}-----[^\\x00]*?(?:-----END [A-Z0-9 ]{1,40}-----|\\z)");
    /** A line of a key's inside, whose other lines came in another piece. */
    private static final Pattern BASE64_LINE = Pattern.compile("(?m)^[A-Za-z0-9+/=]{40,}+$");

    private static final Pattern NAMED = Pattern.compile(
            "(?i)\\b(?:password|passwd|secret|token|authorization|cookie|api[-_]?key)[ \\t]{0,9}[:=][ \\t]{0,9}([^\\r\\n]++)");
    private static final Pattern BEARER = Pattern.compile("(?i)\\bbearer[ \\t]{1,9}([^\\s]++)");
    private static final Pattern LONG_WORD = Pattern.compile("[A-Za-z0-9+=_-]{24,}+");

    private LogMask() {}

    static byte[] of(byte[] said) {
        // A character for each byte: what is UTF-8 is so afterwards.
        StringBuilder text = new StringBuilder(new String(said, StandardCharsets.ISO_8859_1));
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f) {
                text.setCharAt(i, '?');
            }
        }
        mask(text, KEY_BLOCK, 0);
        mask(text, BASE64_LINE, 0);
        mask(text, NAMED, 1);
        mask(text, BEARER, 1);
        LONG_WORD
                .matcher(text.toString())
                .results()
                .filter(word -> hasLetterAndDigit(word.group()))
                .forEach(word -> cover(text, word.start(), word.end()));
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void mask(StringBuilder text, Pattern secret, int group) {
        secret.matcher(text.toString()).results().forEach(found -> cover(text, found.start(group), found.end(group)));
    }

    /** A key, a token or a digest: no word of a language is so long and has both. */
    private static boolean hasLetterAndDigit(String word) {
        return word.chars().anyMatch(c -> c >= '0' && c <= '9') && word.chars().anyMatch(Character::isLetter);
    }

    private static void cover(StringBuilder text, int from, int end) {
        for (int i = from; i < end; i++) {
            if (text.charAt(i) != '\n') {
                text.setCharAt(i, '*');
            }
        }
    }
}
