package org.spillway.image.tree;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.image.ImageRefused;
import org.spillway.image.tree.Difference.Change;

/**
 * Differences between a version and a tree that another machine has compared with it:
 *
 * <pre>
 * is LINE                   as a manifest would have it
 * gone PATH
 * broken PATH               a file whose disk does not give it
 * mounted PATH              something else is mounted there
 * more COUNT                that are not named
 * seen NAMES BYTES NEXT     the last: what was compared
 * </pre>
 *
 * @param more how many differ beside those
 * @param names that were compared, and {@code bytes} that were read for it
 */
public record Findings(List<Difference> differences, long more, long names, long bytes) {
    private static final String NUMBER = "[0-9]{1,15}";

    public Findings {
        differences = List.copyOf(differences);
    }

    public boolean same() {
        return differences.isEmpty() && more == 0;
    }

    /** @throws ImageRefused if the text is not that, or has no end */
    public static Findings parse(Manifest wanted, String text) throws ImageRefused {
        List<Difference> all = new ArrayList<>();
        long more = 0;
        for (String line : text.lines().toList()) {
            String[] words = line.split(" ", 2);
            String rest = words.length > 1 ? words[1] : "";
            switch (words[0]) {
                case "is" -> all.add(is(wanted, rest));
                case "gone" -> all.add(plainly(wanted, rest, Change.REMOVED));
                case "broken" -> all.add(plainly(wanted, rest, Change.UNREADABLE));
                case "mounted" -> all.add(plainly(wanted, rest, Change.COVERED));
                case "more" -> more = rest.matches(NUMBER) ? Long.parseLong(rest) : 1;
                case "seen" -> {
                    String[] seen = rest.split(" ", -1);
                    if (!rest.matches(NUMBER + " " + NUMBER + " " + NUMBER)) {
                        throw new ImageRefused("the end of what was found cannot be read");
                    }
                    return new Findings(all, more, Long.parseLong(seen[0]), Long.parseLong(seen[1]));
                }
                default -> throw new ImageRefused("a line of what was found cannot be read");
            }
        }
        throw new ImageRefused("what was found has no end");
    }

    private static Difference is(Manifest wanted, String line) throws ImageRefused {
        Entry is = Manifest.entry(line);
        @Nullable Entry was = wanted.at(is.path());
        Set<Change> changes = Difference.changes(was, is);
        return new Difference(is.path(), changes.isEmpty() ? EnumSet.of(Change.LINKS) : changes, was, is);
    }

    private static Difference plainly(Manifest wanted, String escaped, Change change) throws ImageRefused {
        String path = escaped.equals(".") ? "" : RawName.unescaped(escaped);
        return new Difference(path, EnumSet.of(change), wanted.at(path), null);
    }
}
