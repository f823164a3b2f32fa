package org.spillway.image.tree;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.image.tree.Entry.Kind;

/** The packages that own the files of a tree, as its own dpkg has written it down. */
public final class PackageLists {
    private static final String INFO = "var/lib/dpkg/info/";
    private static final String END = ".list";
    /** As many links as the kernel follows in one path. */
    private static final int LINKS_MAX = 40;

    private final Map<String, String> owners;

    private PackageLists(Map<String, String> owners) {
        this.owners = owners;
    }

    /** Reads a file of the tree. */
    @FunctionalInterface
    public interface Texts {
        /** The text with one character for each byte. */
        String of(Entry file) throws IOException;
    }

    /** A tree without dpkg's lists has no owners. */
    public static PackageLists of(Manifest tree, Texts texts) throws IOException {
        var owners = new HashMap<String, String>();
        for (Entry entry : tree.entries()) {
            if (entry.kind() == Kind.FILE
                    && entry.path().startsWith(INFO)
                    && entry.path().endsWith(END)) {
                String name = entry.path().substring(INFO.length(), entry.path().length() - END.length());
                // "libc6:amd64" is libc6 to whoever asks which package it is.
                String owner = RawName.shown(name.replaceFirst(":.*", ""));
                texts.of(entry)
                        .lines()
                        .filter(line -> line.startsWith("/") && line.length() > 2)
                        .map(line -> resolved(tree, line.substring(1)))
                        .filter(path -> !isFolder(tree, path))
                        .forEach(path -> owners.merge(path, owner, (a, b) -> a.equals(b) ? a : a + ", " + b));
            }
        }
        return new PackageLists(owners);
    }

    private static boolean isFolder(Manifest tree, String path) {
        Entry entry = tree.at(path);
        return entry != null && entry.kind() == Kind.FOLDER;
    }

    /** Follows links to folders on the way, as {@code bin} is one to {@code usr/bin}; not in the last part. */
    private static String resolved(Manifest tree, String path) {
        String rest = path;
        String done = "";
        int links = 0;
        while (true) {
            int slash = rest.indexOf('/');
            if (slash < 0) {
                return done + rest;
            }
            String folder = done + rest.substring(0, slash);
            @Nullable Entry entry = tree.at(folder);
            if (entry == null || entry.kind() != Kind.SYMLINK || links++ == LINKS_MAX) {
                done = folder + "/";
                rest = rest.substring(slash + 1);
            } else if (entry.content().startsWith("/")) {
                rest = entry.content().substring(1) + rest.substring(slash);
                done = "";
            } else {
                rest = entry.content() + rest.substring(slash);
            }
        }
    }

    /** Both trees' lists; where both know a path, this one's owner. */
    public PackageLists orElse(PackageLists other) {
        var both = new HashMap<>(other.owners);
        both.putAll(owners);
        return new PackageLists(both);
    }

    /** Names of packages, empty for a file that no package has brought. */
    public String owner(String path) {
        return owners.getOrDefault(path, "");
    }

    /** Packages of a tree. */
    public static long count(Manifest tree) {
        return tree.entries().stream()
                .filter(entry -> entry.path().startsWith(INFO) && entry.path().endsWith(END))
                .count();
    }
}
