package org.spillway.head.rest;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job as it is asked for. Bounds are checked by {@link SubmissionReader}.
 *
 * @param queue empty for the default queue
 * @param name shown in listings; the script's name when none was given
 * @param script text of the script, at most 1 MiB of UTF-8, without NUL
 * @param scriptName file name of the script, without folders
 * @param arguments for the script
 * @param environment added to a clean one
 * @param cpus 1 or more
 * @param memoryBytes 0 for no demand
 * @param gpus 0 or more
 * @param gpuModel empty for any
 * @param walltimeSeconds 0 for the queue's limit
 * @param priority -1000 to 1000; higher goes first
 * @param input absolute path of one file on the head node, opened as the caller; empty for none
 * @param outputs what comes home at the end
 */
public record JobSubmission(
        String queue,
        String name,
        String script,
        String scriptName,
        List<String> arguments,
        Map<String, String> environment,
        int cpus,
        long memoryBytes,
        int gpus,
        String gpuModel,
        long walltimeSeconds,
        int priority,
        String input,
        List<Output> outputs) {
    public JobSubmission {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        outputs = List.copyOf(outputs);
    }

    /** The input's path, when there is one. */
    public Optional<String> inputPath() {
        return input.isEmpty() ? Optional.empty() : Optional.of(input);
    }

    /**
     * @param path relative path in the job's folder, without {@code ..}
     * @param destination absolute path of the file on the head node, written as the caller
     */
    public record Output(String path, String destination) {}
}
