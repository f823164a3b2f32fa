package org.spillway.head.loop;

import java.io.IOException;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;

/** The image that new nodes take. */
public interface SiteImages {
    /** The version at home now. */
    ImageGrant current();

    /** Brings that version into a site; there already is success. */
    void replicate(DirectorTarget director, ImageGrant image) throws IOException, LinkDownException;
}
