package org.spillway.image.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.image.tree.Difference.Change;

/** Differences for people. */
public final class DifferenceText {
    private static final int DIGITS = 12;

    private DifferenceText() {}

    public static String path(Difference one) {
        return "/" + RawName.shown(one.path());
    }

    public static List<String> words(Difference one) {
        return one.changes().stream()
                .map(Change::name)
                .map(name -> name.toLowerCase(Locale.ROOT))
                .toList();
    }

    public static String line(Difference one) {
        return String.join(", ", words(one));
    }

    /** Of what has one value before and one after, both. */
    public static String how(Difference one) {
        Entry was = one.was();
        Entry is = one.is();
        if (was == null || is == null) {
            return described(was == null ? is : was);
        }
        var parts = new ArrayList<String>();
        for (var change : one.changes()) {
            switch (change) {
                case MODE -> parts.add(mode(was) + " to " + mode(is));
                case OWNER -> parts.add(was.uid() + ":" + was.gid() + " to " + is.uid() + ":" + is.gid());
                case TYPE -> parts.add(kind(was) + " to " + kind(is));
                case TARGET, DEVICE -> parts.add(RawName.shown(was.content()) + " to " + RawName.shown(is.content()));
                case CONTENT ->
                    parts.add(
                            was.size() == is.size()
                                    ? "other " + is.size() + " bytes"
                                    : was.size() + " to " + is.size() + " bytes");
                case ATTRIBUTES -> parts.add(attributes(was, is));
                case LINKS -> parts.add("other names of the same file");
                case ADDED, REMOVED, UNREADABLE, COVERED -> {}
            }
        }
        return String.join("; ", parts);
    }

    private static String attributes(Entry was, Entry is) {
        return Stream.concat(was.attributes().keySet().stream(), is.attributes().keySet().stream())
                .distinct()
                .filter(name -> !Objects.equals(
                        was.attributes().get(name), is.attributes().get(name)))
                .sorted()
                .map(RawName::shown)
                .collect(Collectors.joining(", "));
    }

    private static String mode(Entry entry) {
        return String.format(Locale.ROOT, "%04o", entry.mode());
    }

    private static String kind(Entry entry) {
        return entry.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    public static String described(@Nullable Entry entry) {
        if (entry == null) {
            return "";
        }
        return kind(entry) + " " + mode(entry) + " " + entry.uid() + ":" + entry.gid()
                + switch (entry.kind()) {
                    case FILE ->
                        " " + entry.size() + " bytes " + entry.content().substring(0, DIGITS);
                    case SYMLINK -> " to " + RawName.shown(entry.content());
                    case CHARACTER, BLOCK -> " " + entry.content();
                    default -> "";
                };
    }
}
