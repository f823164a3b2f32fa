package org.spillway.director;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.JobOrder;

/** An order of user ann (or another) for a test, to be changed in the places that the test is about. */
final class OrderDraft {
    private final String job;
    private final String node;
    private final int uid;
    int gid;
    String user = "ann";
    String script;
    int rank;
    List<String> peers = List.of();
    List<String> arguments = List.of();
    Map<String, String> environment = Map.of();
    long walltimeSeconds = 600;
    JobOrder.@Nullable Foreign foreign;
    JobOrder.@Nullable Share share;
    JobOrder.@Nullable Input checkpoint;
    JobOrder.@Nullable Sync sync;
    JobOrder.@Nullable Image container;
    boolean cancel;
    List<JobOrder.Input> inputs = List.of();
    String outputKey;
    List<String> collect = List.of("\\./\\.spillway/stdout", "\\./results/.*");

    OrderDraft(String job, String node, int uid, String script) {
        this.job = job;
        this.node = node;
        this.uid = uid;
        this.gid = uid;
        this.script = script;
        this.outputKey = "jobs/" + job + "/1/out/" + node + ".tar";
    }

    JobOrder order() {
        return new JobOrder(
                job,
                1,
                node,
                rank,
                peers,
                user,
                uid,
                gid,
                script,
                arguments,
                environment,
                walltimeSeconds,
                cancel,
                inputs,
                outputKey,
                collect,
                foreign,
                share,
                checkpoint,
                sync,
                container);
    }
}
