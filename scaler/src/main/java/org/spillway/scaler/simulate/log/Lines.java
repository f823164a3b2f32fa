package org.spillway.scaler.simulate.log;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/** Lines with their numbers, none longer than a bound: a log is another's text. */
final class Lines {
    static final int MOST_CHARACTERS = 1 << 20;

    private final BufferedReader in;
    private long number;
    private boolean cut;

    Lines(Reader in) {
        this.in = new BufferedReader(in, 1 << 16);
    }

    /** The next line; null at the end. Of one that is too long only the beginning; {@link #wasCut} tells. */
    @Nullable
    String next() throws IOException {
        var text = new StringBuilder(128);
        cut = false;
        int c = in.read();
        if (c < 0) {
            return null;
        }
        while (c >= 0 && c != '\n') {
            if (text.length() < MOST_CHARACTERS) {
                text.append((char) c);
            } else {
                cut = true;
            }
            c = in.read();
        }
        number++;
        int length = text.length();
        if (length > 0 && text.charAt(length - 1) == '\r') {
            text.setLength(length - 1);
        }
        return text.toString();
    }

    long number() {
        return number;
    }

    boolean wasCut() {
        return cut;
    }
}
