package org.spillway.slurm.conf;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Where something stands in slurm.conf and what it includes.
 *
 * @param lines in their order; empty when the files cannot be read
 */
public record ConfLines(List<Line> lines) {
    public ConfLines {
        lines = List.copyOf(lines);
    }

    /** @param number from 1 */
    public record Line(String file, int number, String text) {
        String place() {
            return file + ":" + number;
        }
    }

    /** The lines of one file, without comments. */
    public static List<Line> of(String file, String text) {
        List<Line> lines = new ArrayList<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            String said = line.replaceFirst("(^|\\s)#.*", "").strip();
            if (!said.isEmpty()) {
                lines.add(new Line(file, number, said));
            }
        }
        return lines;
    }

    /** The last line that says the key: Slurm takes it. */
    Optional<Line> where(String key) {
        return last(key.toLowerCase(Locale.ROOT) + "=");
    }

    /** @param key such as {@code NodeName} @param name the first of the list that stands behind it */
    Optional<Line> where(String key, String name) {
        return last(key.toLowerCase(Locale.ROOT) + "=" + name.toLowerCase(Locale.ROOT));
    }

    private Optional<Line> last(String beginning) {
        return lines.reversed().stream()
                .filter(line -> line.text
                        .toLowerCase(Locale.ROOT)
                        .replaceFirst("\\s*=\\s*", "=")
                        .startsWith(beginning))
                .findFirst();
    }
}
