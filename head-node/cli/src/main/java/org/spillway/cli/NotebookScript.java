package org.spillway.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The job of a notebook: a shell that looks for a Jupyter, and a Python program that keeps it. */
final class NotebookScript {
    private static final String PLACE = "# Here is the program, as a file.\n";

    /** In the job's room: what the notebook says of itself, then the end of it. Exits with 2 for another job, with 3 where it ended before. */
    static final String ASKS = """
            place=.spillway/notebook
            left=100
            until [ -e "$place/lock" ]; do
              [ "$left" -gt 0 ] || exit 2
              [ -d "$place" ] || left=$((left - 5))
              left=$((left - 1))
              sleep 0.2
            done
            until [ -e "$place/link" ]; do
              ! flock -n "$place/lock" true || [ -e "$place/link" ] || exit 3
              sleep 0.1
            done
            cat "$place/link"
            flock "$place/lock" true
            cat "$place/end"
            """;

    private NotebookScript() {}

    static String text() {
        return read("notebook.sh")
                .replace(PLACE, "cat >\"$place.py\" <<'END-OF-PROGRAM'\n" + read("notebook.py") + "END-OF-PROGRAM\n");
    }

    private static String read(String name) {
        try (var in = Objects.requireNonNull(NotebookScript.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
