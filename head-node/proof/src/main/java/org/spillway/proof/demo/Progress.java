package org.spillway.proof.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Tells how far the demo is: one block that is redrawn on a terminal, else a line for each change. One thread. */
final class Progress {
    private static final String UP_AND_CLEAR = "\u001b[%dA\u001b[J";

    private final PrintStream out;
    private final boolean terminal;
    private final int columns;
    private @Nullable Scene last;
    private List<String> drawn = List.of();

    /** @param columns of the terminal */
    Progress(PrintStream out, boolean terminal, int columns) {
        this.out = out;
        this.terminal = terminal;
        this.columns = columns;
    }

    void say(Duration at, String text) {
        erase();
        for (String line : text.split("\n", -1)) {
            out.printf(Locale.ROOT, "%5.1f s  %s%n", at.toMillis() / 1000.0, line);
        }
        draw();
    }

    void show(Scene scene) {
        if (terminal) {
            erase();
            drawn = ProgressPage.block(scene, columns);
            draw();
        } else {
            Scene before = last == null ? new Scene(scene.at(), List.of(), List.of(), List.of(), scene.spend()) : last;
            ProgressPage.changes(before, scene).forEach(line -> say(scene.at(), line));
        }
        last = scene;
    }

    /** Ends the block: further text is written below. */
    void end() {
        erase();
        drawn = List.of();
        out.flush();
    }

    private void erase() {
        if (!drawn.isEmpty()) {
            out.printf(Locale.ROOT, UP_AND_CLEAR, drawn.size());
        }
    }

    private void draw() {
        drawn.forEach(out::println);
        out.flush();
    }
}
