package org.spillway.cli;

import java.util.List;
import org.spillway.api.CheckView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "check",
        customSynopsis = "spillway check [OPTION...] SCRIPT [ARGUMENT...]",
        description = {
            "Says what would become of a job, and submits nothing: the files that its inputs are, how long they take,"
                    + " where and when it would start, and what it costs.",
            "Takes what 'submit' takes. Exits with 2 when the job would be refused."
        },
        sortOptions = false,
        footer = {"", "Example:", "  spillway check --gpus 1 --in 'data/*.csv' train.sh"})
final class CheckCommand extends HeadCommand {
    @Mixin
    JobOptions options = new JobOptions();

    @Option(names = "--json", description = "Print the head's answer as JSON, for programs.")
    boolean json;

    @Parameters(index = "0", paramLabel = "SCRIPT", description = "The script's path, or - for standard input.")
    String script = "";

    @Parameters(index = "1..*", paramLabel = "ARGUMENT", description = "Arguments for the script.")
    List<String> arguments = List.of();

    @Override
    public Integer call() {
        var asked = Submission.of(script, arguments, options, surroundings, err());
        var body = head().post("/check", asked);
        return json ? showJson(body) : show(pages().check(HeadClient.read(body, CheckView.class)));
    }
}
