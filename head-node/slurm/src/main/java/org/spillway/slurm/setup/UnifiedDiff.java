package org.spillway.slurm.setup;

import java.util.ArrayList;
import java.util.List;

/** The difference of two texts as {@code diff -u} writes it. Pure. */
final class UnifiedDiff {
    private static final int CONTEXT = 3;
    /** Of lines times lines: what is larger is shown as one change. */
    private static final long MOST_CELLS = 16_000_000;

    private static final String NO_END = "\\ No newline at end of file\n";

    private final List<String> before;
    private final List<String> after;
    /** A sign and a line each: blank, - or +. */
    private final List<String> script = new ArrayList<>();

    private UnifiedDiff(String before, String after) {
        this.before = ConfText.lines(before);
        this.after = ConfText.lines(after);
    }

    /** @param from name of the text before @return empty when the texts are the same */
    static String of(String from, String to, String before, String after) {
        if (before.equals(after)) {
            return "";
        }
        var diff = new UnifiedDiff(before, after);
        diff.compare();
        return "--- " + from + "\n+++ " + to + "\n" + diff.hunks();
    }

    private void compare() {
        int head = 0;
        while (head < before.size() && head < after.size() && before.get(head).equals(after.get(head))) {
            head++;
        }
        int tail = 0;
        while (tail < before.size() - head
                && tail < after.size() - head
                && before.get(before.size() - 1 - tail).equals(after.get(after.size() - 1 - tail))) {
            tail++;
        }
        before.subList(0, head).forEach(line -> script.add(" " + line));
        middle(before.subList(head, before.size() - tail), after.subList(head, after.size() - tail));
        before.subList(before.size() - tail, before.size()).forEach(line -> script.add(" " + line));
    }

    private void middle(List<String> old, List<String> fresh) {
        if ((long) old.size() * fresh.size() > MOST_CELLS) {
            old.forEach(line -> script.add("-" + line));
            fresh.forEach(line -> script.add("+" + line));
            return;
        }
        int[][] common = new int[old.size() + 1][fresh.size() + 1];
        for (int i = old.size() - 1; i >= 0; i--) {
            for (int j = fresh.size() - 1; j >= 0; j--) {
                common[i][j] = old.get(i).equals(fresh.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        int i = 0;
        int j = 0;
        while (i < old.size() || j < fresh.size()) {
            if (i < old.size() && j < fresh.size() && old.get(i).equals(fresh.get(j))) {
                script.add(" " + old.get(i++));
                j++;
            } else if (i < old.size() && (j == fresh.size() || common[i + 1][j] >= common[i][j + 1])) {
                script.add("-" + old.get(i++));
            } else {
                script.add("+" + fresh.get(j++));
            }
        }
    }

    private String hunks() {
        var text = new StringBuilder();
        int at = 0;
        int oldLine = 1;
        int newLine = 1;
        while (at < script.size()) {
            int change = next(at);
            if (change == script.size()) {
                break;
            }
            int from = Math.max(at, change - CONTEXT);
            oldLine += from - at;
            newLine += from - at;
            int end = change + 1;
            for (int further = next(end); further < script.size() && further <= end + 2 * CONTEXT; ) {
                end = further + 1;
                further = next(end);
            }
            int to = Math.min(script.size(), end + CONTEXT);
            var body = new StringBuilder();
            int old = 0;
            int fresh = 0;
            for (String line : script.subList(from, to)) {
                old += line.charAt(0) == '+' ? 0 : 1;
                fresh += line.charAt(0) == '-' ? 0 : 1;
                body.append(line).append(line.endsWith("\n") ? "" : "\n" + NO_END);
            }
            text.append("@@ -").append(range(oldLine, old)).append(" +").append(range(newLine, fresh));
            text.append(" @@\n").append(body);
            oldLine += old;
            newLine += fresh;
            at = to;
        }
        return text.toString();
    }

    private int next(int from) {
        int at = from;
        while (at < script.size() && script.get(at).charAt(0) == ' ') {
            at++;
        }
        return at;
    }

    private static String range(int first, int count) {
        return (count == 0 ? first - 1 : first) + (count == 1 ? "" : "," + count);
    }
}
