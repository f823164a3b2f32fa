package org.spillway.stage.tree;

import java.util.ArrayList;
import java.util.List;

/**
 * A pattern of paths: {@code *} and {@code ?} (not across {@code /}), {@code [a-z]}, {@code [!a]}, {@code **} alone
 * between slashes (any number of folders), <code>{a,b}</code> (nested), and a backslash that takes the meaning from the
 * next character. Folders that a pattern matches mean all that is in them.
 *
 * <p>As in bash, a name that begins with a dot is matched only where the pattern has the dot written at that place; what
 * lies inside a matched folder is meant with its hidden files. Repeated slashes, a trailing one and {@code .} folders are
 * dropped; {@code ..} is refused. Paths that are asked about are written without any of those. Characters are Unicode
 * code points.
 */
public final class Glob {
    /** Most alternatives that braces may expand to. */
    public static final int ALTERNATIVES_MAX = 256;
    /** Longest pattern, in characters. */
    public static final int TEXT_MAX = 4096;

    private final String text;
    private final GlobParser.Parsed parsed;

    private Glob(String text, GlobParser.Parsed parsed) {
        this.text = text;
        this.parsed = parsed;
    }

    /** @throws IllegalArgumentException with the position, counted from 1, and what is wrong there */
    public static Glob parse(String text) {
        return new Glob(text, new GlobParser(text).parse());
    }

    /** Whether nothing in it is special: it names one file or folder. */
    public boolean isPlain() {
        return parsed.plain();
    }

    /** Whether it begins with a slash; then it only matches paths that do. */
    public boolean isAbsolute() {
        return parsed.absolute();
    }

    /**
     * The fixed part, without escapes: of a plain pattern all of it; else the longest folder, or empty, below which
     * every match lies. It is what a tree loses when it is put into another folder.
     */
    public String base() {
        return (isAbsolute() ? "/" : "") + String.join("/", parsed.base());
    }

    /** Whether it matches this very path. */
    public boolean matches(String path) {
        if (path.startsWith("/") != isAbsolute()) {
            return false;
        }
        Walk walk = walk();
        for (String name : names(path)) {
            walk = walk.enter(name);
        }
        return walk.isMatched();
    }

    /** Whether it matches this path or a folder above it. */
    public boolean covers(String path) {
        if (path.startsWith("/") != isAbsolute()) {
            return false;
        }
        Walk walk = walk();
        for (String name : names(path)) {
            if (walk.isCovered() || walk.isDead()) {
                break;
            }
            walk = walk.enter(name);
        }
        return walk.isCovered();
    }

    private static List<String> names(String path) {
        String relative = path.startsWith("/") ? path.substring(1) : path;
        return relative.isEmpty() ? List.of() : List.of(relative.split("/", -1));
    }

    /**
     * A POSIX extended regular expression for whole paths as {@code find .} prints them ({@code ./a/b}), or
     * {@code find /} for an absolute pattern: it matches what {@link #covers}. For GNU find's
     * {@code -regextype posix-extended -regex} with {@code LC_ALL=C.UTF-8}; other locales count bytes as characters.
     */
    public String posixRegex() {
        return GlobRegex.of(isAbsolute(), parsed.alternatives());
    }

    /** Where a walk through folders begins: at {@code /} or at the folder that the pattern is relative to. */
    public Walk walk() {
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < parsed.alternatives().size(); i++) {
            add(places, i, 0);
        }
        return new Walk(places, false);
    }

    @Override
    public String toString() {
        return text;
    }

    /** @param next index of the segment that is to match next */
    private record Place(int alternative, int next) {}

    private void add(List<Place> places, int alternative, int next) {
        Place place = new Place(alternative, next);
        if (!places.contains(place)) {
            places.add(place);
        }
        List<GlobSegment> segments = parsed.alternatives().get(alternative);
        if (next + 1 < segments.size() && segments.get(next).isAnyFolders()) {
            add(places, alternative, next + 1); // it also stands for no folder at all
        }
    }

    /** How far a pattern has matched the folders on the way to some place. */
    public final class Walk {
        private final List<Place> places;
        private final boolean matched;
        private final boolean covered;

        private Walk(List<Place> places, boolean coveredAbove) {
            this.places = places;
            this.matched = places.stream()
                    .anyMatch(place -> place.next()
                            == parsed.alternatives().get(place.alternative()).size());
            this.covered = coveredAbove || matched;
        }

        /** The walk one name further down. */
        public Walk enter(String name) {
            List<Place> below = new ArrayList<>();
            for (Place place : places) {
                List<GlobSegment> segments = parsed.alternatives().get(place.alternative());
                if (place.next() < segments.size() && segments.get(place.next()).matches(name)) {
                    boolean many = segments.get(place.next()).isAnyFolders();
                    if (many) {
                        add(below, place.alternative(), place.next());
                    }
                    if (!many || place.next() + 1 == segments.size()) {
                        add(below, place.alternative(), place.next() + 1);
                    }
                }
            }
            return new Walk(below, covered);
        }

        /** Whether the pattern matches this place itself. */
        public boolean isMatched() {
            return matched;
        }

        /** Whether the pattern matches this place or a folder above it. */
        public boolean isCovered() {
            return covered;
        }

        /** Whether nothing here or below can be meant any more. */
        public boolean isDead() {
            return !covered && places.isEmpty();
        }
    }
}
