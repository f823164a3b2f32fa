package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterView;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.cli.CliFailure;
import org.spillway.policy.Money;

/** ADR 74: shells by the name of a node, in a gang, and in a cluster on demand. */
@Tag("processes")
@Timeout(900)
final class PlacesTest {
    @TempDir
    static Path given;

    private static HeadFixture head;

    @BeforeAll
    static void start() throws IOException {
        head = new HeadFixture(given);
        Path config = head.folder().resolve("spillway.yaml");
        Files.writeString(
                config,
                Files.readString(config).replace("maxNodes: 2", "maxNodes: 4") + "interactive: { idleFor: 1m }\n");
        head.start();
    }

    @AfterAll
    static void end() throws IOException {
        head.close();
    }

    private static Client client(String name, String... words) throws IOException {
        return new Client(head, Client.words(head, words), name);
    }

    private static void says(String name, int code, String pattern, String... words) throws Exception {
        try (Client client = client(name, words)) {
            assertThat(client.code()).as(client.shown()).isEqualTo(code);
            client.shows(pattern);
        }
    }

    private static String job(Path sign, int nodes) {
        String id = head.submit(JobSubmission.of(asked -> {
            asked.name = "stays";
            asked.script = "#!/bin/sh\nwhile [ ! -e %s ]; do sleep 0.1; done\n".formatted(sign);
            asked.scriptName = "job.sh";
            asked.nodes = nodes;
            asked.walltimeSeconds = 500;
            asked.folder = "/tmp";
        }));
        head.await(id, job -> job.state() == JobState.RUNNING);
        return id;
    }

    @Test
    void eachNodeOfAGangIsEnteredByRankAndByName() throws Exception {
        Path sign = head.folder().resolve("gang");
        String id = job(sign, 2);
        List<String> nodes = head.job(id).job().nodes();
        assertThat(nodes).hasSize(2);
        String[] asks = {"sh", "-c", "echo \"$SPILLWAY_JOB_ID is at $SPILLWAY_RANK on $SPILLWAY_NODE\""};
        says("rank", 0, id + " is at 1 on " + nodes.get(1), "ssh", "--node", "1", id, asks[0], asks[1], asks[2]);
        says("node", 0, id + " is at 1 on " + nodes.get(1), "ssh", nodes.get(1), asks[0], asks[1], asks[2]);
        says("first", 0, id + " is at 0 on " + nodes.get(0), "ssh", "node/" + nodes.get(0), asks[0], asks[1], asks[2]);
        says("third", 1, "job " + id + " has no rank 2", "ssh", "--node", "2", id, "true");

        Path other = head.folder().resolve("beside");
        String beside = job(other, 1);
        String shared = head.job(beside).job().nodes().getFirst();
        if (nodes.contains(shared)) {
            says("two", 2, "2 jobs of yours run on node " + shared + ".*spillway ssh " + beside, "ssh", shared, "true");
        }
        Files.createFile(other);
        assertThat(head.awaitEnd(beside).job().state()).isEqualTo(JobState.DONE);
        Files.createFile(sign);
        assertThat(head.awaitEnd(id).job().state()).isEqualTo(JobState.DONE);
        says("nobody", 2, "no job of yours runs on node " + nodes.get(0), "ssh", nodes.get(0), "true");
        says("nothing", 2, "there is no job, node or cluster 'nowhere'", "ssh", "nowhere", "true");
    }

    @Test
    void aTerminalInAClusterOnDemandIsAJobThere() throws Exception {
        assertThat(Processes.eventually(HeadFixture.PATIENCE, PlacesTest::created))
                .as(head.tail())
                .isTrue();
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE,
                        () -> head.client()
                                .get("/clusters/mine", ClusterView.class)
                                .state()
                                .equals("RUNNING")))
                .as(head.tail())
                .isTrue();
        says(
                "plain",
                7,
                "in mine-\\d+ of east-\\d+",
                "ssh",
                "mine",
                "sh",
                "-c",
                "echo \"in mine-$SPILLWAY_JOB_ID of $SPILLWAY_NODE\"; exit 7");
        try (Client client =
                Client.onTerminal(head, "terminal", "", "ssh", "--pty", "cluster/mine", "bash", "--norc")) {
            client.types("stty size; x=kept; echo \"a$((40 + 2))\"\n");
            client.shows("30 90.*a42");
            head.kill();
            client.types("echo \"b$((2 * 21)) $x\"\n");
            head.start();
            client.shows("b42 kept");
            client.types("exit 5\n");
            assertThat(client.code()).as(client.shown()).isEqualTo(5);
        }
        head.client().post("/clusters/mine/delete");
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE,
                        () -> head.client()
                                .get("/clusters/mine", ClusterView.class)
                                .isOver()))
                .as(head.tail())
                .isTrue();
        assertThat(Files.readString(head.log()))
                .containsPattern("user \\S+ has a session in job \\d+ of cluster mine, rank 0");
    }

    @Test
    void aTerminalInWhichNothingHappensIsHungUp() throws Exception {
        Path sign = head.folder().resolve("idle");
        String id = job(sign, 1);
        try (Client plain = client("silent", "ssh", id, "sh", "-c", "echo up; cat");
                Client client = Client.onTerminal(head, "idle", "", "run", "--time", "5m", "--pty", "cat")) {
            plain.shows("up");
            client.shows("spillway: job \\S+");
            assertThat(client.code()).as(client.shown()).isEqualTo(129);
            client.shows("the session is over: nothing was typed or shown for 60 s");
            // Plain streams have nobody who sits before them.
            assertThat(plain.process.isAlive()).isTrue();
            plain.keys.close();
            assertThat(plain.code()).as(plain.shown()).isZero();
        }
        Files.createFile(sign);
        assertThat(head.awaitEnd(id).job().state()).isEqualTo(JobState.DONE);
    }

    /** The site's offerings are known a moment after a head's start. */
    private static boolean created() {
        try {
            head.client()
                    .post(
                            "/clusters",
                            new ClusterOrder("mine", "east", 1, 0, "", 3600, Money.parse("5"), List.of(), "", "", ""));
            return true;
        } catch (CliFailure notYet) {
            assertThat(notYet).hasMessageContaining("not known");
            return false;
        }
    }
}
