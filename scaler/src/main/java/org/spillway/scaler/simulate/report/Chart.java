package org.spillway.scaler.simulate.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A line chart as SVG: time from left to right, one line for each series, all from zero. */
final class Chart {
    private static final int WIDTH = 860;
    private static final int HEIGHT = 240;
    private static final int LEFT = 70;
    private static final int BOTTOM = 26;
    private static final int TOP = 10;

    private final String title;
    private final String from;
    private final String to;
    private final List<Line> lines = new ArrayList<>();

    private record Line(String name, int colour, double[] values) {}

    /** @param from the text at the left end */
    Chart(String title, String from, String to) {
        this.title = title;
        this.from = from;
        this.to = to;
    }

    /** @param colour 0 or more; each has a class of its own in the page */
    Chart line(String name, int colour, double[] values) {
        lines.add(new Line(name, colour, values));
        return this;
    }

    String svg() {
        double most = 0;
        int longest = 2;
        for (Line line : lines) {
            longest = Math.max(longest, line.values().length);
            for (double value : line.values()) {
                most = Math.max(most, value);
            }
        }
        most = most == 0 ? 1 : most;
        var text = new StringBuilder("<figure><figcaption>" + HtmlPage.escape(title) + "</figcaption>\n");
        text.append(String.format(
                Locale.ROOT,
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n",
                WIDTH,
                HEIGHT,
                HtmlPage.escape(title)));
        for (int i = 0; i <= 4; i++) {
            double value = most * i / 4;
            double y = y(value, most);
            text.append(String.format(
                    Locale.ROOT,
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                            + "<text class=\"right\" x=\"%d\" y=\"%.1f\">%s</text>%n",
                    LEFT,
                    WIDTH,
                    y,
                    y,
                    LEFT - 6,
                    y + 4,
                    number(value)));
        }
        text.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\">%s</text><text class=\"right\" x=\"%d\" y=\"%d\">%s</text>%n",
                LEFT,
                HEIGHT - 6,
                HtmlPage.escape(from),
                WIDTH,
                HEIGHT - 6,
                HtmlPage.escape(to)));
        for (Line line : lines) {
            text.append("<polyline class=\"c")
                    .append(line.colour() % HtmlPage.COLOURS)
                    .append("\" points=\"");
            for (int i = 0; i < line.values().length; i++) {
                double x = LEFT + (double) (WIDTH - LEFT) * i / (longest - 1);
                text.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y(line.values()[i], most)));
            }
            text.append("\"><title>").append(HtmlPage.escape(line.name())).append("</title></polyline>\n");
        }
        text.append("</svg><p class=\"legend\">");
        for (Line line : lines) {
            text.append("<span class=\"c")
                    .append(line.colour() % HtmlPage.COLOURS)
                    .append("\">&#9632; ");
            text.append(HtmlPage.escape(line.name())).append("</span> ");
        }
        return text.append("</p></figure>\n").toString();
    }

    private static double y(double value, double most) {
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / most);
    }

    private static String number(double value) {
        if (value >= 1_000_000) {
            return String.format(Locale.ROOT, "%.1f M", value / 1_000_000);
        }
        if (value >= 10_000) {
            return String.format(Locale.ROOT, "%.0f k", value / 1000);
        }
        return String.format(Locale.ROOT, value >= 10 || value == 0 ? "%.0f" : "%.2f", value);
    }
}
