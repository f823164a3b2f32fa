package org.spillway.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.Map;

/**
 * A job as it is asked for. Bounds are checked by {@link SubmissionReader}.
 *
 * @param queue empty for the default queue
 * @param project empty for none
 * @param name shown in listings; the script's name when none was given
 * @param script text of the script, at most 1 MiB of UTF-8, without NUL
 * @param scriptName file name of the script, without folders
 * @param arguments for the script
 * @param environment added to a clean one
 * @param cpus of each node, 1 or more
 * @param memoryBytes of each node, 0 for no demand
 * @param gpus of each node, 0 or more
 * @param gpuModel empty for any
 * @param nodes 1 to 1000; more than one is a gang
 * @param walltimeSeconds 0 for the queue's limit
 * @param priority -1000 to 1000; higher goes first
 * @param requeue whether it is tried again when its nodes are lost
 * @param sites the only ones where it may run; empty for the queue's
 * @param constraint {@code home}, {@code cloud}, or empty
 * @param after jobs that must have ended before it starts
 * @param array empty for a single job, or its tasks
 * @param folder absolute path of the folder that it was submitted from
 * @param inputs what is put into the job's folder
 * @param outputs what comes home at the end
 * @param terms who is charged, by when it is wanted, what else it takes
 */
public record JobSubmission(
        String queue,
        String project,
        String name,
        String script,
        String scriptName,
        List<String> arguments,
        Map<String, String> environment,
        int cpus,
        long memoryBytes,
        int gpus,
        String gpuModel,
        int nodes,
        long walltimeSeconds,
        int priority,
        boolean requeue,
        List<String> sites,
        String constraint,
        List<Dependency> after,
        ArrayRange array,
        String folder,
        List<Input> inputs,
        List<Output> outputs,
        Terms terms) {
    /** On the usual terms. */
    public JobSubmission(
            String queue,
            String project,
            String name,
            String script,
            String scriptName,
            List<String> arguments,
            Map<String, String> environment,
            int cpus,
            long memoryBytes,
            int gpus,
            String gpuModel,
            int nodes,
            long walltimeSeconds,
            int priority,
            boolean requeue,
            List<String> sites,
            String constraint,
            List<Dependency> after,
            ArrayRange array,
            String folder,
            List<Input> inputs,
            List<Output> outputs) {
        this(
                queue,
                project,
                name,
                script,
                scriptName,
                arguments,
                environment,
                cpus,
                memoryBytes,
                gpus,
                gpuModel,
                nodes,
                walltimeSeconds,
                priority,
                requeue,
                sites,
                constraint,
                after,
                array,
                folder,
                inputs,
                outputs,
                Terms.USUAL);
    }

    public JobSubmission {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        sites = List.copyOf(sites);
        after = List.copyOf(after);
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /**
     * @param account that is charged; empty for the caller's primary group
     * @param deadlineSeconds after its submission it should have ended; 0 for no deadline
     * @param licences floating licences that it takes while it runs, by name, each 1 or more
     */
    public record Terms(String account, long deadlineSeconds, Map<String, Integer> licences) {
        public static final Terms USUAL = new Terms("", 0, Map.of());

        public Terms {
            licences = Map.copyOf(licences);
        }
    }

    /**
     * @param job id of a job, or of an array for all its tasks
     * @param onlyIfDone it must have ended as DONE; otherwise any end will do
     */
    public record Dependency(String job, boolean onlyIfDone) {}

    /**
     * Tasks from {@code first} to {@code last}, each {@code step}-th.
     *
     * @param first 0 or more; -1 for no array
     * @param limit how many of them may run at once; 0 for any number
     */
    public record ArrayRange(int first, int last, int step, int limit) {
        public static final ArrayRange NONE = new ArrayRange(-1, -1, 1, 0);

        @JsonIgnore
        public boolean isNone() {
            return first < 0;
        }

        public int size() {
            return isNone() ? 1 : (last - first) / step + 1;
        }
    }

    /**
     * @param pattern absolute path on the head node, of a file, a folder, or with globs; read as the caller
     * @param target relative path in the job's folder that it goes to; empty for the job's folder itself
     */
    public record Input(String pattern, String target) {}

    /**
     * @param pattern relative path in the job's folder, of a file, a folder, or with globs, without {@code ..}
     * @param destination absolute path on the head node, written as the caller
     * @param tree the destination is a folder, in which what is below the pattern's fixed part keeps its path
     * @param strict the job has failed when there is nothing of it
     */
    public record Output(String pattern, String destination, boolean tree, boolean strict) {
        /** Names of what a job says, among its outputs. */
        public static final String STDOUT = ".spillway/stdout";

        public static final String STDERR = ".spillway/stderr";
    }
}
