package org.spillway.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Asks before something is bought or deleted. */
public record Confirmation(BooleanSupplier terminal, InputStream in) {
    public static final Confirmation STANDARD = new Confirmation(Terminal::isStandardInput, System.in);

    /**
     * @param given that it is meant, on the command line
     * @return whether it was confirmed
     * @throws CliFailure where nobody can be asked
     */
    public boolean isGiven(boolean given, String question, PrintWriter out) {
        if (given) {
            return true;
        }
        if (!terminal.getAsBoolean()) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, "this is to be confirmed, and there is no terminal to ask on", "say --yes");
        }
        out.print(question + " Type yes to go on: ");
        out.flush();
        return "yes".equals(line());
    }

    private @Nullable String line() {
        try {
            var line = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).readLine();
            return line == null ? null : line.strip();
        } catch (IOException gone) {
            return null;
        }
    }
}
