package org.spillway.cli;

import java.io.IOException;
import java.util.Properties;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code spillway} command. */
@Command(
        name = "spillway",
        description = "Runs the overflow of an on-premise GPU cluster in the cloud.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class)
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    public static void main(String[] arguments) {
        System.exit(commandLine(arguments).execute(arguments));
    }

    static CommandLine commandLine(String... arguments) {
        var commands = new Commands();
        if (arguments.length == 0 || !commands.knows(arguments[0])) {
            ServiceLoader.load(CommandSource.class).forEach(commands::with);
        }
        return commands.commandLine(new Main(), arguments);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }

    /** Reads the version that the build wrote. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            return new String[] {"spillway " + version()};
        }
    }

    /** The version that was built. @throws IOException if the build is not complete */
    public static String version() throws IOException {
        var properties = new Properties();
        try (var in = Main.class.getResourceAsStream("/spillway-version.properties")) {
            if (in == null) {
                throw new IOException("spillway-version.properties is missing: this is not a complete build");
            }
            properties.load(in);
        }
        return properties.getProperty("version");
    }
}
