package org.spillway.proof.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The demo's jobs as scripts for sbatch. Each works in a folder of its own, where its data lies at home, and names with
 * relative paths what it needs: it does the same wherever it runs.
 *
 * @param user who submits it
 * @param partitions as sbatch takes them
 * @param lines {@code #SPILLWAY} lines, without that word
 * @param options for sbatch, besides name, partitions and folder
 * @param program the body: a program of the demo's, or words around it
 * @param slices virtual clusters whose slices lie in its folder, by the folder below {@code slices}
 */
record SlurmJobs(
        String name,
        String user,
        String partitions,
        List<String> lines,
        List<String> options,
        String program,
        List<Slices> slices) {
    static final String HOME = "home";
    static final String ANYWHERE = "cloud";
    static final String ANN = "ann";
    static final String BOB = "bob";
    static final int ANN_UID = 20_816;
    static final int BOB_UID = 20_817;

    /** Variables that the demo's programs ask for, as a Slurm job knows them. */
    private static final String ENVIRONMENT =
            "export SPILLWAY_NODE=$SLURMD_NODENAME SPILLWAY_JOB_ID=$SLURM_JOB_ID PATH=$PWD/bin:$PATH";

    private static final int RESAMPLINGS = 6;
    private static final int RESAMPLING_SECONDS = 6;
    /** Of the virtual clusters those with the most jobs are tasks of an array, and the next ones jobs of their own. */
    private static final int TASKS = 4;

    private static final int ON_THEIR_OWN = 2;

    SlurmJobs {
        lines = List.copyOf(lines);
        options = List.copyOf(options);
        slices = List.copyOf(slices);
    }

    /** @param place below {@code slices} in the job's folder */
    record Slices(String cluster, String place) {
        static List<Slices> of(List<String> clusters) {
            return clusters.stream().map(name -> new Slices(name, name)).toList();
        }
    }

    /** How many jobs these are for Slurm. */
    int count() {
        return name.equals("hours") ? TASKS : 1;
    }

    /** Slurm's name of each of them. @param number as sbatch has told it */
    List<String> each(String number) {
        return name.equals("hours")
                ? IntStream.rangeClosed(1, TASKS)
                        .mapToObj(task -> number + "_" + task)
                        .toList()
                : List.of(number);
    }

    /** Jobs that fill the nodes at home. */
    static List<SlurmJobs> atHome(WorkloadLog log) {
        return IntStream.rangeClosed(1, RESAMPLINGS)
                .mapToObj(i -> new SlurmJobs(
                        "resample-" + i,
                        BOB,
                        HOME,
                        List.of(),
                        List.of("--cpus-per-task=2"),
                        "set -- " + RESAMPLING_SECONDS + "\n@resample.sh@",
                        Slices.of(log.clusters())))
                .toList();
    }

    /** Each virtual cluster is counted in one of these. */
    static List<SlurmJobs> hours(WorkloadLog log) {
        List<String> clusters = log.clusters();
        if (clusters.size() < TASKS + ON_THEIR_OWN + 2) {
            throw new IllegalArgumentException("a log with few virtual clusters: " + clusters);
        }
        List<SlurmJobs> jobs = new ArrayList<>();
        List<Slices> tasks = IntStream.rangeClosed(1, TASKS)
                .mapToObj(i -> new Slices(clusters.get(i - 1), "task-" + i + "/" + clusters.get(i - 1)))
                .toList();
        jobs.add(new SlurmJobs(
                "hours",
                ANN,
                ANYWHERE,
                List.of("in=slices/task-%a/** in=bin/*", "out!=hours-%a.txt"),
                List.of("--array=1-" + TASKS),
                // A run that was broken off may have left its own.
                "rm -rf \"of-$SLURM_ARRAY_TASK_ID\" && mkdir \"of-$SLURM_ARRAY_TASK_ID\" && cd \"of-$SLURM_ARRAY_TASK_ID\"\n"
                        + "cp -r \"../slices/task-$SLURM_ARRAY_TASK_ID\" slices\n@hours.sh@"
                        + "mv hours.txt \"../hours-$SLURM_ARRAY_TASK_ID.txt\"\n",
                tasks));
        for (String cluster : clusters.subList(TASKS, TASKS + ON_THEIR_OWN)) {
            jobs.add(hours("hours-" + cluster, BOB, HOME + "," + ANYWHERE, List.of(cluster)));
        }
        List<String> rest = clusters.subList(TASKS + ON_THEIR_OWN, clusters.size());
        int half = (rest.size() + 1) / 2;
        jobs.add(hours("hours-east", ANN, "east", rest.subList(0, half)));
        jobs.add(hours("hours-west", ANN, "west", rest.subList(half, rest.size())));
        return jobs;
    }

    private static SlurmJobs hours(String name, String user, String partitions, List<String> clusters) {
        String file = name + ".txt";
        return new SlurmJobs(
                name,
                user,
                partitions,
                List.of("in=slices/** in=bin/*", "out!=" + file),
                List.of(),
                "@hours.sh@mv hours.txt " + file + "\n",
                Slices.of(clusters));
    }

    /** Two nodes at once, with a step on both. */
    static SlurmJobs gang(WorkloadLog log) {
        return new SlurmJobs(
                DemoJobs.GANG,
                ANN,
                ANYWHERE,
                List.of("in=slices/** in=bin/* in=shapes.sh", "out!=shapes/*.txt"),
                List.of("--nodes=2", "--ntasks-per-node=1", "--cpus-per-task=2"),
                // A step that asks slurmctld for its nodes while that is killed fails.
                "step() { srun sh -c '" + ENVIRONMENT
                        + "\nexport SPILLWAY_RANK=$SLURM_PROCID SPILLWAY_NODES=$SLURM_NTASKS\n"
                        + "rm -rf shapes && exec sh shapes.sh'; }\nstep || { sleep 2 && step; }\n",
                Slices.of(log.clusters()));
    }

    /** @param results where the answer has to be */
    static SlurmJobs merge(List<String> after, String results) {
        return new SlurmJobs(
                DemoJobs.MERGE,
                ANN,
                ANYWHERE,
                List.of(
                        "in=/home/*/jobs/hours*/hours-*.txt:hours in=/home/ann/jobs/shapes/shapes/*.txt:shapes",
                        "out!=gpu-hours.csv:" + results + "/"),
                // afterok alone is over when a job has run, before its results are at home; and afterburstbuffer of an
                // array looks at one of its tasks only.
                List.of("--dependency=afterok:" + String.join(":", after) + ",afterburstbuffer:"
                        + String.join(":", after)),
                "find hours -mindepth 2 -name '*.txt' -exec mv {} hours/ \\;\n@merge.sh@",
                List.of());
    }

    String folder() {
        return "/home/" + user + "/jobs/" + name;
    }

    /** As its user wrote it. */
    String script() throws IOException {
        var text = new StringBuilder("#!/bin/sh\n");
        text.append("#SBATCH --job-name=")
                .append(name)
                .append(" --partition=")
                .append(partitions)
                .append('\n');
        text.append("#SBATCH --chdir=").append(folder()).append(" --time=2 --requeue\n");
        options.forEach(option -> text.append("#SBATCH ").append(option).append('\n'));
        lines.forEach(line -> text.append("#SPILLWAY ").append(line).append('\n'));
        text.append(ENVIRONMENT).append('\n');
        String body = program;
        for (String file : DemoFiles.SCRIPTS) {
            if (body.contains("@" + file + "@")) {
                body = body.replace("@" + file + "@", WorkloadLog.resource(file));
            }
        }
        return text.append(body).toString();
    }
}
