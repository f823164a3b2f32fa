package org.spillway.head;

import java.io.IOException;
import java.util.Properties;
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
        System.exit(new CommandLine(new Main()).execute(arguments));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }

    /** Reads the version that the build wrote. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            var properties = new Properties();
            try (var in = Main.class.getResourceAsStream("/spillway-version.properties")) {
                if (in == null) {
                    throw new IOException("spillway-version.properties is missing: this is not a complete build");
                }
                properties.load(in);
            }
            return new String[] {"spillway " + properties.getProperty("version")};
        }
    }
}
