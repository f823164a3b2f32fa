package org.spillway.image.store;

import java.io.IOException;

/** The head's key: who makes versions, and who must have made those that are believed. */
public interface Seal {
    /** @return base64, another one at each call */
    String sign(String text) throws IOException;

    /** Whether {@link #sign} of the same key has made it. */
    boolean holds(String text, String signature) throws IOException;
}
