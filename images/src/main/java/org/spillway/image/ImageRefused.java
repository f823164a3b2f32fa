package org.spillway.image;

import java.io.IOException;

/** A tree or archive that cannot be an image. The message names the path and the reason. */
public final class ImageRefused extends IOException {
    private static final long serialVersionUID = 1;

    public ImageRefused(String message) {
        super(message);
    }
}
