package org.spillway.head.command;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.api.RolloutOrder;
import org.spillway.api.RolloutView;
import org.spillway.cli.AnswerCommand;
import org.spillway.cli.CliFailure;
import org.spillway.cli.CommandGroup;
import org.spillway.cli.HeadClient;
import org.spillway.cli.ReadingCommand;
import org.spillway.settings.Quantities;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands on versions that nodes have. The head that runs them is asked. */
final class ImageRolloutCommands {
    private static final String CATEGORY = "Of the configuration; one that names a version.";

    private ImageRolloutCommands() {}

    @Command(
            name = "rollout",
            description = {
                "Gives the nodes of a category another version: canaries first, then so many at a time, each healthy for"
                        + " a while before the next. What fails is halted and rolled back by itself.",
                "Jobs run on untouched to their end. A version that the configuration names anew begins one by itself."
            },
            footer = {
                "",
                "Examples:",
                "  spillway image rollout start compute:test --category ml",
                "  spillway image rollout status"
            })
    static final class Group extends CommandGroup {
        /** With its subcommands. */
        static CommandLine commandLine() {
            var line = new CommandLine(new Group());
            line.addSubcommand("start", new Start());
            line.addSubcommand("status", new Status());
            line.addSubcommand("pause", change("pause", "Gives no further node the version until it is resumed."));
            line.addSubcommand("resume", change("resume", "Goes on with a rollout that was paused."));
            line.addSubcommand(
                    "abort",
                    change("abort", "Gives the nodes of a rollout that is under way the former version again."));
            return line;
        }
    }

    private static CommandLine change(String action, String what) {
        var line = new CommandLine(new Change(action));
        line.getCommandSpec()
                .name(action)
                .usageMessage()
                .description(what)
                .footer("", "Example:", "  spillway image rollout " + action + " ml");
        return line;
    }

    /** {@code image rollback}. */
    static CommandLine rollback() {
        var line = new CommandLine(new Change("rollback"));
        line.getCommandSpec()
                .name("rollback")
                .usageMessage()
                .description(
                        "Gives the nodes of a category the version that they had before the last rollout, by batches and"
                                + " without a canary. One that is under way is aborted.")
                .footer("", "Example:", "  spillway image rollback ml");
        return line;
    }

    @Command(
            name = "start",
            description = "Begins a rollout. What is not said is as the configuration has it (image.rollout).",
            sortOptions = false,
            footer = {
                "",
                "Examples:",
                "  spillway image rollout start compute:test --category ml",
                "  spillway image rollout start compute@3f2a9c01 --category ml --batch 20%%"
            })
    static final class Start extends AnswerCommand {
        @Parameters(index = "0", paramLabel = "VERSION", description = ImageReadCommands.REFERENCE)
        String version = "";

        @Option(names = "--category", required = true, paramLabel = "NAME", description = CATEGORY)
        String category = "";

        @Option(names = "--canary", paramLabel = "N", description = "Nodes that have to pass before any other has it.")
        @Nullable
        Integer canary;

        @Option(
                names = "--batch",
                paramLabel = "N|P%",
                description = "Nodes that may be away at a time, or their share, such as 10%%.")
        String batch = "";

        @Option(
                names = "--soak",
                paramLabel = "TIME",
                description = "For so long a renewed node has to stay well, such as 5m.")
        @Nullable
        String soak;

        @Option(
                names = "--within",
                paramLabel = "TIME",
                description = "A node whose jobs go on for longer is named, and others go ahead of it.")
        @Nullable
        String within;

        @Option(
                names = "--max-failures",
                paramLabel = "N",
                description = "Nodes that may fail in it; one more halts the rollout.")
        @Nullable
        Integer maxFailures;

        @Override
        public Integer call() {
            if (!batch.isEmpty() && !batch.matches(RolloutOrder.BATCH)) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT, "--batch: found '" + batch + "'", "allowed: " + RolloutOrder.BATCHES);
            }
            var order = new RolloutOrder(
                    version,
                    number("--canary", canary),
                    batch,
                    seconds("--soak", soak),
                    seconds("--within", within),
                    number("--max-failures", maxFailures));
            var answer = head().post("/rollouts/" + segment(category), order);
            return json
                    ? showJson(answer)
                    : show(RolloutPages.all(List.of(HeadClient.read(answer, RolloutView.class))));
        }

        private static int number(String option, @Nullable Integer value) {
            if (value != null && (value < 0 || value > 1000)) {
                throw new CliFailure(CliFailure.BAD_INPUT, option + ": found " + value, "allowed: 0 to 1000");
            }
            return value == null ? -1 : value;
        }

        private static long seconds(String option, @Nullable String text) {
            try {
                return text == null
                        ? -1
                        : Math.ceilDiv(
                                Quantities.duration(text).toMillis(),
                                Duration.ofSeconds(1).toMillis());
            } catch (IllegalArgumentException malformed) {
                throw new CliFailure(CliFailure.BAD_INPUT, option + ": " + malformed.getMessage(), "");
            }
        }
    }

    @Command(
            name = "status",
            description = "Shows which version nodes of each category have, how a rollout is, and who holds it up.",
            footer = {"", "Examples:", "  spillway image rollout status", "  spillway image rollout status --json"})
    static final class Status extends ReadingCommand {
        @Override
        protected String path() {
            return "/rollouts";
        }

        @Override
        protected String page(HeadClient head) {
            return RolloutPages.all(head.list(path(), "rollouts", RolloutView.class));
        }
    }

    @Command
    static final class Change extends AnswerCommand {
        private final String action;

        @Parameters(index = "0", paramLabel = "CATEGORY", description = CATEGORY)
        String category = "";

        Change(String action) {
            this.action = action;
        }

        @Override
        public Integer call() {
            var answer = head().post("/rollouts/" + segment(category) + "/" + action, Map.of());
            return json
                    ? showJson(answer)
                    : show(RolloutPages.all(List.of(HeadClient.read(answer, RolloutView.class))));
        }
    }
}
