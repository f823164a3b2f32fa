package org.spillway.proof.bench;

import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * A measured figure.
 *
 * @param name such as {@code start.p95}, unique in a report
 * @param value in {@code unit}, finite
 * @param target that the value must stay below; empty when none was promised
 * @param how what was measured and how often
 */
public record Figure(String name, double value, String unit, OptionalDouble target, String how) {
    public Figure {
        Objects.requireNonNull(target);
        if (name.isBlank() || !Double.isFinite(value)) {
            throw new IllegalArgumentException("a figure needs a name and a finite value: " + name + " " + value);
        }
    }

    public static Figure below(double target, String name, double value, String unit, String how) {
        return new Figure(name, value, unit, OptionalDouble.of(target), how);
    }

    public static Figure plain(String name, double value, String unit, String how) {
        return new Figure(name, value, unit, OptionalDouble.empty(), how);
    }

    public String verdict() {
        if (target.isEmpty()) {
            return "";
        }
        return value < target.getAsDouble() ? "met" : "missed";
    }

    String measured() {
        return text(value) + " " + unit;
    }

    String wanted() {
        return target.isEmpty() ? "" : "< " + text(target.getAsDouble()) + " " + unit;
    }

    /** Three digits that count, so that 0.0123 and 12345 both say something. */
    private static String text(double value) {
        double size = Math.abs(value);
        int decimals = size >= 100 || value == Math.rint(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
