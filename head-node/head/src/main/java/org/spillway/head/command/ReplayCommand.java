package org.spillway.head.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException;
import org.spillway.api.DecisionLine;
import org.spillway.api.Json;
import org.spillway.api.ReplayView;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadCommand;
import org.spillway.cli.Terminal;
import org.spillway.head.journal.DecisionFile;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.replay.Replay;
import org.spillway.head.rest.DecisionsApi;
import org.spillway.head.service.DecisionDesk;
import org.spillway.head.service.ReplayPolicies;
import org.spillway.policy.ScalingPolicy;
import org.spillway.scaler.policyhost.Containment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "replay",
        description = {
            "Decides journalled decisions once more and shows any difference, for administrators. Changes nothing.",
            "Each is decided from its own snapshot, by the policy and the settings that were used then, with the"
                    + " planner of this release. A policy of policies.d is asked in the version of then, which the head"
                    + " has kept beside its journal."
        },
        footer = {
            "",
            "Examples:",
            "  spillway replay d1043",
            "  spillway replay --last 1000",
            "  spillway replay --all --journal state/journal.db     (without a head, or of a copy)",
            "",
            "Exit codes: 0 all are identical, 1 one differs or could not be replayed, 2 bad input, 3 no head answers."
        })
final class ReplayCommand extends HeadCommand {
    /** As scaler.policyMemory is by default. */
    private static final int MEMORY_MIB = 256;

    private final Supplier<Map<String, ScalingPolicy<?>>> policies;

    @Parameters(arity = "0..*", paramLabel = "DECISION", description = "Ids, as 'spillway explain NODE' names them.")
    List<String> decisions = new ArrayList<>();

    @Option(names = "--last", paramLabel = "N", description = "The latest N decisions.")
    int last;

    @Option(names = "--all", description = "All that are kept, at most 100000.")
    boolean all;

    @Option(
            names = "--journal",
            paramLabel = "FILE",
            description = "Read this journal, or this state directory, instead of asking the head.")
    @Nullable
    Path journal;

    @Option(names = "--json", description = "Print the outcome of each as JSON.")
    boolean json;

    ReplayCommand(Supplier<Map<String, ScalingPolicy<?>>> policies) {
        this.policies = policies;
    }

    @Override
    public Integer call() {
        if ((decisions.isEmpty() ? 0 : 1) + (last == 0 ? 0 : 1) + (all ? 1 : 0) != 1
                || last < 0
                || last > DecisionsApi.MOST) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "which decisions: name some, or one of --last N and --all",
                    "N is a whole number from 1 to " + DecisionsApi.MOST);
        }
        Path file = journal;
        if (file == null) {
            var head = head();
            return replay(new Asked(
                    most -> head.list("/decisions?limit=" + most, "decisions", DecisionLine.class),
                    id -> head.get("/decisions/" + segment(id) + "/replay", ReplayView.class)));
        }
        try (DecisionFile opened = DecisionFile.open(file);
                var again = new ReplayPolicies(policies.get(), file, Containment.probe(), MEMORY_MIB, this::say)) {
            var desk = new DecisionDesk(opened.decisions(), again);
            return replay(new Asked(desk::latest, desk::replay));
        } catch (IOException left) {
            throw new CliFailure(CliFailure.FAILED, "it could not be tidied up: " + left.getMessage(), "");
        } catch (JournalFailure unreadable) {
            throw new CliFailure(CliFailure.BAD_INPUT, String.valueOf(unreadable.getMessage()), "");
        } catch (ApiException refused) {
            throw new CliFailure(CliFailure.FAILED, String.valueOf(refused.getMessage()), refused.hint());
        }
    }

    /** A head, or a file. */
    private record Asked(Latest latest, One one) {
        interface Latest {
            List<DecisionLine> of(int most);
        }

        interface One {
            ReplayView of(String id);
        }
    }

    private int replay(Asked asked) {
        List<String> ids = decisions;
        if (ids.isEmpty()) {
            ids = asked.latest.of(all ? DecisionsApi.MOST : last).stream()
                    .map(DecisionLine::id)
                    .toList();
        }
        List<ReplayView> outcomes = new ArrayList<>();
        int identical = 0;
        int differ = 0;
        for (var id : ids) {
            Terminal.progress(err(), outcomes.size() + " of " + ids.size() + " decisions, " + differ + " differ");
            var outcome = asked.one.of(id);
            outcomes.add(outcome);
            identical += outcome.verdict().equals(Replay.Verdict.IDENTICAL.name()) ? 1 : 0;
            differ += outcome.verdict().equals(Replay.Verdict.DIFFERS.name()) ? 1 : 0;
            if (!json && !outcome.differences().isEmpty()) {
                Terminal.progress(err(), "");
                show(page(outcome));
            }
        }
        Terminal.progress(err(), "");
        if (json) {
            show(Json.writeIndented(Map.of("decisions", outcomes)) + "\n");
        } else {
            int left = outcomes.size() - identical - differ;
            show(outcomes.size() + (outcomes.size() == 1 ? " decision: " : " decisions: ") + identical
                    + " identical, " + differ + (differ == 1 ? " differs" : " differ")
                    + (left == 0 ? "" : ", " + left + " not replayed") + "\n");
        }
        return identical == outcomes.size() ? 0 : CliFailure.FAILED;
    }

    private void say(String line) {
        Terminal.progress(err(), "");
        err().println(line);
        err().flush();
    }

    private static String page(ReplayView outcome) {
        var page = new StringBuilder(outcome.id())
                .append(" of ")
                .append(outcome.at())
                .append(outcome.verdict().equals(Replay.Verdict.DIFFERS.name()) ? " differs:" : " was not replayed:")
                .append('\n');
        outcome.differences()
                .forEach(line -> page.append("  ")
                        .append(line.replaceAll("\\p{Cntrl}", "?"))
                        .append('\n'));
        return page.toString();
    }
}
