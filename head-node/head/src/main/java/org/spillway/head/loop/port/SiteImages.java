package org.spillway.head.loop.port;

import java.io.IOException;
import java.util.List;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;

/** The images that new nodes take, and the trees that lie beside them. */
public interface SiteImages {
    /** The version at home now of what nodes without a category take. */
    ImageGrant current();

    /** The same of a category; {@link ImageGrant#NONE} for one that there is not. @param name empty for none */
    default ImageGrant category(String name) {
        return name.isEmpty() ? current() : ImageGrant.NONE;
    }

    /** The tree of an overlay; {@link ImageGrant#NONE} for one that there is not. */
    default ImageGrant overlay(String name) {
        return ImageGrant.NONE;
    }

    /** All of these, each once. */
    default List<ImageGrant> all() {
        return List.of(current());
    }

    /** Brings that version into a site; there already is success. */
    void replicate(DirectorTarget director, ImageGrant image) throws IOException, LinkDownException;
}
