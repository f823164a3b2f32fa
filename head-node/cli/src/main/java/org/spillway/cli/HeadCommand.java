package org.spillway.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.spillway.api.Json;
import org.spillway.settings.ConfigMistakes;
import org.spillway.settings.SettingsFile;
import picocli.CommandLine.Option;

/** A command that asks a head. */
public abstract class HeadCommand extends OwnCommand {
    Surroundings surroundings = new OwnProcess();

    @Option(
            names = "--socket",
            paramLabel = "PATH",
            description =
                    "The head's socket. Otherwise that of $SPILLWAY_SOCKET, of --config, or ./state/spillway.sock.")
    @Nullable
    public Path socket;

    @Option(names = "--config", paramLabel = "FILE", description = "The head's configuration, to find its socket.")
    @Nullable
    public Path config;

    protected HeadClient head() {
        return surroundings.head(() -> socketPath(System.getenv("SPILLWAY_SOCKET")));
    }

    protected Path socketPath(@Nullable String fromEnvironment) {
        if (socket != null) {
            return socket.toAbsolutePath();
        }
        if (fromEnvironment != null && !fromEnvironment.isEmpty()) {
            return Path.of(fromEnvironment).toAbsolutePath();
        }
        if (config != null) {
            try {
                return SettingsFile.socketOf(config);
            } catch (ConfigMistakes mistakes) {
                throw new CliFailure(CliFailure.BAD_INPUT, String.valueOf(mistakes.getMessage()), "");
            }
        }
        return Path.of("state", "spillway.sock").toAbsolutePath();
    }

    protected int showJson(byte[] body) {
        try {
            return show(Json.writeIndented(Json.tree(body)) + "\n");
        } catch (IOException strange) {
            throw new CliFailure(CliFailure.FAILED, "the head's answer is not JSON: " + strange.getMessage(), "");
        }
    }

    /** Does it for each; what one refuses does not keep the others. @return the exit code of the last that failed */
    protected int each(List<String> names, Consumer<String> action) {
        int code = 0;
        for (var name : names) {
            try {
                action.accept(name);
            } catch (CliFailure failure) {
                if (names.size() == 1 || failure.exitCode() == CliFailure.NOT_REACHED) {
                    throw failure;
                }
                err().println("spillway: " + failure.getMessage());
                err().flush();
                code = failure.exitCode();
            }
        }
        return code;
    }

    protected Pages pages() {
        return new Pages();
    }

    /** A part of a path, such as an id as the user typed it. */
    protected static String segment(String text) {
        if (!text.matches("[A-Za-z0-9_-]{1,100}")) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "'" + text + "' is no id",
                    "'spillway queue' lists jobs, 'spillway nodes' lists nodes");
        }
        return text;
    }
}
