package org.spillway.head.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import org.jspecify.annotations.Nullable;
import org.spillway.cli.CliFailure;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.settings.ConfigMistakes;
import org.spillway.stage.worker.Identity;

/** The configuration of a command that needs all of it. */
public final class ConfigFile {
    /** Where it is looked for. */
    public static final Path USUAL = Path.of("spillway.yaml");

    private ConfigFile() {}

    /** Root follows what the file says to secrets and endpoints: in another's folder it would be another's will. */
    private static void refuseStrangers(Path file) {
        try {
            if (Identity.ownUid() != 0 || !Files.exists(file)) {
                return;
            }
            var owner = (Integer) Files.getAttribute(file, "unix:uid");
            boolean open = Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE);
            if (owner != 0 || open) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        "the configuration " + file + (open ? " may be written by everybody" : " is not root's"),
                        open ? "chmod o-w " + file : "run this as its owner, or give it to root");
            }
        } catch (IOException unreadable) {
            throw new CliFailure(CliFailure.BAD_INPUT, file + " cannot be read: " + unreadable.getMessage(), "");
        }
    }

    /**
     * @param given null for the usual one
     * @throws CliFailure after every mistake was printed
     */
    public static HeadConfig read(@Nullable Path given, Installed installed, PrintWriter err) {
        var file = given == null ? USUAL : given;
        refuseStrangers(file);
        try {
            return ConfigReader.read(file, installed);
        } catch (ConfigMistakes mistakes) {
            mistakes.lines().forEach(err::println);
            throw new CliFailure(CliFailure.BAD_INPUT, "the configuration " + file + " cannot be used", "");
        }
    }
}
