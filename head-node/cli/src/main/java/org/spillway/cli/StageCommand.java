package org.spillway.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobSubmission;
import org.spillway.api.Json;
import org.spillway.api.StageOrder;
import org.spillway.api.StagedView;
import org.spillway.settings.Quantities;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "stage",
        description = "Brings files to a site ahead of any job, and shows and gives back what is there.",
        footer = {
            "",
            "Examples:",
            "  spillway stage in data/ --site west --keep 1d",
            "  spillway stage ls",
            "",
            "What a site has, a job's stage-in does not send again. You see and change only what is yours."
        })
final class StageCommand extends CommandGroup {
    /** With its subcommands. */
    static CommandLine commandLine() {
        var line = new CommandLine(new StageCommand());
        line.addSubcommand("in", new In());
        line.addSubcommand("prefetch", new Prefetch());
        line.addSubcommand("ls", new Listing());
        line.addSubcommand("status", new Status());
        line.addSubcommand("rm", new Removing());
        return line;
    }

    /** Both ways to ask for files ahead. */
    abstract static class Asking extends AnswerCommand {
        @Option(
                names = "--keep",
                paramLabel = "TIME",
                description =
                        "So long it stays, from when it is there, such as 12h; an hour unless given. The longest is"
                                + " the administrator's to say (staging.keep). The site's director stays for as long.")
        @Nullable
        String keep;

        /** @return what the head says of each, in their order */
        List<StagedView> ask(HeadClient head, List<String> sites, List<JobSubmission.Input> inputs) {
            long seconds;
            try {
                seconds = keep == null
                        ? 0
                        : Math.ceilDiv(Quantities.duration(keep).toMillis(), 1000);
            } catch (IllegalArgumentException malformed) {
                throw new CliFailure(CliFailure.BAD_INPUT, "--keep: " + malformed.getMessage(), "");
            }
            var folder = surroundings.here().toString();
            var begun = new ArrayList<StagedView>();
            for (var site : sites) {
                var body = head.post("/stages", new StageOrder(site, folder, inputs, seconds));
                begun.add(HeadClient.read(body, StagedView.class));
            }
            return begun;
        }

        int showStages(List<StagedView> stages) {
            return json
                    ? show(Json.writeIndented(Map.of("stages", stages)) + "\n")
                    : show(pages().stages().listed(stages));
        }
    }

    @Command(
            name = "in",
            description = {
                "Brings files to a site, or to several, and waits until they are there: a bar on a terminal shows how"
                        + " far it is.",
                "Repeated, what has changed is sent; the same files stay one stage."
            },
            footer = {
                "",
                "Examples:",
                "  spillway stage in data/ --site west",
                "  spillway stage in 'slices/*.csv' model.bin --site west,east --keep 2d --no-wait"
            })
    static final class In extends Asking {
        @Parameters(
                arity = "1..*",
                paramLabel = "PATH[=TARGET]",
                description = "A file, folder or glob, as for 'submit --in'.")
        List<String> paths = List.of();

        @Option(names = "--site", required = true, paramLabel = "S[,S]", description = "Where to.")
        String sites = "";

        @Option(names = "--no-wait", description = "Return at once; 'spillway stage status' says how far it is.")
        boolean noWait;

        @Override
        public Integer call() throws InterruptedException {
            var here = surroundings.here();
            var head = head();
            var begun = ask(
                    head,
                    Submission.names("--site", sites),
                    paths.stream().map(path -> Submission.input(path, here)).toList());
            if (noWait) {
                return showStages(begun);
            }
            var waiting = new JobWait(head, err());
            var ended = new ArrayList<StagedView>();
            for (var stage : begun) {
                ended.add(waiting.until(() -> {
                    var now = head.get("/stages/" + segment(stage.id()), StagedView.class);
                    waiting.progress(Progress.of(now));
                    return now.state().equals("WAITING") ? null : now;
                }));
                waiting.end();
            }
            for (var stage : ended) {
                if (!stage.state().equals("THERE")) {
                    throw new CliFailure(
                            CliFailure.FAILED,
                            stage.id() + " is " + stage.state()
                                    + (stage.message().isEmpty() ? "" : ": " + stage.message()),
                            "");
                }
            }
            if (json) {
                return showStages(ended);
            }
            ended.forEach(stage -> show(pages().stages().there(stage)));
            return 0;
        }
    }

    @Command(
            name = "prefetch",
            customSynopsis = "spillway stage prefetch [OPTION...] SCRIPT [ARGUMENT...]",
            description = {
                "Brings what a job would need: takes what 'submit' takes, submits nothing, and brings the inputs that it"
                        + " names to the sites of --site. Returns at once."
            },
            sortOptions = false,
            footer = {"", "Example:", "  spillway stage prefetch --site west --keep 4h train.sh"})
    static final class Prefetch extends Asking {
        @Mixin
        JobOptions options = new JobOptions();

        @Parameters(index = "0", paramLabel = "SCRIPT", description = "The script's path, or - for standard input.")
        String script = "";

        @Parameters(index = "1..*", paramLabel = "ARGUMENT", description = "Arguments for the script.")
        List<String> arguments = List.of();

        @Override
        public Integer call() {
            var asked = Submission.of(script, arguments, options, surroundings, err());
            if (asked.inputs().isEmpty() || asked.sites().isEmpty()) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        asked.inputs().isEmpty() ? "it has no input" : "no site is named",
                        "--in names inputs, and --site where they are to be");
            }
            return showStages(ask(head(), asked.sites(), asked.inputs()));
        }
    }

    @Command(
            name = "ls",
            description = "Lists what you have in sites: what was brought ahead, and what your jobs have there.",
            footer = {"", "Example:", "  spillway stage ls --site west"})
    static final class Listing extends ReadingCommand {
        @Option(names = "--site", paramLabel = "S", description = "Only this site.")
        @Nullable
        String site;

        @Override
        protected String path() {
            return site == null ? "/stages" : "/stages?site=" + segment(site);
        }

        @Override
        protected String page(HeadClient head) {
            return pages().stages().listed(head.list(path(), "stages", StagedView.class));
        }
    }

    @Command(
            name = "status",
            description = "Shows what is on its way to sites, with rate and time left.",
            footer = {"", "Example:", "  spillway stage status"})
    static final class Status extends ReadingCommand {
        @Override
        protected String path() {
            return "/stages";
        }

        @Override
        protected String page(HeadClient head) {
            return pages().stages().moving(head.list(path(), "stages", StagedView.class));
        }
    }

    @Command(
            name = "rm",
            description = "Gives back what was brought ahead. What jobs have of it stays as long as they need it.",
            footer = {"", "Example:", "  spillway stage rm stage-mfx3k2p9"})
    static final class Removing extends AnswerCommand {
        @Parameters(arity = "1..*", paramLabel = "ID", description = "As 'spillway stage ls' prints it.")
        List<String> ids = List.of();

        @Override
        public Integer call() {
            return each(ids, id -> {
                var answer = head().post("/stages/" + segment(id) + "/remove");
                if (json) {
                    showJson(answer);
                } else {
                    show(HeadClient.read(answer, StagedView.class).id() + " is given back\n");
                }
            });
        }
    }
}
