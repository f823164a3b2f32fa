package org.spillway.head.journal;

/**
 * Keys of jobs that were given to a workload manager: {@code MANAGER:NUMBER:SUBMITTED}, the name of at most 32 characters.
 * No client may choose such a key. Asked some times for each job in each tick, so no pattern is compiled to it.
 */
final class ForeignKey {
    private static final int LONGEST_NAME = 32;

    private ForeignKey() {}

    static boolean is(String key) {
        int name = key.indexOf(':');
        return name > 0
                && name <= LONGEST_NAME
                && isName(key, name)
                && isNumbers(key, name + 1, key.indexOf(':', name + 1));
    }

    private static boolean isName(String key, int end) {
        for (int at = 0; at < end; at++) {
            char c = key.charAt(at);
            boolean letter = c >= 'a' && c <= 'z';
            if (!letter && (at == 0 || !(isDigit(c) || c == '-'))) {
                return false;
            }
        }
        return true;
    }

    /** A number of tasks and a time, with a colon in between. */
    private static boolean isNumbers(String key, int from, int colon) {
        if (colon <= from || colon == key.length() - 1 || key.charAt(from) == '_') {
            return false;
        }
        for (int at = from; at < key.length(); at++) {
            char c = key.charAt(at);
            if (at != colon && !isDigit(c) && !(c == '_' && at < colon)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
