package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Attempts to read what others have staged, and what came of each; docs/guesses.md has them by what they are made from. */
public final class GuessTable {
    /** The end of an attempt that shows nothing. */
    public static final String REFUSED = "refused";

    private final List<String> rows = new ArrayList<>();
    private final String secret;

    /** An attempt: what the one who makes it gets to see. */
    @FunctionalInterface
    public interface Attempt {
        /** @return {@link #REFUSED} and what was said, or all that was shown */
        String made() throws Exception;
    }

    /** @param secret that is in what others have staged, and nowhere else */
    public GuessTable(String secret) {
        this.secret = secret;
    }

    /**
     * Makes an attempt, and fails when it shows anything.
     *
     * @param by whose work it is that it does not
     */
    public void refused(String name, String by, Attempt attempt) throws Exception {
        String shown = attempt.made();
        assertThat(shown).as(name).startsWith(REFUSED).doesNotContain(secret);
        rows.add("| " + name + " | " + by + " |");
    }

    /** Makes what must not be refused, or nothing that was refused would say anything. */
    public void shown(String name, Attempt attempt) throws Exception {
        assertThat(attempt.made()).as(name).contains(secret);
    }

    /** Compares the table below a heading of the page; written anew with {@code -Dgolden.update=true}. */
    public void documented(Path page, String heading) throws IOException {
        assertThat(rows).doesNotHaveDuplicates();
        List<String> lines = new ArrayList<>(Files.readAllLines(page));
        int from = lines.indexOf("## " + heading);
        assertThat(from).as(heading).isNotNegative();
        while (!lines.get(from).equals("|---|---|")) {
            from++;
        }
        int to = from + 1;
        while (to < lines.size() && lines.get(to).startsWith("| ")) {
            to++;
        }
        List<String> table = lines.subList(from + 1, to);
        if (Boolean.getBoolean("golden.update")) {
            table.clear();
            table.addAll(rows);
            Files.writeString(page, String.join("\n", lines) + "\n");
        }
        assertThat(table).isEqualTo(rows);
    }
}
