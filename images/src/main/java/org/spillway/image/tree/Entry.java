package org.spillway.image.tree;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A name of a tree, and what it is the name of.
 *
 * @param path below the root as {@link RawName}, empty for the root itself
 * @param mode permissions with setuid, setgid and sticky; 0 for a further name of a file
 * @param size of a file, in bytes; else 0
 * @param content a file's SHA-256, a link's target, a device's {@code MAJOR:MINOR}, of a further name the first one; else empty
 * @param attributes extended ones, values as {@link RawName}
 */
public record Entry(
        String path,
        Kind kind,
        int mode,
        long uid,
        long gid,
        long size,
        String content,
        SortedMap<String, String> attributes) {
    /** Types of files, each with its letter in a manifest. */
    public enum Kind {
        FOLDER('d'),
        FILE('f'),
        SYMLINK('l'),
        CHARACTER('c'),
        BLOCK('b'),
        PIPE('p'),
        SOCKET('s'),
        /** A further name of what has another name before it. */
        HARD_LINK('h');

        final char letter;

        Kind(char letter) {
            this.letter = letter;
        }
    }

    public Entry {
        attributes = Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
    }

    /** A further name. @param firstPath the name of it that comes first */
    public static Entry hardLink(String path, String firstPath) {
        return new Entry(path, Kind.HARD_LINK, 0, 0, 0, 0, firstPath, new TreeMap<>());
    }

    /** The same under another name. */
    Entry as(String otherPath) {
        return new Entry(otherPath, kind, mode, uid, gid, size, content, attributes);
    }
}
