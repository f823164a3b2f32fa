package org.spillway.settings;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.yaml.snakeyaml.nodes.Node;

/** Collects mistakes while the file is read on, so that all of them can be shown at once. */
public final class Problems {
    /** More than anybody corrects in one go. */
    private static final int MOST = 100;

    private final List<Mistake> found = new ArrayList<>();

    public void add(Node where, String key, String message) {
        add(where.getStartMark().getLine() + 1, key, message);
    }

    public void add(int line, String key, String message) {
        if (found.size() < MOST) {
            found.add(new Mistake(line, printable(key, 120), printable(message, 600)));
        }
    }

    /** A file may hold anything; a terminal gets one line without control characters. */
    private static String printable(String text, int most) {
        var line = text.replaceAll("\\p{Cntrl}", "?");
        return line.length() <= most ? line : line.substring(0, most) + "...";
    }

    public boolean none() {
        return found.isEmpty();
    }

    public List<Mistake> inOrder() {
        return found.stream().sorted(Comparator.comparingInt(Mistake::line)).toList();
    }
}
