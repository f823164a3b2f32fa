package org.spillway.slurm.manager;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A generic resource as asked for or offered.
 *
 * @param name such as {@code gpu}
 * @param model in lower case, such as {@code h100}; empty for any
 * @param count 0 or more
 */
public record Gres(String name, String model, int count) {
    /** {@code gres:gpu:h100:2}, {@code gres/gpu:h100=2}, {@code gpu:4(S:0-1)}, {@code gpu:h100}, {@code gpu}. */
    private static final Pattern FORM = Pattern.compile(
            "(?:gres[:/])?([A-Za-z_][\\w.-]*)(?::([A-Za-z_][\\w.-]*))?(?:[:=](\\d{1,9})([KkMmGg]?))?(?:\\(.*\\))?");

    /** @throws NumberFormatException if an entry is not understood */
    static List<Gres> list(String text) {
        List<Gres> found = new ArrayList<>();
        for (String part : outsideParentheses(SlurmText.orEmpty(text))) {
            // "cpu=N/A" and "cpu=4" stand in some TRES lists and are no generic resources.
            if (part.isEmpty()
                    || part.startsWith("cpu=")
                    || part.startsWith("mem=")
                    || part.startsWith("node=")
                    || part.startsWith("billing=")) {
                continue;
            }
            var matcher = FORM.matcher(part);
            if (!matcher.matches()) {
                throw new NumberFormatException("not a generic resource: " + part);
            }
            String model = matcher.group(2) == null ? "" : matcher.group(2).toLowerCase(Locale.ROOT);
            int count = matcher.group(3) == null ? 1 : Integer.parseInt(matcher.group(3));
            int factor = matcher.group(4) == null ? 1 : factor(matcher.group(4));
            found.add(new Gres(matcher.group(1), model, Math.multiplyExact(count, factor)));
        }
        return List.copyOf(found);
    }

    private static int factor(String unit) {
        return switch (unit.toUpperCase(Locale.ROOT)) {
            case "K" -> 1 << 10;
            case "M" -> 1 << 20;
            case "G" -> 1 << 30;
            default -> 1;
        };
    }

    private static List<String> outsideParentheses(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int at = 0; at < text.length(); at++) {
            char character = text.charAt(at);
            if (character == '(') {
                depth++;
            } else if (character == ')') {
                depth--;
            } else if (character == ',' && depth == 0) {
                parts.add(text.substring(from, at));
                from = at + 1;
            }
        }
        parts.add(text.substring(from));
        return parts;
    }
}
