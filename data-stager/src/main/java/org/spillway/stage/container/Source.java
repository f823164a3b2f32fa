package org.spillway.stage.container;

import java.io.IOException;
import java.io.InputStream;

/** The place that an image is fetched from. Nothing that it gives is verified. */
interface Source {
    /** Digest of the index or the image that its name stands for by now. */
    String digest() throws IOException;

    byte[] manifest(String digest, int mostBytes) throws IOException;

    /** A blob from that byte on, or from its beginning. */
    Registry.From blob(String digest, long from) throws IOException;

    /** A body that is here already. */
    static Registry.From whole(InputStream body) {
        return new Registry.From(0, body);
    }
}
