package org.spillway.head.command;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.spillway.cli.CliFailure;
import org.spillway.settings.ConfigMistakes;
import org.spillway.settings.SettingsFile;

/** The state directory of commands that need no head. */
final class StateFolder {
    private StateFolder() {}

    /** As the configuration says, or that of the folder one stands in, or {@code ./state}. @param config null for the usual one */
    static Path of(@Nullable Path config) {
        Path file = config == null ? ConfigFile.USUAL : config;
        if (config == null && !Files.isRegularFile(file)) {
            return Path.of("state").toAbsolutePath();
        }
        try {
            return SettingsFile.stateOf(file);
        } catch (ConfigMistakes mistakes) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, String.valueOf(mistakes.getMessage()), "or name the state directory itself");
        }
    }
}
