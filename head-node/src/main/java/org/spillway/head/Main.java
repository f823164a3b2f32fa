package org.spillway.head;

import java.io.IOException;
import java.util.Map;
import java.util.Properties;
import org.spillway.head.cli.CliFailure;
import org.spillway.head.cli.Commands;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
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
        return new Commands(() -> Installed.withPolicies(Map.of()), Main::start).commandLine(new Main(), arguments);
    }

    /** Where the loop takes over. */
    private static int start(HeadConfig config) {
        throw new CliFailure(CliFailure.FAILED, "cluster " + config.cluster() + ": this build has no loop to run", "");
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
