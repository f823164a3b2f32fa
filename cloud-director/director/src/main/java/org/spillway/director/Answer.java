package org.spillway.director;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.spillway.director.session.Sessions;

/** An answer over HTTP. */
sealed interface Answer {
    /** A small body. */
    record Text(int status, byte[] body) implements Answer {}

    /** A sealed object of the staging space. @param from the first byte that is asked for, less than {@code bytes} or 0 */
    record Sealed(String key, long bytes, long from) implements Answer {}

    /** The difference of an input from another one. @param base the SHA-256 of that one's stream */
    record Layer(String key, String base) implements Answer {}

    /** A piece of a stream, with headers that say which bytes it holds. */
    record Piece(LogShelf.Piece piece) implements Answer {}

    /** A stream both ways, which ends with its connection. */
    record TwoWay(Carrier carrier) implements Answer {}

    /** Carries a stream until either side is gone. */
    interface Carrier {
        void carry(InputStream from, Sessions.Opening answer) throws IOException, InterruptedException;
    }

    static Answer text(int status, String body) {
        return new Text(status, body.getBytes(StandardCharsets.UTF_8));
    }

    static Answer ok(String body) {
        return text(200, body);
    }

    /** An answer of one line that says why. */
    static Answer error(int status, String reason) {
        return text(status, reason + "\n");
    }
}
