package org.spillway.head.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.spillway.head.config.ConfigMistakes;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;

/** The configuration of a command that needs all of it. */
final class ConfigFile {
    /** Where it is looked for. */
    static final Path USUAL = Path.of("spillway.yaml");

    private ConfigFile() {}

    /**
     * @param given null for the usual one
     * @throws CliFailure after every mistake was printed
     */
    static HeadConfig read(@Nullable Path given, Installed installed, PrintWriter err) {
        var file = given == null ? USUAL : given;
        try {
            return ConfigReader.read(file, installed);
        } catch (ConfigMistakes mistakes) {
            mistakes.lines().forEach(err::println);
            throw new CliFailure(CliFailure.BAD_INPUT, "the configuration " + file + " cannot be used", "");
        }
    }
}
