package org.spillway.cli;

import java.util.ArrayList;
import java.util.List;

/** Text in aligned columns, two spaces apart; {@code -} where a cell is empty. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... headings) {
        rows.add(List.of(headings));
    }

    public Table row(Object... cells) {
        var row = new ArrayList<String>();
        for (var cell : cells) {
            row.add(cell(String.valueOf(cell)));
        }
        rows.add(row);
        return this;
    }

    private static String cell(String text) {
        // Text from nodes and providers ends up here: one line, and nothing that steers a terminal.
        return text.isBlank() ? "-" : text.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
    }

    @Override
    public String toString() {
        var widths = new int[rows.getFirst().size()];
        for (var row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        var out = new StringBuilder();
        for (var row : rows) {
            var line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length() + 2);
            }
            out.append(line.toString().stripTrailing()).append('\n');
        }
        return out.toString();
    }
}
