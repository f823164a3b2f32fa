package org.spillway.cloud;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * A provider's published error codes with their meanings, as a driver's resource has them: {@code CODE | WORDS | MEANING |
 * SOURCE} in each line, after {@code @SOURCE = TITLE} lines. The first row that fits holds. A code is a whole one, a
 * beginning before {@code *}, or an end after it; of words, with commas between, one has to stand in the message.
 */
public final class ErrorTable {
    private final List<Row> rows;

    private ErrorTable(List<Row> rows) {
        this.rows = List.copyOf(rows);
    }

    /** Meanings of codes for the call that they refuse. */
    public enum Meaning {
        CAPACITY,
        QUOTA,
        CREDENTIALS,
        THROTTLED,
        INVALID,
        /** Something may exist: it is looked for first, and its price is reserved until then. */
        UNKNOWN;

        /** Empty for what refuses nothing for certain. */
        public Optional<Reason> reason() {
            return this == UNKNOWN ? Optional.empty() : Optional.of(Reason.valueOf(name()));
        }
    }

    /**
     * A code and its meaning.
     *
     * @param words lower-case, of which one has to stand in the message; empty for any message
     * @param source key of the document that publishes it
     */
    public record Row(String code, List<String> words, Meaning meaning, String source) {
        public Row {
            words = List.copyOf(words);
        }

        boolean fits(String found, String message) {
            boolean named = code.endsWith("*")
                    ? found.startsWith(code.substring(0, code.length() - 1))
                    : code.startsWith("*") ? found.endsWith(code.substring(1)) : found.equals(code);
            return named && (words.isEmpty() || words.stream().anyMatch(message::contains));
        }
    }

    /**
     * The table in a resource beside a class.
     *
     * @throws IllegalArgumentException for a line that cannot be read, and for a source that is not named
     */
    public static ErrorTable beside(Class<?> driver, String resource) {
        try (InputStream in = driver.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException("no " + resource + " beside " + driver);
            }
            return read(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    static ErrorTable read(String text) {
        List<Row> rows = new ArrayList<>();
        Map<String, String> sources = new HashMap<>();
        for (String line : text.lines().map(String::strip).toList()) {
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            if (line.startsWith("@")) {
                String[] named = line.substring(1).split("=", 2);
                if (named.length != 2) {
                    throw new IllegalArgumentException("'" + line + "' names no source");
                }
                sources.put(named[0].strip(), named[1].strip());
                continue;
            }
            String[] parts = line.split("\\|", -1);
            if (parts.length != 4 || !sources.containsKey(parts[3].strip())) {
                throw new IllegalArgumentException("'" + line + "' is no row with a source");
            }
            String words = parts[1].strip().toLowerCase(Locale.ROOT);
            rows.add(new Row(
                    parts[0].strip(),
                    words.isEmpty() ? List.of() : List.of(words.split(" *, *", -1)),
                    Meaning.valueOf(parts[2].strip()),
                    parts[3].strip()));
        }
        return new ErrorTable(rows);
    }

    /** The meaning of a code with its message; empty for one that nobody has published. */
    public Optional<Meaning> meaning(String code, String message) {
        String said = message.toLowerCase(Locale.ROOT);
        return rows.stream().filter(row -> row.fits(code, said)).findFirst().map(Row::meaning);
    }

    public List<Row> rows() {
        return rows;
    }
}
