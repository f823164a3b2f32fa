package org.spillway.proof.simulate;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.cli.CliFailure;
import org.spillway.cli.Terminal;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.policy.Money;
import org.spillway.scaler.simulate.PolicyChoice;
import org.spillway.scaler.simulate.Simulation;
import org.spillway.scaler.simulate.SimulationResult;
import org.spillway.scaler.simulate.SimulationSettings;
import org.spillway.scaler.simulate.log.LoggedJob;
import org.spillway.scaler.simulate.log.WorkloadLog;
import org.spillway.scaler.simulate.report.HtmlPage;
import org.spillway.scaler.simulate.world.Scenario;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code spillway simulate}. */
@Command(
        name = "simulate",
        description = {
            "Tries policies on a log: replays it through the scaler on simulated sites,",
            "and says for each policy how long jobs waited and what it cost. Needs no head."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway simulate --log philly.csv.gz",
            "  spillway simulate --log jobs.swf --policy queue-depth --policy queue-depth:idleTime=60s",
            "",
            "  spillway simulate --log jobs.swf --policy NightShift.java:idleTime=10m",
            "  spillway simulate --log jobs.swf --policy cost-first --html out.html",
            "  spillway simulate --log jobs.swf --home-load 0.85 --sweep",
            "",
            "Exit codes: 0 done, 1 a point of the sweep is better, an own policy gave no answer, or a file cannot be",
            "written, 2 bad input."
        },
        mixinStandardHelpOptions = true)
public final class SimulateCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private LogOptions log = new LogOptions();

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            description =
                    "A built-in NAME, 'shipped' for all of them, or one's own: a FILE (.java, .jar), or its NAME with"
                            + " --policies; each with :key=value,key=value. May be given several times. Default: queue-depth; own"
                            + " ones alone are held against queue-depth and cost-first.")
    private List<String> policies = new ArrayList<>();

    @Option(
            names = "--policies",
            paramLabel = "FOLDER",
            description = "Where own policies lie; default: that of --sites, else policies.d.")
    private @Nullable Path folder;

    @Mixin
    private SiteOptions sites = new SiteOptions();

    @Option(names = "--seed", paramLabel = "N", description = "Of all chance; default 1.")
    private long seed = 1;

    @Option(names = "--tick", paramLabel = "TIME", description = "Time between two decisions, 1s to 1h; default 60s.")
    private String tick = "60s";

    @Option(
            names = "--budget",
            paramLabel = "AMOUNT",
            description = "That may be spent in each 30 days; default: as much as it takes.")
    private @Nullable String budget;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures there, as JSON.")
    private @Nullable Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write one page with charts there.")
    private @Nullable Path html;

    @Option(
            names = "--sweep",
            description =
                    "Hold the one policy against 20 points of the plain threshold policy: those that are best on the"
                            + " first half of the log, and all, on the second. Exits with 1 when one is better in both cost and p95.")
    private boolean sweep;

    private final Supplier<Installed> installed;

    public SimulateCommand(Supplier<Installed> installed) {
        this.installed = installed;
    }

    @Override
    public Integer call() {
        SimulationSettings settings = settings();
        WorkloadLog whole = log.read(err());
        Scenario scenario = sites.scenario(whole, installed.get(), err());
        HeadConfig.Policies own = sites.policies();
        Path where = folder == null ? own.folder() : folder;
        try (Policies named = new Policies(where, (int) (own.memoryBytes() >> 20), own.deadline(), err())) {
            int code = simulate(named.parse(policies), whole, scenario, settings);
            return named.troubles() ? CliFailure.FAILED : code;
        }
    }

    private int simulate(
            List<PolicyChoice<?>> choices, WorkloadLog whole, Scenario scenario, SimulationSettings settings) {
        if (sweep && (choices.size() > 1 || log.half != null || html != null || json != null)) {
            throw bad(
                    "--sweep is about one built-in policy and takes both halves",
                    "leave out --half, --json, --html, and further --policy");
        }
        List<LoggedJob> part = log.part(whole);
        List<LoggedJob> jobs = part.stream()
                .filter(job -> scenario.canHold(job.perNode(), job.nodes()))
                .toList();
        if (jobs.isEmpty()) {
            throw bad("no job of the log fits on any node of any site", "");
        }
        String heading = Tables.heading(whole, part.size(), part.size() - jobs.size(), scenario, settings);
        if (sweep) {
            var judged = new SweepRun(scenario, settings, this::bar).judge(choices.getFirst(), jobs);
            out().print(heading + judged.text());
            out().flush();
            return judged.isDominated() ? CliFailure.FAILED : 0;
        }
        List<SimulationResult> results = new ArrayList<>();
        for (PolicyChoice<?> choice : choices) {
            results.add(new Simulation(jobs, scenario, settings, choice)
                    .run(done -> bar(choice.label(), done, jobs.size())));
        }
        Terminal.progress(err(), "");
        out().print(heading + "\n" + Tables.results(results));
        out().flush();
        if (json != null) {
            write(json, ResultJson.write(whole, settings, results));
        }
        if (html != null) {
            write(html, HtmlPage.of("Simulation of " + whole.source(), heading, results));
        }
        return 0;
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException unwritable) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    file + " cannot be written: " + unwritable,
                    "name a file in a folder that is there");
        }
    }

    private SimulationSettings settings() {
        try {
            SimulationSettings usual = SimulationSettings.DEFAULTS;
            return new SimulationSettings(
                    seed,
                    Times.duration("--tick", tick),
                    usual.defaultLimit(),
                    usual.shutdown(),
                    budget == null ? SimulationSettings.NO_BUDGET : amount(budget),
                    false,
                    usual.samples());
        } catch (IllegalArgumentException refused) {
            throw bad(String.valueOf(refused.getMessage()), "");
        }
    }

    private static Money amount(String text) {
        try {
            Money amount = Money.parse(text);
            if (amount.micros() >= 0) {
                return amount;
            }
        } catch (NumberFormatException unreadable) {
            // Said below.
        }
        throw new CliFailure(
                CliFailure.BAD_INPUT, "--budget is '" + text + "'", "write an amount such as 5000 or 12.50");
    }

    private void bar(String label, long done, int all) {
        int full = (int) (done * 30 / Math.max(1, all));
        Terminal.progress(
                err(), "[" + "#".repeat(full) + ".".repeat(30 - full) + "] " + done + " of " + all + " jobs, " + label);
    }

    private static CliFailure bad(String message, String hint) {
        return new CliFailure(CliFailure.BAD_INPUT, message, hint);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
