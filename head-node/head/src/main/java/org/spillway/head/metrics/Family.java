package org.spillway.head.metrics;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * A metric with the function that measures it.
 *
 * @param name with its unit last, as Prometheus wants it
 * @param help a sentence for the administrator
 * @param measured takes the facts, and gives each value with its labels to the second
 */
record Family(String name, Kind kind, String help, BiConsumer<HeadFacts, Samples> measured) {
    /** Kinds of the text format. */
    enum Kind {
        GAUGE,
        COUNTER,
        SUMMARY;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param suffix of the name: {@code _sum} and {@code _count} of a summary, else empty */
    record Sample(String suffix, Map<String, String> labels, BigDecimal value) {}

    /** Values of one metric. */
    static final class Samples {
        private final List<Sample> all = new ArrayList<>();

        /** @param labels names and values in turn */
        void add(BigDecimal value, String... labels) {
            all.add(new Sample("", labels(labels), value));
        }

        void add(long value, String... labels) {
            add(BigDecimal.valueOf(value), labels);
        }

        void addSuffixed(String suffix, BigDecimal value) {
            all.add(new Sample(suffix, Map.of(), value));
        }

        private static Map<String, String> labels(String... namesAndValues) {
            Map<String, String> labels = new TreeMap<>();
            for (int i = 0; i < namesAndValues.length; i += 2) {
                labels.put(namesAndValues[i], namesAndValues[i + 1]);
            }
            return labels;
        }
    }

    List<Sample> of(HeadFacts facts) {
        Samples samples = new Samples();
        measured.accept(facts, samples);
        return List.copyOf(samples.all);
    }
}
