package org.spillway.head.loop.port;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.rollout.Version;

/** The images that new nodes take, and the trees that lie beside them. */
public interface SiteImages {
    /** The version at home now of what nodes without a category take. */
    ImageGrant current();

    /** The same of a category; {@link ImageGrant#NONE} for one that there is not. @param name empty for none */
    default ImageGrant category(String name) {
        return name.isEmpty() ? current() : ImageGrant.NONE;
    }

    /** The grant of a version of the image store; {@link ImageGrant#NONE} until it is there as a file system. */
    default ImageGrant version(Version version) {
        return ImageGrant.NONE;
    }

    /**
     * Versions that are wanted from now on beside what the configuration names: they are made file systems, brought to sites,
     * and not collected. Never waits.
     */
    default void hold(Set<Version> versions) {}

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
