package org.spillway.head.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.spillway.head.config.Quantities;
import org.spillway.head.loop.Orders;
import org.spillway.head.rest.JobSubmission;
import org.spillway.head.rest.Submitted;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "submit",
        description = {
            "Submits a script as a job and prints its id. It runs as you, in a folder of its own, on a node of the queue's"
                    + " sites.",
            "With --wait: exits with the script's exit code."
        },
        footer = {
            "",
            "Example:",
            "  spillway submit --gpus 1 --time 10m --in data.csv --out result.csv \\",
            "      train.sh --epochs 3"
        })
final class SubmitCommand extends HeadCommand {
    @Option(names = "--queue", paramLabel = "NAME", description = "The queue; otherwise the default queue.")
    String queue = "";

    @Option(names = "--name", paramLabel = "TEXT", description = "Shown in listings; otherwise the script's name.")
    String name = "";

    @Option(names = "--cpus", paramLabel = "N", description = "CPUs; 1 unless given.")
    int cpus = 1;

    @Option(names = "--mem", paramLabel = "SIZE", description = "Memory, such as 512MiB or 4GiB.")
    @Nullable
    String memory;

    @Option(names = "--gpus", paramLabel = "N", description = "GPUs; 0 unless given.")
    int gpus;

    @Option(names = "--gpu-model", paramLabel = "MODEL", description = "The GPUs' model, such as h100; otherwise any.")
    String gpuModel = "";

    @Option(
            names = "--time",
            paramLabel = "TIME",
            description = "Walltime, such as 10m or 2h; otherwise the queue's limit.")
    @Nullable
    String walltime;

    @Option(names = "--priority", paramLabel = "N", description = "-1000 to 1000; higher goes first.")
    int priority;

    @Option(
            names = "--in",
            paramLabel = "PATH[=TARGET]",
            description = "A file, folder or glob that is put into the job's folder. Repeatable.")
    List<String> inputs = List.of();

    @Option(
            names = "--out",
            paramLabel = "NAME[=DEST]",
            description = "A file in the job's folder that comes home, to DEST or the current directory. Repeatable.")
    List<String> outputs = List.of();

    @Option(
            names = "--stdout",
            paramLabel = "FILE",
            description = "Where its standard output comes home; %%j is the job's id. Default: ${DEFAULT-VALUE}.")
    String stdout = "spillway-%j.out";

    @Option(
            names = "--stderr",
            paramLabel = "FILE",
            description = "Where its standard error comes home. Default: ${DEFAULT-VALUE}.")
    String stderr = "spillway-%j.err";

    @Option(names = "--env", paramLabel = "KEY=VALUE", description = "A variable for the job. Repeatable.")
    List<String> environment = List.of();

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
        var head = head();
        var body = head.post("/jobs", UUID.randomUUID().toString(), submission());
        var submitted = HeadClient.read(body, Submitted.class);
        var job = submitted.jobs().getFirst();
        if (!wait) {
            return json ? showJson(body) : show(submitted.id() + "\n");
        }
        if (!json) {
            show(job.id() + "\n");
        }
        var ended = new JobWait(head, err()).untilEnd(job.id());
        if (json) {
            showJson(head.get("/jobs/" + segment(job.id())));
        }
        return JobWait.exitCode(ended);
    }

    private JobSubmission submission() {
        var here = Path.of("").toAbsolutePath();
        var file = script.equals("-") ? "stdin" : String.valueOf(Path.of(script).getFileName());
        return new JobSubmission(
                queue,
                "",
                name,
                Submission.script(script, System.in),
                file,
                arguments,
                Submission.environment(environment),
                cpus,
                quantity("--mem", memory, Quantities::bytes),
                gpus,
                gpuModel,
                1,
                quantity(
                        "--time",
                        walltime,
                        text -> Math.ceilDiv(Quantities.duration(text).toMillis(), 1000)),
                priority,
                true,
                List.of(),
                "",
                List.of(),
                JobSubmission.ArrayRange.NONE,
                here.toString(),
                inputs.stream().map(input -> Submission.input(input, here)).toList(),
                allOutputs(here));
    }

    private List<JobSubmission.Output> allOutputs(Path here) {
        var all = new ArrayList<JobSubmission.Output>();
        outputs.forEach(output -> all.add(Submission.output(output, here)));
        all.add(Submission.output(Orders.STDOUT + "=" + stdout, here));
        all.add(Submission.output(Orders.STDERR + "=" + stderr, here));
        return all;
    }

    private static long quantity(String option, @Nullable String text, Function<String, Long> read) {
        try {
            return text == null ? 0 : read.apply(text);
        } catch (IllegalArgumentException malformed) {
            throw new CliFailure(CliFailure.BAD_INPUT, option + ": " + malformed.getMessage(), "");
        }
    }
}
