package org.spillway.proof.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;

/** The figures of one run, for people and for programs. */
public record BenchReport(Machine machine, List<Figure> figures) {
    static final int SCHEMA = 1;

    public BenchReport {
        figures = List.copyOf(figures);
    }

    public boolean allMet() {
        return figures.stream().noneMatch(figure -> figure.verdict().equals("missed"));
    }

    String table() {
        String[] headings = {"FIGURE", "TARGET", "MEASURED", "VERDICT", "HOW"};
        List<String[]> rows = figures.stream()
                .map(one -> new String[] {one.name(), one.wanted(), one.measured(), one.verdict(), one.how()})
                .toList();
        int[] widths = new int[headings.length];
        for (int column = 0; column < widths.length; column++) {
            int at = column;
            widths[column] = Math.max(
                    headings[column].length(),
                    rows.stream().mapToInt(row -> row[at].length()).max().orElse(0));
        }
        var text = new StringBuilder(line(headings, widths));
        rows.forEach(row -> text.append(line(row, widths)));
        return text.append(String.format(
                        Locale.ROOT,
                        "machine: %d cores, %.1f GiB memory, Java %s, load %.2f before%n",
                        machine.cores(),
                        machine.memoryBytes() / (double) (1L << 30),
                        machine.java(),
                        machine.loadAverage()))
                .toString();
    }

    private static String line(String[] cells, int[] widths) {
        var line = new StringBuilder();
        for (int column = 0; column < cells.length; column++) {
            String cell = cells[column].isEmpty() ? "-" : cells[column];
            line.append(cell).repeat(' ', Math.max(0, widths[column] - cell.length()) + 2);
        }
        return line.toString().stripTrailing() + System.lineSeparator();
    }

    String json() {
        ObjectNode root = JsonMapper.builder().build().createObjectNode();
        root.put("schema", SCHEMA);
        root.putObject("machine")
                .put("cores", machine.cores())
                .put("memoryBytes", machine.memoryBytes())
                .put("java", machine.java())
                .put("loadAverage", machine.loadAverage());
        var list = root.putArray("figures");
        for (Figure figure : figures) {
            ObjectNode node = list.addObject();
            node.put("name", figure.name()).put("value", figure.value()).put("unit", figure.unit());
            figure.target().ifPresentOrElse(target -> node.put("target", target), () -> node.putNull("target"));
            node.put("verdict", figure.verdict()).put("how", figure.how());
        }
        return root.toPrettyString();
    }
}
