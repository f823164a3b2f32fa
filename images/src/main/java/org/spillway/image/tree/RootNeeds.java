package org.spillway.image.tree;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.spillway.image.tree.Entry.Kind;

/** Needs of jobs that have a tree as their root. */
public final class RootNeeds {
    private static final int MOST_LINKS = 40;

    /** Where a node puts its own; a link there would lead out of the tree. */
    private static final List<String> PLACES = List.of("dev", "proc", "sys", "tmp", "var", "var/tmp", "etc");

    private RootNeeds() {}

    /** @return the first lack, as {@code it has no /bin/sh}; empty when jobs can live in it */
    public static Optional<String> lack(Manifest tree) {
        for (String place : PLACES) {
            Entry entry = tree.at(place);
            if (entry != null && entry.kind() != Kind.FOLDER) {
                return Optional.of("its /" + place + " is no folder");
            }
        }
        if (!isProgram(tree, "bin/sh")) {
            return Optional.of("it has no /bin/sh");
        }
        return isProgram(tree, "usr/bin/env") || isProgram(tree, "bin/env")
                ? Optional.empty()
                : Optional.of("it has no /usr/bin/env");
    }

    private static boolean isProgram(Manifest tree, String path) {
        Entry found = followed(tree, path);
        return found != null && found.kind() == Kind.FILE && (found.mode() & 0111) != 0;
    }

    /** The entry behind all links, as the kernel finds it in a process whose root the tree is. */
    private static @org.jspecify.annotations.Nullable Entry followed(Manifest tree, String path) {
        var left = new ArrayDeque<>(Arrays.asList(path.split("/")));
        var at = new ArrayDeque<String>();
        for (int links = 0; !left.isEmpty(); ) {
            String name = left.removeFirst();
            if (name.equals("..")) {
                at.pollLast();
            } else if (!name.isEmpty() && !name.equals(".")) {
                at.addLast(name);
            }
            Entry entry = tree.at(String.join("/", at));
            if (entry == null) {
                return null;
            }
            if (entry.kind() == Kind.SYMLINK) {
                if (++links > MOST_LINKS) {
                    return null;
                }
                at.removeLast();
                if (entry.content().startsWith("/")) {
                    at.clear();
                }
                Arrays.asList(entry.content().split("/")).reversed().forEach(left::addFirst);
            }
        }
        return tree.at(String.join("/", at));
    }
}
