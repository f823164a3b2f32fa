package org.spillway.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.spillway.api.ClusterView;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.NodeView;

/** The meaning of what a user names: a job, a node where a job of theirs runs, or a cluster on demand. */
sealed interface SshPlace {
    /** A job's node. @param rank of it */
    record Job(String id, int rank) implements SshPlace {}

    record Cluster(String name) implements SshPlace {}

    /** Numbers are always jobs; a kind before the name decides where two things have it. */
    Pattern NUMBER = Pattern.compile("\\d+(-\\d+)?");

    /** @throws CliFailure if it is nothing, or more than one thing */
    static SshPlace of(HeadClient head, String text, int rank) {
        int slash = text.indexOf('/');
        String kind = slash < 0 ? "" : text.substring(0, slash);
        String name = HeadCommand.segment(text.substring(slash + 1));
        return switch (kind) {
            case "" -> NUMBER.matcher(name).matches() ? job(head, name, rank) : named(head, name, rank);
            case "job" -> job(head, name, rank);
            case "node" -> onNode(head, name, rank);
            case "cluster" -> new Cluster(name);
            default ->
                throw new CliFailure(
                        CliFailure.BAD_INPUT, "'" + kind + "/' is no kind of place", "allowed: job/, node/, cluster/");
        };
    }

    private static Job job(HeadClient head, String id, int rank) {
        // A head or a job that is not there is told at once, and not waited for.
        head.get("/jobs/" + id);
        return new Job(id, rank);
    }

    private static SshPlace named(HeadClient head, String name, int rank) {
        var kinds = new ArrayList<String>();
        if (head.find("/jobs/" + name).isPresent()) {
            kinds.add("job");
        }
        if (head.list("/nodes", "nodes", NodeView.class).stream()
                .anyMatch(node -> node.id().equals(name))) {
            kinds.add("node");
        }
        // The head of a cluster on demand has none.
        if (head.find("/clusters").stream()
                .flatMap(body -> HeadClient.list(body, "clusters", ClusterView.class).stream())
                .anyMatch(cluster -> cluster.name().equals(name))) {
            kinds.add("cluster");
        }
        if (kinds.size() == 1) {
            return of(head, kinds.getFirst() + "/" + name, rank);
        }
        throw kinds.isEmpty()
                ? new CliFailure(
                        CliFailure.BAD_INPUT,
                        "there is no job, node or cluster '" + name + "'",
                        "'spillway queue', 'spillway nodes' and 'spillway cluster list' show them")
                : new CliFailure(
                        CliFailure.BAD_INPUT,
                        "'" + name + "' is a " + String.join(" and a ", kinds),
                        "say which: "
                                + String.join(
                                        ", ",
                                        kinds.stream()
                                                .map(one -> one + "/" + name)
                                                .toList()));
    }

    /** By the caller's own job that runs there: a node itself has no login. */
    private static Job onNode(HeadClient head, String node, int rank) {
        if (rank != 0) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, "--node is for a job, and '" + node + "' is a node", "leave --node out");
        }
        int own = ownUid();
        var there = head.list("/jobs", "jobs", JobView.class).stream()
                .filter(job -> job.state() == JobState.RUNNING
                        && job.uid() == own
                        && job.nodes().contains(node))
                .toList();
        if (there.size() == 1) {
            return new Job(there.getFirst().id(), there.getFirst().nodes().indexOf(node));
        }
        throw there.isEmpty()
                ? new CliFailure(
                        CliFailure.BAD_INPUT,
                        "no job of yours runs on node " + node,
                        "a node is entered where a job of yours is: 'spillway run --pty bash' begins one")
                : new CliFailure(
                        CliFailure.BAD_INPUT,
                        there.size() + " jobs of yours run on node " + node,
                        "say which: " + choices(there, node));
    }

    private static String choices(List<JobView> jobs, String node) {
        return String.join(
                ", ",
                jobs.stream()
                        .map(job -> "spillway ssh "
                                + (job.nodeCount() > 1 ? "--node " + job.nodes().indexOf(node) + " " : "") + job.id())
                        .toList());
    }

    private static int ownUid() {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException unknown) {
            throw new CliFailure(CliFailure.FAILED, "the own uid cannot be read: " + unknown.getMessage(), "");
        }
    }
}
