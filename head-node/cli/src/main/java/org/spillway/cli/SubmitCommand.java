package org.spillway.cli;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.Submitted;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "submit",
        customSynopsis = {
            "spillway submit [OPTION...] SCRIPT [ARGUMENT...]",
            "       spillway submit [OPTION...] --many FILE"
        },
        description = {
            "Submits a script as a job and prints its id. It runs as you, in a folder of its own, on nodes of the queue's"
                    + " sites.",
            "The script may say the options itself, in lines at its top such as '#SPILLWAY --gpus 1 --in data/'. What"
                    + " the command line says wins; --in, --out, --env and --after add up.",
            "With --wait: exits with the script's exit code.",
            "With --many: all lines are checked before the first is submitted; mistakes are told by line."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway submit --gpus 1 --time 10m --in data.csv --out result.csv \\",
            "      train.sh --epochs 3",
            "  spillway submit --array 0-9 --in 'slices/*.csv' --out 'sums/*!' sum.sh",
            "  spillway submit --after 42 --nodes 2 --constraint cloud merge.sh",
            "  for x in 1 2 3; do echo \"--name r$x train.sh --rate 0.$x\"; done |",
            "      spillway submit --gpus 1 --many -"
        })
final class SubmitCommand extends HeadCommand {
    @Mixin
    JobOptions options = new JobOptions();

    @Option(names = "--wait", description = "Wait for the job's end, and exit with the script's exit code.")
    boolean wait;

    @Option(names = "--json", description = "Print the job as JSON, for programs.")
    boolean json;

    @Option(
            names = "--many",
            paramLabel = "FILE",
            description = "Submit a job for each line of FILE, or of standard input for -: a line is what would follow"
                    + " 'spillway submit', quoted as for a shell. Options given here hold for all lines that do not say"
                    + " otherwise. All of them or none.")
    @Nullable
    String many;

    @Option(names = "--keep-going", description = "With --many: submit the lines that are not refused.")
    boolean keepGoing;

    @Option(
            names = "--key",
            paramLabel = "TEXT",
            description = "With --many: repeated with the same key, a line that was submitted is not submitted again.")
    @Nullable
    String key;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "SCRIPT",
            description = "The script's path, or - for standard input.")
    String script = "";

    @Parameters(index = "1..*", paramLabel = "ARGUMENT", description = "Arguments for the script.")
    List<String> arguments = List.of();

    @Override
    public Integer call() throws InterruptedException {
        if (many != null) {
            return submitMany(many);
        }
        if (wait) {
            surroundings.needOwnProcess();
        }
        if (script.isEmpty() || keepGoing || key != null) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    script.isEmpty() ? "no script is named" : "--keep-going and --key are for --many",
                    "'spillway submit --help' explains it");
        }
        var asked = Submission.of(script, arguments, options, surroundings, err());
        var head = head();
        var body = head.post("/jobs", surroundings.submissionKey(), asked);
        var submitted = HeadClient.read(body, Submitted.class);
        if (!wait) {
            return json ? showJson(body) : show(submitted.id() + "\n");
        }
        if (!json) {
            show(submitted.id() + "\n");
        }
        var array = !asked.array().isNone();
        var path = (array ? "/arrays/" : "/jobs/") + segment(submitted.id());
        var waiting = new JobWait(head, err());
        int code = array ? waiting.exitCodeOfArray(submitted.id()) : JobWait.exitCode(waiting.untilEnd(submitted.id()));
        if (json) {
            showJson(head.get(path));
        }
        return code;
    }

    private int submitMany(String file) {
        surroundings.needOwnProcess();
        if (!script.isEmpty() || wait) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    wait ? "--many does not wait" : "with --many each line names its script",
                    "'spillway submit --help' explains it");
        }
        var of = ManyFile.key(key);
        try {
            var lines = ManyLines.read(surroundings.script(file), file, options, surroundings, err());
            return new ManyFile(file, of, keepGoing, json, out(), err()).submit(lines, head());
        } catch (IOException unreadable) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "cannot read '" + file + "'",
                    "name an existing file, or - for standard input");
        }
    }
}
