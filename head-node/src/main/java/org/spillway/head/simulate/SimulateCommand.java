package org.spillway.head.simulate;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cli.CliFailure;
import org.spillway.head.cli.Terminal;
import org.spillway.policy.Money;
import org.spillway.scaler.simulate.PolicyChoice;
import org.spillway.scaler.simulate.Simulation;
import org.spillway.scaler.simulate.SimulationResult;
import org.spillway.scaler.simulate.SimulationSettings;
import org.spillway.scaler.simulate.log.LoggedJob;
import org.spillway.scaler.simulate.log.WorkloadLog;
import org.spillway.scaler.simulate.world.Scenario;
import org.spillway.scaler.simulate.world.StandardScenario;
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
            "Exit codes: 0 done, 2 bad input."
        },
        mixinStandardHelpOptions = true)
public final class SimulateCommand implements Callable<Integer> {
    private static final int MOST_HOME_NODES = 1_000_000;

    @Spec
    private CommandSpec spec;

    @Mixin
    private LogOptions log = new LogOptions();

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            description = "NAME or NAME:key=value,key=value; may be given several times. Default: queue-depth.")
    private List<String> policies = new ArrayList<>();

    @Option(
            names = "--home-nodes",
            paramLabel = "N",
            description =
                    "Nodes at home. Default: the machines that the log names; else so many that it would fill 85 % of"
                            + " them on average.")
    private int homeNodes;

    @Option(
            names = "--home-load",
            paramLabel = "SHARE",
            description =
                    "Instead: so many nodes at home that the log would fill this share of them on average, such as 0.85.")
    private double homeLoad;

    @Option(names = "--seed", paramLabel = "N", description = "Of all chance; default 1.")
    private long seed = 1;

    @Option(names = "--tick", paramLabel = "TIME", description = "Time between two decisions, 1s to 1h; default 60s.")
    private String tick = "60s";

    @Option(
            names = "--budget",
            paramLabel = "AMOUNT",
            description = "That may be spent in each 30 days; default: as much as it takes.")
    private @Nullable String budget;

    @Override
    public Integer call() {
        List<PolicyChoice<?>> choices = new ArrayList<>();
        (policies.isEmpty() ? List.of("queue-depth") : policies).forEach(text -> choices.add(Policies.parse(text)));
        SimulationSettings settings = settings();
        WorkloadLog whole = log.read(err());
        Scenario scenario = scenario(whole);
        List<LoggedJob> part = log.part(whole);
        List<LoggedJob> jobs = part.stream()
                .filter(job -> scenario.canHold(job.perNode(), job.nodes()))
                .toList();
        if (jobs.isEmpty()) {
            throw new CliFailure(CliFailure.BAD_INPUT, "no job of the log fits on any node of any site", "");
        }
        List<SimulationResult> results = new ArrayList<>();
        for (PolicyChoice<?> choice : choices) {
            results.add(new Simulation(jobs, scenario, settings, choice)
                    .run(done -> Terminal.progress(err(), bar(choice.label(), done, jobs.size()))));
        }
        Terminal.progress(err(), "");
        out().print(Tables.heading(whole, part.size(), part.size() - jobs.size(), scenario, settings));
        out().print(Tables.results(results));
        out().flush();
        return 0;
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
            throw new CliFailure(CliFailure.BAD_INPUT, String.valueOf(refused.getMessage()), "");
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

    private Scenario scenario(WorkloadLog whole) {
        if (homeNodes < 0 || homeNodes > MOST_HOME_NODES || !(homeLoad >= 0 && homeLoad <= 100)) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--home-nodes takes 1 to " + MOST_HOME_NODES + ", --home-load more than 0 to 100",
                    "");
        }
        if (homeNodes > 0 && homeLoad > 0) {
            throw new CliFailure(CliFailure.BAD_INPUT, "--home-nodes and --home-load contradict", "give one of them");
        }
        return new Scenario(StandardScenario.home(whole, homeNodes, homeLoad), StandardScenario.clouds());
    }

    private static String bar(String label, long done, int all) {
        int full = (int) (done * 30 / Math.max(1, all));
        return "[" + "#".repeat(full) + ".".repeat(30 - full) + "] " + done + " of " + all + " jobs, " + label;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
