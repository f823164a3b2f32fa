package org.spillway.director.wire;

import java.util.List;
import java.util.Map;

/**
 * One attempt of one job on one node.
 *
 * @param job id, {@code [A-Za-z0-9-]+}
 * @param attempt from 1; an attempt is started at most once on its node
 * @param user login name, to be found in the directory with this {@code uid}, or the node refuses the order
 * @param gid primary group
 * @param script the text of the script; it travels as a file and never through a shell string
 * @param arguments for the script
 * @param environment added to a clean one
 * @param walltimeSeconds after which it is stopped: SIGTERM, then SIGKILL after 10 s
 * @param cancel it should not run (any more)
 * @param inputs placed in the job's working folder before the start
 * @param outputs collected from there at the end
 */
public record JobOrder(
        String job,
        int attempt,
        String node,
        String user,
        int uid,
        int gid,
        String script,
        List<String> arguments,
        Map<String, String> environment,
        long walltimeSeconds,
        boolean cancel,
        List<Input> inputs,
        List<Output> outputs) {
    public JobOrder {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /**
     * @param key of the sealed object in the staging space
     * @param path relative path in the job's working folder
     */
    public record Input(String key, String path, long bytes, String sha256) {}

    /** @param key of the object in the staging space that the node's upload becomes */
    public record Output(String key, String path) {}
}
