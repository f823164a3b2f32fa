package org.spillway.director.wire;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of one job on one of its nodes.
 *
 * @param job id, {@code [A-Za-z0-9-]+}
 * @param attempt from 1; an attempt is started at most once on its node
 * @param rank of this node in the job, from 0
 * @param peers addresses of all the job's nodes in the order of their ranks; more than one is a gang, whose nodes start
 *     only when all of them have prepared
 * @param user login name, to be found in the directory with this {@code uid}, or the node refuses the order
 * @param gid primary group
 * @param script the text of the script; it travels as a file and never through a shell string
 * @param arguments for the script
 * @param environment added to a clean one
 * @param walltimeSeconds after which it is stopped: SIGTERM, then SIGKILL after 10 s
 * @param cancel it should not run (any more)
 * @param inputs bundles (tar) that are unpacked into the job's working folder before the start; one or none
 * @param outputKey of the object in the staging space that the node's bundle of results becomes
 * @param collect what goes into that bundle: POSIX extended regular expressions over paths as {@code find .} prints them
 * @param foreign who starts the job's processes there when this is not the node's own program; null when it is
 * @param share the part of the node that is the job's, and no more; null for all of it, and of a head before shares
 * @param checkpoint the bundle that this rank of an earlier attempt left when its machine was taken back; null for none,
 *     and of a head before notices
 * @param sync what has become of it goes home while it runs; null for only at the end, and of a head before that
 */
public record JobOrder(
        String job,
        int attempt,
        String node,
        int rank,
        List<String> peers,
        String user,
        int uid,
        int gid,
        String script,
        List<String> arguments,
        Map<String, String> environment,
        long walltimeSeconds,
        boolean cancel,
        List<Input> inputs,
        String outputKey,
        List<String> collect,
        @Nullable Foreign foreign,
        @Nullable Share share,
        @Nullable Input checkpoint,
        @Nullable Sync sync,
        @Nullable Image container) {
    /** Among the input of a job that runs in an image, the files of that; nodes know it. */
    public static final String IMAGE_FOLDER = ".spillway-container";

    public JobOrder {
        peers = List.copyOf(peers);
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        inputs = List.copyOf(inputs);
        collect = List.copyOf(collect);
    }

    /**
     * The node prepares the folder, lets the other begin, waits for its end, and collects.
     *
     * @param manager who begins and ends it, as in {@link ManagerGrant}
     * @param job the other's id of it, digits
     * @param folder absolute path where the job works, as at home: inputs are unpacked there and results found there
     */
    public record Foreign(String manager, String job, String folder) {}

    /**
     * A part of a node.
     *
     * @param cpus 0 for as many as there are
     * @param memoryBytes 0 for as much as there is
     * @param gpus 0 for none
     */
    public record Share(int cpus, long memoryBytes, int gpus) {}

    /**
     * Outputs go home while the job runs, in rounds of what has changed since the last one; one round at a time.
     *
     * @param seconds from the end of a round to the next one, at least
     * @param done the last of its node's rounds that the head has dealt with; 0 for none
     * @param again what was in that round is to come once more: it was not taken for want of room or the like
     */
    public record Sync(int seconds, int done, boolean again) {}

    /** The image that the job runs in, whose files are among the input. @param name for its user, in one line */
    public record Image(String name) {}

    /** @param key of the sealed bundle in the staging space */
    public record Input(String key, long bytes, String sha256) {}
}
