package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.spillway.cli.CliFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code spillway bench}. */
@Command(
        name = "bench",
        description = {
            "Measures what Spillway promises: its start, its cost when idle and with 10,000 jobs, the simulator,",
            "submission, what a client waits for (beside a Slurm where it is installed), a job's way through a local site, how soon a provider is called, a large fleet on an emulated"
                    + " EC2,",
            "a Slurm with 10,000 jobs (as root, with the packages of labs/slurm/install.sh), clusters on demand,"
                    + " and the planner beside its peers, root's wait beside 64 hostile connections (as root), and the"
                    + " memory that a user at the limits takes, from submit to a job's first read beside rsync, what keeping"
                    + " jobs apart costs them (as root), a directory of 200,000 users beside syncrepl, and what a job"
                    + " waits for that reads its user's home over a line, beside declared inputs and sshfs (as root).",
            "Starts what it needs in a folder of its own and ends it."
        },
        footer = {
            "",
            "Examples:",
            "  spillway bench start",
            "  spillway bench all --json > figures.json",
            "  spillway bench submit --count 100      (held to a tenth of the target for 1,000)",
            "  spillway bench seeds --seeds 1000      (held to a tenth of the target for 10,000)",
            "  spillway bench chaos --seeds 10        (forty demos in which something is killed or cut)",
            "  spillway bench stage --count 2000 --rounds 3",
            "  spillway bench stage --link 40ms,1Gbit --rounds 1",
            "  spillway bench directory --users 20000",
            "  spillway bench reach --rounds 1        (2,000 small files and one of 1 GB over 40 ms and 1 Gbit/s)",
            "  spillway bench reach --count 400 --link 20ms,200Mbit --json",
            "",
            "Run it on a quiet machine; the load before it began is printed with the figures.",
            "Exit codes: 0 all targets met, 1 one was missed or could not be measured, 2 bad input."
        },
        mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
    private static final long MOST_SEEDS = 10_000_000;
    private static final long USUAL_SEEDS = 10_000;
    private static final long USUAL_CHAOS_SEEDS = 10;
    private static final int MOST_SUBMITS = 100_000;
    private static final int USUAL_SUBMITS = 1000;
    private static final int USUAL_CLIENT_SUBMITS = 2000;
    private static final int MOST_CLIENT_SUBMITS = 2500;
    private static final int USUAL_STAGE_FILES = 20_000;
    private static final int USUAL_ROUNDS = 5;
    private static final int USUAL_ISOLATION_ROUNDS = 20;
    private static final int MOST_ROUNDS = 100;
    private static final int USUAL_USERS = 200_000;
    private static final int CHANGED_USERS = 100;
    private static final int MOST_USERS = 400_000;
    private static final int USUAL_REACH_FILES = 2000;
    private static final int MOST_REACH_FILES = 20_000;
    private static final int USUAL_REACH_ROUNDS = 3;
    private static final String USUAL_REACH_LINK = "40ms,1Gbit";

    enum What {
        START,
        IDLE,
        SEEDS,
        SUBMIT,
        CLIENT,
        PATH,
        JOURNAL,
        BURST,
        CLOUD,
        SLURM,
        ON_DEMAND,
        PLANNER,
        HOSTILE,
        LIMITS,
        STAGE,
        ISOLATION,
        DIRECTORY,
        REACH,
        CHAOS,
        ALL;

        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "WHAT",
            description =
                    "start, idle, seeds, submit, client, path, journal, burst, cloud, slurm, on-demand, planner, hostile, limits,"
                            + " stage, isolation, directory, reach, chaos, or all (without the last ten).")
    private String what = "";

    @Option(
            names = "--seeds",
            paramLabel = "N",
            description = "For seeds: how many; default 10000. For chaos: of each kind; default 10.")
    private @Nullable Long seeds;

    @Option(
            names = {"--count", "--submits"},
            paramLabel = "N",
            description =
                    "For submit: how many jobs, by one client and again by four; default 1000. For client: by one, four"
                            + " and eight, and a quarter of the lines of a file; default 2000, at most 2500. For stage: how many files;"
                            + " default 20000. For reach: how many of each tree, and 500 kB of a large one for each;"
                            + " default 2000, 20 to 20000.")
    private @Nullable Integer count;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "For stage, isolation and reach: medians of so many; default 5, 20 and 3.")
    private @Nullable Integer rounds;

    @Option(
            names = "--link",
            paramLabel = "DELAY,RATE",
            description =
                    "For stage and reach: a line between head and region, and between rsync or sshfs and its server, such"
                            + " as 40ms,1Gbit, which reach has always: that delay there and back, that rate each way"
                            + " for all connections together.")
    private @Nullable String link;

    @Option(names = "--users", paramLabel = "N", description = "For directory: users in a slapd; default 200000.")
    private @Nullable Integer users;

    @Option(names = "--json", description = "Print the figures as JSON.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        What wanted = wanted();
        boolean badSeeds = seeds != null && (seeds < 1 || seeds > MOST_SEEDS);
        if (badSeeds || (count != null && (count < least(wanted) || count > most(wanted)))) {
            throw bad("--seeds takes 1 to " + MOST_SEEDS + " and --count " + least(wanted) + " to " + most(wanted));
        }
        if (rounds != null && (rounds < 1 || rounds > MOST_ROUNDS)) {
            throw bad("--rounds takes 1 to " + MOST_ROUNDS);
        }
        if (users != null && (users < CHANGED_USERS || users > MOST_USERS)) {
            throw bad("--users takes " + CHANGED_USERS + " to " + MOST_USERS);
        }
        if (link != null && wanted != What.STAGE && wanted != What.REACH) {
            throw bad("--link goes with stage and reach only");
        }
        LinkShape shape = shape();
        BenchReport report;
        try {
            Machine machine = Machine.here();
            report = new BenchReport(machine, measure(wanted, shape));
        } catch (IOException failed) {
            throw new CliFailure(
                    CliFailure.FAILED, "could not be measured: " + failed.getMessage(), "nothing was left running");
        }
        if (spec == null) {
            throw new IllegalStateException("a command without a command line");
        }
        var out = spec.commandLine().getOut();
        out.print(json ? report.json() + System.lineSeparator() : report.table());
        out.flush();
        return report.allMet() ? 0 : CliFailure.FAILED;
    }

    private @Nullable LinkShape shape() {
        if (link == null) {
            return null;
        }
        try {
            return LinkShape.of(link);
        } catch (IllegalArgumentException e) {
            throw bad("--link: " + e.getMessage());
        }
    }

    private int rounds(int usual) {
        return rounds == null ? usual : rounds;
    }

    private static int least(What wanted) {
        return wanted == What.REACH ? ReachTree.TOGETHER : 1;
    }

    private static int most(What wanted) {
        return switch (wanted) {
            case CLIENT -> MOST_CLIENT_SUBMITS;
            case REACH -> MOST_REACH_FILES;
            default -> MOST_SUBMITS;
        };
    }

    private What wanted() {
        for (What one : What.values()) {
            if (one.word().equals(what)) {
                return one;
            }
        }
        throw bad("'" + what
                + "' cannot be measured; there are start, idle, seeds, submit, client, path, journal, burst, cloud,"
                + " slurm, on-demand, planner, hostile, limits, stage, isolation, directory, reach, chaos and all");
    }

    private List<Figure> measure(What wanted, @Nullable LinkShape shape) throws IOException, InterruptedException {
        var benchmarks = new Benchmarks(launcher());
        return switch (wanted) {
            case START -> benchmarks.start();
            case IDLE -> benchmarks.idle();
            case SEEDS -> benchmarks.seeds(seeds == null ? USUAL_SEEDS : seeds);
            case SUBMIT -> new SubmitBench(launcher()).measure(count == null ? USUAL_SUBMITS : count);
            case CLIENT -> new ClientBench(launcher(), count == null ? USUAL_CLIENT_SUBMITS : count).measure();
            case PATH -> benchmarks.path();
            case JOURNAL -> new JournalBench(launcher()).measure();
            case BURST -> new BurstBench(launcher()).measure();
            case CLOUD -> new CloudBench(launcher()).measure();
            case SLURM -> new SlurmBench(launcher()).measure();
            case ON_DEMAND -> new OnDemandBench(launcher()).measure();
            case PLANNER -> new PlannerBench(launcher()).measure();
            case HOSTILE -> new HostileBench(launcher()).measure();
            case LIMITS -> new LimitsBench(launcher()).measure();
            case STAGE ->
                new StageBench(launcher(), count == null ? USUAL_STAGE_FILES : count, rounds(USUAL_ROUNDS), shape)
                        .measure();
            case ISOLATION -> new IsolationBench(launcher(), rounds(USUAL_ISOLATION_ROUNDS)).measure();
            case DIRECTORY -> new DirectoryBench(launcher(), users == null ? USUAL_USERS : users).measure();
            case REACH ->
                new ReachBench(
                                launcher(),
                                count == null ? USUAL_REACH_FILES : count,
                                rounds(USUAL_REACH_ROUNDS),
                                shape == null ? LinkShape.of(USUAL_REACH_LINK) : shape)
                        .measure();
            case CHAOS -> new ChaosBench(launcher()).run(seeds == null ? USUAL_CHAOS_SEEDS : seeds);
            case ALL -> {
                List<Figure> all = new ArrayList<>();
                for (What one : What.values()) {
                    // Chaos takes half an hour, the planner's exact peers and clusters minutes, and Slurm needs root
                    // and its packages.
                    if (one.ordinal() < What.SLURM.ordinal()) {
                        System.err.println("measuring " + one.word() + " ...");
                        all.addAll(measure(one, null));
                    }
                }
                yield all;
            }
        };
    }

    private static Path launcher() {
        Path launcher = Path.of(System.getenv().getOrDefault("SPILLWAY_HOME", "."), "spillway");
        if (!Files.isExecutable(launcher)) {
            throw bad("no launcher at " + launcher + ": start this with the spillway command, or set SPILLWAY_HOME");
        }
        return launcher.toAbsolutePath();
    }

    private static CliFailure bad(String message) {
        return new CliFailure(CliFailure.BAD_INPUT, message, "spillway bench --help explains it");
    }
}
