package org.spillway.head;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.spillway.head.cli.CliFailure;
import org.spillway.head.cli.Commands;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.SqliteJournalStore;
import org.spillway.head.service.HeadProcess;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.builtin.BuiltInPolicies;
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
        return new Commands(Main::installed, Main::start, Main::policies).commandLine(new Main(), arguments);
    }

    private static Map<String, ScalingPolicy<?>> policies() {
        return BuiltInPolicies.byName();
    }

    private static Installed installed() {
        Map<String, Record> defaults = new TreeMap<>();
        policies().forEach((name, policy) -> defaults.put(name, policy.defaults()));
        return Installed.withPolicies(defaults);
    }

    private static int start(HeadConfig config) {
        try {
            // Opened first: it takes the lock, so that a second head changes nothing.
            JournalStore store = open(config);
            new HeadProcess(
                            config,
                            installed().drivers(),
                            policies(),
                            headDistribution(),
                            directorDistribution(),
                            version(),
                            InstantSource.system())
                    .run(
                            store,
                            () -> System.err.println("spillway: head of cluster " + config.cluster() + " is up, socket "
                                    + config.socket()));
            return 0;
        } catch (JournalFailure failure) {
            throw new CliFailure(CliFailure.FAILED, String.valueOf(failure.getMessage()), "");
        } catch (IOException failure) {
            throw new CliFailure(CliFailure.BAD_INPUT, String.valueOf(failure.getMessage()), "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    private static JournalStore open(HeadConfig config) {
        try {
            return SqliteJournalStore.open(config.state());
        } catch (JournalFailure failure) {
            throw new CliFailure(CliFailure.BAD_INPUT, String.valueOf(failure.getMessage()), "");
        }
    }

    /** What a child's head is made of: this head's own jars. */
    private static Path headDistribution() {
        String home = System.getenv().getOrDefault("SPILLWAY_HOME", ".");
        Path installed = Path.of(home).resolve("lib");
        return Files.isDirectory(installed) ? installed : Path.of(home).resolve("head-node/target/dist/lib");
    }

    /** Beside an installation's own jars, or where the build puts it. */
    private static Path directorDistribution() throws IOException {
        String home = System.getenv().getOrDefault("SPILLWAY_HOME", ".");
        for (String place : List.of("director/lib", "head-node/target/dist/director/lib")) {
            Path lib = Path.of(home).resolve(place);
            if (Files.isDirectory(lib)) {
                return lib;
            }
        }
        throw new IOException(
                "the director's distribution is neither in " + home + "/director/lib nor in " + home
                        + "/head-node/target/dist/director/lib: start the head with the spillway command, or set SPILLWAY_HOME");
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

    static String version() throws IOException {
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
