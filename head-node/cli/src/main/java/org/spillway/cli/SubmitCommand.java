package org.spillway.cli;

import java.util.List;
import org.spillway.api.Submitted;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "submit",
        description = {
            "Submits a script as a job and prints its id. It runs as you, in a folder of its own, on nodes of the queue's"
                    + " sites.",
            "The script may say the options itself, in lines at its top such as '#SPILLWAY --gpus 1 --in data/'. What"
                    + " the command line says wins; --in, --out, --env and --after add up.",
            "With --wait: exits with the script's exit code."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway submit --gpus 1 --time 10m --in data.csv --out result.csv \\",
            "      train.sh --epochs 3",
            "  spillway submit --array 0-9 --in 'slices/*.csv' --out 'sums/*!' sum.sh",
            "  spillway submit --after 42 --nodes 2 --constraint cloud merge.sh"
        })
final class SubmitCommand extends HeadCommand {
    @Mixin
    JobOptions options = new JobOptions();

    @Option(names = "--wait", description = "Wait for the job's end, and exit with the script's exit code.")
    boolean wait;

    @Option(names = "--json", description = "Print the job as JSON, for programs.")
    boolean json;

    @Parameters(index = "0", paramLabel = "SCRIPT", description = "The script's path, or - for standard input.")
    String script = "";

    @Parameters(index = "1..*", paramLabel = "ARGUMENT", description = "Arguments for the script.")
    List<String> arguments = List.of();

    @Override
    public Integer call() throws InterruptedException {
        if (wait) {
            surroundings.needOwnProcess();
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
}
