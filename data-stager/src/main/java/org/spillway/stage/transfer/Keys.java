package org.spillway.stage.transfer;

/**
 * The rule for keys of objects: relative segments of {@code [A-Za-z0-9._-]} divided by {@code /}. Every backend and the
 * director judge by this one rule, so that no key means something else on the other side.
 */
public final class Keys {
    /** Longest key, in characters. */
    public static final int MAX_LENGTH = 1000;
    /** Longest segment: a file name of 255 bytes with room for the suffixes of hidden and growing files. */
    public static final int MAX_SEGMENT_LENGTH = 200;
    /** A growing object lies at {@code KEY.part}, so no segment may end so. */
    static final String PART_SUFFIX = ".part";

    private Keys() {}

    /**
     * Returns {@code key} unchanged when it is one.
     *
     * @throws IllegalArgumentException if it is not; the message says why
     */
    public static String check(String key) {
        if (key.isEmpty() || key.length() > MAX_LENGTH) {
            throw refuse(key, "it must have 1 to " + MAX_LENGTH + " characters");
        }
        int start = 0;
        for (int end = 0; end <= key.length(); end++) {
            if (end == key.length() || key.charAt(end) == '/') {
                checkSegment(key, key.substring(start, end));
                start = end + 1;
            } else if (!allowed(key.charAt(end))) {
                throw refuse(key, "only letters, digits, '.', '_', '-' and '/' are allowed");
            }
        }
        return key;
    }

    private static void checkSegment(String key, String segment) {
        if (segment.isEmpty()) {
            throw refuse(key, "it must be relative and without empty segments");
        }
        if (segment.equals(".") || segment.equals("..")) {
            throw refuse(key, "'.' and '..' are not allowed");
        }
        if (segment.length() > MAX_SEGMENT_LENGTH) {
            throw refuse(key, "a segment has more than " + MAX_SEGMENT_LENGTH + " characters");
        }
        if (segment.endsWith(PART_SUFFIX)) {
            throw refuse(key, "a segment may not end in '" + PART_SUFFIX + "', the mark of growing objects");
        }
    }

    private static boolean allowed(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '.'
                || c == '_'
                || c == '-';
    }

    private static IllegalArgumentException refuse(String key, String reason) {
        StringBuilder shown = new StringBuilder();
        key.chars().limit(80).forEach(c -> shown.append(c >= ' ' && c < 127 ? (char) c : '?'));
        return new IllegalArgumentException("not a key: '" + shown + "': " + reason);
    }
}
