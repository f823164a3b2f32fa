package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobSubmission.Dependency;
import org.spillway.api.JobSubmission.Input;
import org.spillway.api.JobSubmission.Output;
import org.spillway.head.loop.jobs.Orders;

/** The jobs that the demo submits. No job says where it runs, but for the queue that its user chose. */
final class DemoJobs {
    static final String DEFAULT_QUEUE = "anywhere";
    static final String GANG = "shapes";
    static final String MERGE = "merge";
    static final String STEPS = "steps";

    /** As many as the large machine of each region has, so that the job has it to itself. */
    private static final int STEPS_CPUS = 4;

    /** Of the virtual clusters those with the most jobs get a job each. */
    private static final int ON_THEIR_OWN = 6;

    /** More than home's two nodes hold at once. */
    private static final int RESAMPLINGS = 6;

    private static final int RESAMPLING_SECONDS = 6;
    private static final long WALLTIME_SECONDS = 120;

    private final DemoFiles files;
    private final WorkloadLog log;

    DemoJobs(DemoFiles files, WorkloadLog log) {
        this.files = files;
        this.log = log;
    }

    /** Jobs that fill the machines at home. */
    List<JobSubmission> atHome() throws IOException {
        List<JobSubmission> jobs = new ArrayList<>();
        for (int i = 1; i <= RESAMPLINGS; i++) {
            String name = "resample-" + i;
            jobs.add(job(
                    name,
                    "home",
                    "resample.sh",
                    List.of(Integer.toString(RESAMPLING_SECONDS)),
                    1,
                    1,
                    List.of(),
                    List.of(all()),
                    List.of(file("interval.txt", "resample/" + name + ".txt")),
                    0));
        }
        return jobs;
    }

    /** Each virtual cluster in one of these: the large ones wherever there is room, the others in two regions. */
    List<JobSubmission> hours() throws IOException {
        List<String> clusters = log.clusters();
        int own = Math.min(ON_THEIR_OWN, clusters.size());
        List<JobSubmission> jobs = new ArrayList<>();
        for (String cluster : clusters.subList(0, own)) {
            jobs.add(hours(
                    "hours-" + cluster,
                    DEFAULT_QUEUE,
                    new Input(fixed(files.slices().resolve(cluster)), "slices/")));
        }
        List<String> rest = clusters.subList(own, clusters.size());
        int half = (rest.size() + 1) / 2;
        if (half > 0) {
            jobs.add(hours("hours-east", "east", some(rest.subList(0, half))));
        }
        if (half < rest.size()) {
            jobs.add(hours("hours-west", "west", some(rest.subList(half, rest.size()))));
        }
        return jobs;
    }

    private JobSubmission hours(String name, String queue, Input input) throws IOException {
        return job(
                name,
                queue,
                "hours.sh",
                List.of(),
                1,
                1,
                List.of(),
                List.of(input),
                List.of(file("hours.txt", "hours/" + name + ".txt")),
                0);
    }

    /** Two nodes that start together. */
    JobSubmission gang() throws IOException {
        var output =
                new Output("shapes/*.txt", files.results().resolve("shapes").toString(), true, true);
        return job(GANG, DEFAULT_QUEUE, "shapes.sh", List.of(), 2, 2, List.of(), List.of(all()), List.of(output), 0);
    }

    /** @param after ids of the jobs whose results it puts together */
    JobSubmission merge(List<String> after) throws IOException {
        return job(
                MERGE,
                DEFAULT_QUEUE,
                "merge.sh",
                List.of(),
                1,
                1,
                after.stream().map(id -> new Dependency(id, true)).toList(),
                List.of(new Input(fixed(files.results()) + "/{hours,shapes}/*.txt", "")),
                List.of(file("gpu-hours.csv", "gpu-hours.csv")),
                0);
    }

    /**
     * A job that takes a while, and goes on from where a run before it was.
     *
     * @param syncSeconds from one time to the next that its steps come home while it runs; 0 for only at its end
     */
    JobSubmission steps(int count, int syncSeconds) throws IOException {
        return job(
                STEPS,
                "taken",
                "steps.sh",
                List.of(Integer.toString(count)),
                1,
                STEPS_CPUS,
                List.of(),
                List.of(),
                List.of(file("steps.txt", "steps.txt")),
                syncSeconds);
    }

    private Input all() {
        return new Input(fixed(files.slices()) + "/**/*.csv", "slices/");
    }

    private Input some(List<String> clusters) {
        String names = clusters.size() == 1 ? clusters.getFirst() : "{" + String.join(",", clusters) + "}";
        return new Input(fixed(files.slices()) + "/" + names + "/*.csv", "slices/");
    }

    /** A path in which nothing means anything but itself. */
    static String fixed(Path path) {
        return path.toString().replaceAll("([*?\\[\\]{}\\\\,!])", "\\\\$1");
    }

    private Output file(String name, String place) {
        return new Output(name, files.results().resolve(place).toString(), false, true);
    }

    private JobSubmission job(
            String name,
            String queue,
            String script,
            List<String> arguments,
            int nodes,
            int cpus,
            List<Dependency> after,
            List<Input> inputs,
            List<Output> outputs,
            int syncSeconds)
            throws IOException {
        List<Output> all = new ArrayList<>(outputs);
        all.add(new Output(
                Orders.STDOUT, files.results().resolve("log/" + name + ".out").toString(), false, false));
        all.add(new Output(
                Orders.STDERR, files.results().resolve("log/" + name + ".err").toString(), false, false));
        String text = files.script(script);
        return JobSubmission.of(job -> {
            job.queue = queue;
            job.name = name;
            job.script = text;
            job.scriptName = script;
            job.arguments = arguments;
            job.cpus = cpus;
            job.nodes = nodes;
            job.walltimeSeconds = WALLTIME_SECONDS;
            job.after = after;
            job.folder = files.results().toString();
            job.inputs = inputs;
            job.outputs = all;
            job.syncSeconds = syncSeconds;
        });
    }
}
