package org.spillway.head.command;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.spillway.cli.CliFailure;
import org.spillway.cli.CommandSource;
import org.spillway.cli.Main;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.SqliteJournalStore;
import org.spillway.head.service.HeadProcess;
import org.spillway.head.service.SteadyClock;
import org.spillway.head.tenant.WorkloadTenants;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.builtin.BuiltInPolicies;

/** Commands of the head's own machine. */
public final class HeadCommands implements CommandSource {
    private final Supplier<Installed> installed;
    private final HeadStarter starter;
    private final Supplier<Map<String, ScalingPolicy<?>>> policies;

    /** With all that this program carries, for {@code ServiceLoader}. */
    public HeadCommands() {
        this(HeadCommands::installed, HeadCommands::start, HeadCommands::policies);
    }

    /**
     * @param installed drivers and policies that a configuration may name
     * @param policies by name, for what decides again
     */
    public HeadCommands(
            Supplier<Installed> installed, HeadStarter starter, Supplier<Map<String, ScalingPolicy<?>>> policies) {
        this.installed = installed;
        this.starter = starter;
        this.policies = policies;
    }

    @Override
    public Map<String, Supplier<Object>> commands() {
        var commands = new LinkedHashMap<String, Supplier<Object>>();
        commands.put("replay", () -> new ReplayCommand(policies));
        commands.put("policy", PolicyCommand::commandLine);
        commands.put("offerings", () -> new OfferingsCommand(installed));
        commands.put("doctor", () -> new DoctorCommand(installed));
        commands.put("audit", () -> new AuditCommand(installed));
        commands.put("site", () -> SiteCommand.commandLine(installed));
        commands.put("backup", BackupCommand::new);
        commands.put("state", StateCommand::commandLine);
        commands.put("image", ImageCommand::commandLine);
        commands.put("serve", () -> new ServeCommand(installed, starter));
        return commands;
    }

    private static Map<String, ScalingPolicy<?>> policies() {
        return BuiltInPolicies.byName();
    }

    /** Drivers and policies that this program carries. */
    public static Installed installed() {
        Map<String, Record> defaults = new TreeMap<>();
        policies().forEach((name, policy) -> defaults.put(name, policy.defaults()));
        return Installed.withDrivers(defaults, WorkloadTenants.sections());
    }

    private static int start(HeadConfig config, boolean newEpoch) {
        try {
            // Opened first: it takes the lock, so that a second head changes nothing.
            JournalStore store = open(config, newEpoch);
            new HeadProcess(
                            config,
                            installed().drivers(),
                            policies(),
                            headDistribution(),
                            directorDistribution(),
                            Main.version(),
                            SteadyClock.from(InstantSource.system(), System::nanoTime, store.latest()))
                    .run(
                            store,
                            () -> System.err.println("spillway: head of cluster " + config.cluster() + " is up, socket "
                                    + config.socket()));
            return 0;
        } catch (JournalFailure failure) {
            throw new CliFailure(CliFailure.FAILED, String.valueOf(failure.getMessage()), "");
        } catch (IOException failure) {
            throw new CliFailure(CliFailure.BAD_INPUT, StartTrouble.sentence(failure, config.state()), "");
        } catch (UncheckedIOException failure) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    StartTrouble.sentence(requireNonNull(failure.getCause()), config.state()),
                    "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    private static JournalStore open(HeadConfig config, boolean newEpoch) {
        try {
            return SqliteJournalStore.open(
                    config.state(), newEpoch, InstantSource.system().instant());
        } catch (JournalFailure failure) {
            throw new CliFailure(CliFailure.BAD_INPUT, String.valueOf(failure.getMessage()), "");
        }
    }

    /** The parts of a child's head: this head's own jars. */
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
        throw new IOException("the director's distribution is neither in " + home + "/director/lib nor in " + home
                + "/head-node/target/dist/director/lib: start the head with the spillway command, or set"
                + " SPILLWAY_HOME");
    }
}
