package org.spillway.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobSubmission;
import org.spillway.settings.Quantities;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Options of a job: on the command line, and in the {@code #SPILLWAY} lines of its script. */
@Command
final class JobOptions {
    private static final Pattern LICENCE = Pattern.compile("([A-Za-z0-9_][A-Za-z0-9._@-]{0,99})(?::([1-9]\\d{0,3}))?");

    @Option(names = "--queue", paramLabel = "NAME", description = "The queue; otherwise the default queue.")
    @Nullable
    String queue;

    @Option(names = "--project", paramLabel = "NAME", description = "The project that it belongs to.")
    @Nullable
    String project;

    @Option(
            names = "--account",
            paramLabel = "NAME",
            description = "The account that is charged: a group that you are in; otherwise your primary group.")
    @Nullable
    String account;

    @Option(names = "--name", paramLabel = "TEXT", description = "Shown in listings; otherwise the script's name.")
    @Nullable
    String name;

    @Option(names = "--cpus", paramLabel = "N", description = "CPUs of each node; 1 unless given.")
    @Nullable
    Integer cpus;

    @Option(names = "--mem", paramLabel = "SIZE", description = "Memory of each node, such as 512MiB or 4GiB.")
    @Nullable
    String memory;

    @Option(names = "--gpus", paramLabel = "N", description = "GPUs of each node; 0 unless given.")
    @Nullable
    Integer gpus;

    @Option(names = "--gpu-model", paramLabel = "MODEL", description = "The GPUs' model, such as h100; otherwise any.")
    @Nullable
    String gpuModel;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Nodes; more than one is a gang that starts together or not at all.")
    @Nullable
    Integer nodes;

    @Option(
            names = "--time",
            paramLabel = "TIME",
            description = "Walltime, such as 10m or 2h; otherwise the queue's limit.")
    @Nullable
    String walltime;

    @Option(
            names = "--deadline",
            paramLabel = "TIME",
            description = "It should have ended so long after it was submitted, such as 12h; a policy may heed it.")
    @Nullable
    String deadline;

    @Option(
            names = "--licence",
            paramLabel = "NAME[:N]",
            description = "A floating licence that it takes while it runs, or N of them. Repeatable.")
    List<String> licences = List.of();

    @Option(names = "--priority", paramLabel = "N", description = "-1000 to 1000; higher goes first.")
    @Nullable
    Integer priority;

    @Option(
            names = "--requeue",
            negatable = true,
            description = "Whether it is tried again when its nodes are lost; it is unless --no-requeue is given.")
    @Nullable
    Boolean requeue;

    @Option(names = "--site", paramLabel = "S[,S]", description = "Only these sites; otherwise those of the queue.")
    @Nullable
    String sites;

    @Option(names = "--constraint", paramLabel = "home|cloud", description = "Only sites at home, or only others.")
    @Nullable
    String constraint;

    @Option(
            names = "--market",
            paramLabel = "M[,M]",
            description = "Only machines bought so, of on-demand, spot and reserved: spot ones may be taken back at any"
                    + " time. Otherwise all that the queue allows.")
    @Nullable
    String markets;

    @Option(
            names = "--after",
            paramLabel = "ID[,ID]",
            description = "Starts when these jobs or arrays are DONE. Repeatable.")
    List<String> after = List.of();

    @Option(
            names = "--after-any",
            paramLabel = "ID[,ID]",
            description = "Starts when these have ended, however that was. Repeatable.")
    List<String> afterAny = List.of();

    @Option(
            names = "--array",
            paramLabel = "RANGE",
            description = "A job for each index: 0-9, 0-9:3 (each third), 0-9%%2 (two at a time), 1,3,5. In the job:"
                    + " $SPILLWAY_ARRAY_INDEX.")
    @Nullable
    String array;

    @Option(
            names = "--in",
            paramLabel = "PATH[=TARGET]",
            description = "A file, folder or glob ('data/*.csv', '**', '{a,b}': quote it) that is put into the job's"
                    + " folder, under TARGET if given. Or what the job's site fetches by itself: https://HOST/FILE,"
                    + " s3://BUCKET/KEY, s3://BUCKET/PREFIX/, urls:LIST (a file with a URL a line). Repeatable.")
    List<String> inputs = List.of();

    @Option(
            names = "--out",
            paramLabel = "NAME[!][=DEST]",
            description = "A file, folder/ or glob in the job's folder that comes home, to DEST or the current"
                    + " directory. With '!' the job has failed when there is nothing of it. Repeatable.")
    List<String> outputs = List.of();

    @Option(
            names = "--sync",
            paramLabel = "TIME",
            description = "What --out names comes home while the job runs, too, whole files that have changed, so long"
                    + " after the last time: 60s, 10m; 5s or more.")
    @Nullable
    String sync;

    @Option(
            names = "--stdout",
            paramLabel = "FILE",
            description = "Where its standard output comes home: %%j is the job's id, %%A its array's, %%a its index."
                    + " Default: spillway-%%j.out, for an array spillway-%%A-%%a.out. Nowhere: /dev/null.")
    @Nullable
    String stdout;

    @Option(
            names = "--stderr",
            paramLabel = "FILE",
            description = "The same for its standard error. Default: spillway-%%j.err, spillway-%%A-%%a.err.")
    @Nullable
    String stderr;

    @Option(
            names = "--container",
            paramLabel = "IMAGE",
            description =
                    "The image that it runs in: REGISTRY/REPOSITORY:TAG, the same with @sha256:DIGEST, an OCI layout"
                            + " (oci:FOLDER, oci-archive:FILE); none for no image, where its queue has one.")
    @Nullable
    String container;

    @Option(names = "--env", paramLabel = "KEY=VALUE", description = "A variable for the job. Repeatable.")
    List<String> environment = List.of();

    /** The script itself, which no option says. */
    record Program(String text, String file, List<String> arguments) {}

    /** Both sets of options: of what can be said once, {@code stronger} is taken; what may be repeated adds up. */
    JobOptions under(JobOptions stronger) {
        var both = new JobOptions();
        both.queue = first(stronger.queue, queue);
        both.project = first(stronger.project, project);
        both.account = first(stronger.account, account);
        both.deadline = first(stronger.deadline, deadline);
        both.licences = joined(licences, stronger.licences);
        both.name = first(stronger.name, name);
        both.cpus = first(stronger.cpus, cpus);
        both.memory = first(stronger.memory, memory);
        both.gpus = first(stronger.gpus, gpus);
        both.gpuModel = first(stronger.gpuModel, gpuModel);
        both.nodes = first(stronger.nodes, nodes);
        both.walltime = first(stronger.walltime, walltime);
        both.priority = first(stronger.priority, priority);
        both.requeue = first(stronger.requeue, requeue);
        both.sites = first(stronger.sites, sites);
        both.constraint = first(stronger.constraint, constraint);
        both.markets = first(stronger.markets, markets);
        both.sync = first(stronger.sync, sync);
        both.container = first(stronger.container, container);
        both.array = first(stronger.array, array);
        both.stdout = first(stronger.stdout, stdout);
        both.stderr = first(stronger.stderr, stderr);
        both.after = joined(after, stronger.after);
        both.afterAny = joined(afterAny, stronger.afterAny);
        both.inputs = joined(inputs, stronger.inputs);
        both.outputs = joined(outputs, stronger.outputs);
        both.environment = joined(environment, stronger.environment);
        return both;
    }

    private static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
        return one == null ? other : one;
    }

    private static List<String> joined(List<String> one, List<String> other) {
        return Stream.concat(one.stream(), other.stream()).toList();
    }

    /** @throws CliFailure if an option says what cannot be */
    JobSubmission submission(Program program, Surroundings user) {
        if (sync != null && outputs.isEmpty()) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--sync brings home what --out names, and there is no --out",
                    "name what is to come home while it runs, such as --out 'state/**=state/'");
        }
        var here = user.here();
        return JobSubmission.of(job -> {
            job.queue = or(queue, "");
            job.project = or(project, "");
            job.name = or(name, "");
            job.script = program.text;
            job.scriptName = program.file;
            job.arguments = program.arguments;
            job.environment = Submission.environment(environment);
            job.cpus = or(cpus, 1);
            job.memoryBytes = quantity("--mem", memory, Quantities::bytes);
            job.gpus = or(gpus, 0);
            job.gpuModel = or(gpuModel, "");
            job.nodes = or(nodes, 1);
            job.walltimeSeconds = quantity("--time", walltime, JobOptions::seconds);
            job.priority = or(priority, 0);
            job.requeue = or(requeue, true);
            job.sites = sites == null ? List.of() : Submission.names("--site", sites);
            job.constraint = or(constraint, "");
            job.after = dependencies();
            job.array = array == null ? JobSubmission.ArrayRange.NONE : Submission.array(array);
            job.folder = here.toString();
            job.inputs =
                    inputs.stream().map(input -> Submission.input(input, here)).toList();
            job.outputs = allOutputs(user);
            job.terms = terms();
            job.syncSeconds = quantity("--sync", sync, JobOptions::seconds);
            job.container = container == null ? "" : Submission.image(container, here);
            job.markets = markets == null ? List.of() : Submission.names("--market", markets);
        });
    }

    private static long seconds(String text) {
        return Math.ceilDiv(Quantities.duration(text).toMillis(), 1000);
    }

    private JobSubmission.Terms terms() {
        var counts = new LinkedHashMap<String, Integer>();
        for (var text : licences) {
            var match = LICENCE.matcher(text);
            if (!match.matches()) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        "--licence: '" + text + "' is not a licence",
                        "write its name, or its name and how many: matlab:2");
            }
            var count = match.group(2);
            counts.merge(match.group(1), count == null ? 1 : Integer.parseInt(count), Integer::sum);
        }
        long due = quantity("--deadline", deadline, JobOptions::seconds);
        return new JobSubmission.Terms(or(account, ""), due, counts);
    }

    private List<JobSubmission.Dependency> dependencies() {
        var all = new ArrayList<JobSubmission.Dependency>();
        for (var text : after) {
            Submission.names("--after", text).forEach(id -> all.add(new JobSubmission.Dependency(id, true)));
        }
        for (var text : afterAny) {
            Submission.names("--after-any", text).forEach(id -> all.add(new JobSubmission.Dependency(id, false)));
        }
        return all;
    }

    private List<JobSubmission.Output> allOutputs(Surroundings user) {
        var all = new ArrayList<JobSubmission.Output>();
        outputs.forEach(output -> all.add(Submission.output(output, user)));
        var usual = array == null ? "spillway-%j" : "spillway-%A-%a";
        Submission.stream(Submission.STDOUT, or(stdout, usual + ".out"), user).ifPresent(all::add);
        Submission.stream(Submission.STDERR, or(stderr, usual + ".err"), user).ifPresent(all::add);
        return all;
    }

    private static <T> T or(@Nullable T given, T usual) {
        return given == null ? usual : given;
    }

    private static long quantity(String option, @Nullable String text, Function<String, Long> read) {
        try {
            return text == null ? 0 : read.apply(text);
        } catch (IllegalArgumentException malformed) {
            throw new CliFailure(CliFailure.BAD_INPUT, option + ": " + malformed.getMessage(), "");
        }
    }
}
