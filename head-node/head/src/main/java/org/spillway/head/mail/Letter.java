package org.spillway.head.mail;

/**
 * A letter of plain text to one person. Nothing in its head can begin another line.
 *
 * @param id of letters, digits, dots and dashes; the same letter sent twice has the same, so that mailboxes can tell
 * @param to see {@link #isAddress}
 * @param subject 1 to 200 characters in one line
 * @param text lines, at most 20,000 characters
 */
public record Letter(String id, String to, String subject, String text) {
    private static final int MOST_SUBJECT = 200;
    private static final int MOST_TEXT = 20_000;
    private static final String ADDRESS = "[A-Za-z0-9][A-Za-z0-9._+=-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]{0,252}";

    public Letter {
        if (!id.matches("[A-Za-z0-9.-]{1,150}")) {
            throw new IllegalArgumentException("not an id of a letter: '" + plain(id) + "'");
        }
        if (!isAddress(to)) {
            throw new IllegalArgumentException("not an address: '" + plain(to) + "'");
        }
        if (subject.isBlank() || subject.length() > MOST_SUBJECT || !subject.equals(plain(subject))) {
            throw new IllegalArgumentException("not a subject: '" + plain(subject) + "'");
        }
        if (text.length() > MOST_TEXT) {
            throw new IllegalArgumentException("a letter of " + text.length() + " characters is too long");
        }
    }

    /** Whether mail goes there: {@code name@domain} in plain letters, without quotes, comments or blanks. */
    public static boolean isAddress(String text) {
        return text.matches(ADDRESS);
    }

    /** The text as one line that steers nothing. */
    static String plain(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
    }
}
