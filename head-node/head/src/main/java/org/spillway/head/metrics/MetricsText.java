package org.spillway.head.metrics;

import java.util.stream.Collectors;

/**
 * The metrics in version 0.0.4 of Prometheus' text format (prometheus.io, "Exposition formats"), which every collector of
 * today reads.
 */
public final class MetricsText {
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private MetricsText() {}

    public static String of(HeadFacts facts) {
        StringBuilder text = new StringBuilder();
        for (Family family : HeadMetrics.ALL) {
            text.append("# HELP ")
                    .append(family.name())
                    .append(' ')
                    .append(help(family.help()))
                    .append('\n');
            text.append("# TYPE ")
                    .append(family.name())
                    .append(' ')
                    .append(family.kind().text())
                    .append('\n');
            for (Family.Sample sample : family.of(facts)) {
                text.append(line(family, sample)).append('\n');
            }
        }
        return text.toString();
    }

    private static String line(Family family, Family.Sample sample) {
        String labels = sample.labels().entrySet().stream()
                .map(label -> label.getKey() + "=\"" + value(label.getValue()) + "\"")
                .collect(Collectors.joining(","));
        return family.name() + sample.suffix() + (labels.isEmpty() ? "" : "{" + labels + "}") + " "
                + sample.value().toPlainString();
    }

    private static String help(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n");
    }

    private static String value(String text) {
        return help(text).replace("\"", "\\\"");
    }
}
