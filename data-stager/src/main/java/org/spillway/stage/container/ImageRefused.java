package org.spillway.stage.container;

import java.io.IOException;

/** An image cannot be had, and no other try mends that. The message is for its user, and holds no secret. */
public final class ImageRefused extends IOException {
    private static final long serialVersionUID = 1;

    public ImageRefused(String message) {
        super(message);
    }
}
