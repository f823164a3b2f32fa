package org.spillway.proof.faultsim;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.spillway.cli.CliFailure;
import org.spillway.cli.Terminal;
import org.spillway.head.loop.Loop;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code spillway simulate-faults}. */
@Command(
        name = "simulate-faults",
        description = {
            "Runs the head's loop against simulated providers, directors and nodes that fail in every way it",
            "claims to survive, and checks that no job, no result and no cent is lost. Needs no head."
        },
        footer = {
            "",
            "Examples:",
            "  spillway simulate-faults --seeds 10000",
            "  spillway simulate-faults --first 1659 --seeds 1     (one seed again)",
            "",
            "Each seed draws jobs, sites and faults: the head killed before or after any write and between any two",
            "effects, answers lost, listings late or failing, links cut, directors and nodes killed, capacity refused,",
            "processes that stand still for minutes.",
            "Some are told again in worlds of their own: no director comes up for an hour, outputs cannot be written for",
            "longer than a day, the journal is put back from an older copy or lost, the clock of the machine is set by minutes",
            "or an hour.",
            "Every fourth one is told again with jobs of a Slurm that breaks runs off, forgets jobs, and is away or killed.",
            "Exit codes: 0 all hold, 1 an invariant was broken (its seed is printed), 2 bad input."
        },
        mixinStandardHelpOptions = true)
public final class SimulateFaultsCommand implements Callable<Integer> {
    private static final long MOST_SEEDS = 100_000_000;

    @Option(names = "--seeds", paramLabel = "N", description = "How many seeds; default 1000.")
    private long seeds = 1000;

    @Option(names = "--first", paramLabel = "SEED", description = "The first seed; default 1.")
    private long first = 1;

    @Option(names = "--threads", paramLabel = "N", description = "Default: one for each processor.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--json", description = "Print the summary as JSON.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        if (seeds < 1 || seeds > MOST_SEEDS || threads < 1 || threads > 256) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--seeds takes 1 to " + MOST_SEEDS + " and --threads 1 to 256",
                    "spillway simulate-faults --help explains them");
        }
        PrintStream progress = Terminal.isStandardError() && !json ? System.err : null;
        Campaign.Result result = Campaign.run(first, seeds, threads, Loop::new, done -> {
            if (progress != null) {
                progress.printf("\r%d of %d seeds", done, seeds);
            }
        });
        if (progress != null) {
            progress.print("\r");
        }
        for (Verdict broken : result.broken()) {
            System.err.println("seed " + broken.seed() + ": " + broken.broken());
        }
        print(result);
        return result.brokenCount() == 0 ? 0 : CliFailure.FAILED;
    }

    private void print(Campaign.Result result) {
        if (json) {
            ObjectNode node = JsonMapper.builder().build().createObjectNode();
            node.put("firstSeed", first)
                    .put("seeds", seeds)
                    .put("broken", result.brokenCount())
                    .put("jobs", result.jobs())
                    .put("attempts", result.attempts())
                    .put("instances", result.launches())
                    .put("headKills", result.kills())
                    .put("seconds", result.took().toMillis() / 1000.0);
            ObjectNode faults = node.putObject("faults");
            result.faults().forEach(faults::put);
            System.out.println(node.toPrettyString());
            return;
        }
        System.out.printf(
                "%d seeds from %d: %s; %d jobs, %d attempts, %d instances, %d kills of the head, %s%n",
                seeds,
                first,
                result.brokenCount() == 0 ? "all hold" : result.brokenCount() + " BROKEN",
                result.jobs(),
                result.attempts(),
                result.launches(),
                result.kills(),
                seconds(result.took()));
    }

    private static String seconds(Duration took) {
        return took.toMillis() / 1000 + "." + took.toMillis() / 100 % 10 + " s";
    }
}
