package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.spillway.api.Json;
import org.spillway.api.NodeView;

/** A number is a job; a name is whatever has it, and refused where two things have it. */
final class SshPlaceTest {
    private Map<String, String> answers = Map.of();
    private int uid;

    private final HeadClient head = HeadClient.over((method, path, headers, body) -> {
        String found = answers.get(path.substring("/api/v1".length()));
        return found == null
                ? new HeadClient.Answer(
                        404,
                        "{\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"none\"}}".getBytes(StandardCharsets.UTF_8))
                : new HeadClient.Answer(200, found.getBytes(StandardCharsets.UTF_8));
    });

    @BeforeEach
    void world() throws IOException {
        uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        answers = Map.of(
                "/jobs/7",
                "{}",
                "/jobs/7-1",
                "{}",
                "/jobs/slurm-9-1",
                "{}",
                "/nodes",
                Json.write(Map.of(
                        "nodes",
                        Stream.of("west-1", "west-2", "both", "7", "full")
                                .map(id -> NodeView.of(node -> node.id = id))
                                .toList())),
                "/clusters",
                "{\"clusters\":[{\"name\":\"demo1\",\"users\":[],\"stages\":[],\"notices\":[]},"
                        + "{\"name\":\"both\",\"users\":[],\"stages\":[],\"notices\":[]}]}",
                "/jobs",
                "{\"jobs\":["
                        + job("7", "RUNNING", uid, "\"west-2\",\"west-1\"") + ","
                        + job("8", "RUNNING", uid + 1, "\"west-2\"") + ","
                        + job("9", "DONE", uid, "\"west-2\"") + ","
                        + job("10", "RUNNING", uid, "\"full\"") + ","
                        + job("11", "RUNNING", uid, "\"full\"") + "]}");
    }

    private static String job(String id, String state, int uid, String nodes) {
        return "{\"id\":\"" + id + "\",\"state\":\"" + state + "\",\"uid\":" + uid + ",\"nodeCount\":"
                + nodes.split(",", -1).length + ",\"nodes\":[" + nodes + "]}";
    }

    @Test
    void aNumberIsAJobEvenWhereANodeHasThatName() {
        assertThat(SshPlace.of(head, "7", 1)).isEqualTo(new SshPlace.Job("7", 1));
        assertThat(SshPlace.of(head, "7-1", 0)).isEqualTo(new SshPlace.Job("7-1", 0));
        assertThat(SshPlace.of(head, "slurm-9-1", 0)).isEqualTo(new SshPlace.Job("slurm-9-1", 0));
        assertThat(SshPlace.of(head, "job/7", 0)).isEqualTo(new SshPlace.Job("7", 0));
        assertThatThrownBy(() -> SshPlace.of(head, "12", 0)).hasMessage("none");
    }

    @Test
    void aNodeIsTheCallersOwnJobThere() {
        assertThat(SshPlace.of(head, "west-1", 0)).isEqualTo(new SshPlace.Job("7", 1));
        assertThat(SshPlace.of(head, "node/west-2", 0)).isEqualTo(new SshPlace.Job("7", 0));
        assertThatThrownBy(() -> SshPlace.of(head, "node/7", 0)).hasMessage("no job of yours runs on node 7");
        assertThatThrownBy(() -> SshPlace.of(head, "west-1", 1))
                .hasMessage("--node is for a job, and 'west-1' is a node");
        assertThatThrownBy(() -> SshPlace.of(head, "full", 0))
                .hasMessage("2 jobs of yours run on node full")
                .extracting(failure -> ((CliFailure) failure).hint())
                .isEqualTo("say which: spillway ssh 10, spillway ssh 11");
    }

    @Test
    void aNameOfTwoThingsIsRefusedWithTheChoice() {
        assertThat(SshPlace.of(head, "demo1", 0)).isEqualTo(new SshPlace.Cluster("demo1"));
        assertThat(SshPlace.of(head, "cluster/both", 0)).isEqualTo(new SshPlace.Cluster("both"));
        assertThatThrownBy(() -> SshPlace.of(head, "both", 0))
                .hasMessage("'both' is a node and a cluster")
                .extracting(failure -> ((CliFailure) failure).hint())
                .isEqualTo("say which: node/both, cluster/both");
        assertThatThrownBy(() -> SshPlace.of(head, "nowhere", 0))
                .hasMessage("there is no job, node or cluster 'nowhere'");
        assertThatThrownBy(() -> SshPlace.of(head, "pod/x", 0)).hasMessage("'pod/' is no kind of place");
        assertThatThrownBy(() -> SshPlace.of(head, "node/../x", 0)).hasMessage("'../x' is no id");
    }
}
