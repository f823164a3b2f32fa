package org.spillway.image.tree;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.spillway.image.tree.Entry.Kind;

/**
 * A path at which two trees are not the same.
 *
 * @param was what the first has there, null for nothing
 * @param is what the second has there, null for nothing
 */
public record Difference(
        String path,
        Set<Change> changes,
        @Nullable Entry was,
        @Nullable Entry is) {
    /** Kinds of changes. */
    public enum Change {
        ADDED,
        REMOVED,
        TYPE,
        CONTENT,
        TARGET,
        DEVICE,
        MODE,
        OWNER,
        /** Other names of the same file. */
        LINKS,
        ATTRIBUTES,
        /** The file is there, and its disk does not give it. */
        UNREADABLE,
        /** Something else is mounted there. */
        COVERED
    }

    public Difference {
        changes = java.util.Collections.unmodifiableSet(EnumSet.copyOf(changes));
    }

    /** All of them, by path. @param left paths that are not looked at */
    public static List<Difference> between(Manifest was, Manifest is, Predicate<String> left) {
        var paths = new TreeSet<String>();
        was.entries().forEach(entry -> paths.add(entry.path()));
        is.entries().forEach(entry -> paths.add(entry.path()));
        Map<String, String> namesThen = firstNames(was);
        Map<String, String> namesNow = firstNames(is);
        var all = new ArrayList<Difference>();
        for (String path : paths) {
            if (left.test(path)) {
                continue;
            }
            var changes = changes(was.at(path), is.at(path));
            if (!namesThen.getOrDefault(path, "").equals(namesNow.getOrDefault(path, ""))
                    && was.at(path) != null
                    && is.at(path) != null) {
                changes.add(Change.LINKS);
            }
            if (!changes.isEmpty()) {
                all.add(new Difference(path, changes, was.at(path), is.at(path)));
            }
        }
        return all;
    }

    /** For each name of a file that has several, the first of them. */
    private static Map<String, String> firstNames(Manifest tree) {
        var names = new HashMap<String, String>();
        for (Entry entry : tree.entries()) {
            if (entry.kind() == Kind.HARD_LINK) {
                names.put(entry.path(), entry.content());
                names.put(entry.content(), entry.content());
            }
        }
        return names;
    }

    static Set<Change> changes(@Nullable Entry was, @Nullable Entry is) {
        var changes = EnumSet.noneOf(Change.class);
        if (was == null || is == null) {
            changes.add(was == null ? Change.ADDED : Change.REMOVED);
            return changes;
        }
        if (was.kind() != is.kind()) {
            changes.add(Change.TYPE);
        } else if (was.size() != is.size() || !was.content().equals(is.content())) {
            changes.add(
                    switch (was.kind()) {
                        case SYMLINK -> Change.TARGET;
                        case CHARACTER, BLOCK -> Change.DEVICE;
                        default -> Change.CONTENT;
                    });
        }
        if (was.mode() != is.mode()) {
            changes.add(Change.MODE);
        }
        if (was.uid() != is.uid() || was.gid() != is.gid()) {
            changes.add(Change.OWNER);
        }
        if (!was.attributes().equals(is.attributes())) {
            changes.add(Change.ATTRIBUTES);
        }
        return changes;
    }
}
