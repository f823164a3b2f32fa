package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import org.spillway.head.trust.SiteAuthority;

/** Bad luck that strikes a cluster with an LDAP of its own, one after the other; each leaves it whole. */
@Tag("processes")
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class FaultsTest {
    private static final int LDAPS_PORT = 8636;

    @TempDir
    static Path folder;

    private static HomeLdap home;
    private static HeadFixture head;

    @BeforeAll
    static void start() throws IOException {
        home = new HomeLdap(folder);
        head = new HeadFixture(folder, home.section()).start();
    }

    @AfterAll
    static void end() throws IOException {
        if (head != null) {
            head.close();
        }
        if (home != null) {
            home.close();
        }
    }

    /** A job that says when it begins, runs for a while, and leaves what it saw. */
    private static String sleeper(String name, String seconds) {
        return head.submit(HeadFixture.submission(
                "#!/bin/sh\necho run >>" + folder.resolve(name + ".runs") + "\nsleep " + seconds + "\necho " + name
                        + " >out\n",
                "",
                Map.of("out", folder.resolve(name + ".out"))));
    }

    private static void awaitRun(String name, int runs) {
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> runs(name) >= runs))
                .as(name + " runs; " + head.tail())
                .isTrue();
    }

    private static int runs(String name) {
        try {
            Path file = folder.resolve(name + ".runs");
            return Files.exists(file) ? Files.readAllLines(file).size() : 0;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static JobDetail done(String job, String name, int attempt) {
        JobDetail end = head.awaitEnd(job);
        assertThat(end.job().state()).as(end + head.tail()).isEqualTo(JobState.DONE);
        assertThat(end.job().attempt()).isEqualTo(attempt);
        assertThat(runs(name)).isEqualTo(attempt);
        assertThat(folder.resolve(name + ".out")).hasContent(name + "\n");
        return end;
    }

    private static NodeView one(String role) {
        List<NodeView> found = head.nodes().stream()
                .filter(node -> node.role().equals(role) && node.state() == NodeState.READY)
                .toList();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    @Test
    @Order(1)
    void adoptsWhatWasLaunchedWhenTheAnswerIsLost() {
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> head.cloud().exists()))
                .isTrue();
        head.cloud().fault("{\"kind\":\"lost\",\"count\":2}");
        done(sleeper("lost", "0"), "lost", 1);
        // The director's launch and the node's, each adopted: no twin.
        assertThat(head.cloud().machines().stream().map(LocalCloudAdmin.Machine::role))
                .containsExactlyInAnyOrder("DIRECTOR", "NODE");
        assertThat(head.tail()).contains("its launch answer was lost");
    }

    @Test
    @Order(2)
    void restartsADirectorThatDied() throws IOException {
        String job = sleeper("director", "3");
        awaitRun("director", 1);
        var machine = one("director");
        Path home =
                folder.resolve("cloud/instances").resolve(machine.instance()).resolve("home/spillway-director");
        long pid = Long.parseLong(Files.readString(home.resolve("director.pid")).strip());
        assertThat(Processes.commandLine(pid)).contains("DirectorMain");
        Processes.kill(pid);
        done(job, "director", 1);
        assertThat(Long.parseLong(Files.readString(home.resolve("director.pid")).strip()))
                .isNotEqualTo(pid);
        assertThat(one("director").id()).isEqualTo(machine.id());
    }

    @Test
    @Order(3)
    void goesOnWithARunningJobWhenTheHeadDied() throws IOException {
        String job = sleeper("head", "3");
        awaitRun("head", 1);
        head.await(job, view -> view.state() == JobState.RUNNING);
        head.kill();
        head.start();
        done(job, "head", 1);
    }

    @Test
    @Order(4)
    void runsAJobAgainWhenItsNodeLostItsPower() {
        String job = sleeper("node", "3");
        awaitRun("node", 1);
        List<String> nodes =
                head.await(job, view -> view.state() == JobState.RUNNING).job().nodes();
        head.cloud().cutPower(one("node").instance());
        JobDetail end = done(job, "node", 2);
        assertThat(end.job().nodes()).isNotEqualTo(nodes);
        assertThat(end.timeline().stream().map(JobDetail.Moment::state))
                .containsSubsequence(JobState.RUNNING, JobState.QUEUED, JobState.RUNNING, JobState.DONE);
        assertThat(head.cloud().live().stream().map(LocalCloudAdmin.Machine::role))
                .containsExactlyInAnyOrder("DIRECTOR", "NODE");
        saysWhatItSaid(nodes.getFirst());
    }

    /** The node's folder is gone with its machine; one that lived for a few seconds may have told its provider alone. */
    private static void saysWhatItSaid(String dead) {
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE,
                        () -> logs(dead).contains("==> health <==")
                                || logs(dead).contains("==> console <==")))
                .as(logs(dead))
                .isTrue();
        assertThat(logs(dead)).contains("* boot 1: first heard ");
    }

    private static String logs(String node) {
        try {
            return head.command("node", "logs", node);
        } catch (AssertionError notYet) {
            return String.valueOf(notYet.getMessage());
        }
    }

    @Test
    @Order(5)
    void aUserAddedAtHomeIsKnownInTheRegion() {
        var director = one("director");
        home.add("newcomer", 23456);
        assertThat(Processes.eventually(Duration.ofSeconds(20), () -> isKnown(director, "newcomer")))
                .as("added")
                .isTrue();
        home.remove("newcomer");
        assertThat(Processes.eventually(Duration.ofSeconds(20), () -> !isKnown(director, "newcomer")))
                .as("removed")
                .isTrue();
    }

    private static boolean isKnown(NodeView director, String user) {
        try {
            var authority = SiteAuthority.open(head.state(), InstantSource.system());
            var tls = authority.tlsTo(director.id(), "east");
            try (var connection = new LDAPConnection(tls.getSocketFactory(), director.address(), LDAPS_PORT)) {
                var answer = connection.search(
                        "dc=spillway",
                        com.unboundid.ldap.sdk.SearchScope.SUB,
                        "(&(objectClass=posixAccount)(uid=" + user + "))");
                return answer.getEntryCount() == 1
                        && "23456".equals(answer.getSearchEntries().getFirst().getAttributeValue("uidNumber"))
                        && !answer.getSearchEntries().getFirst().hasAttribute("userPassword");
            }
        } catch (LDAPException | IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Order(6)
    void tellsNoSecretAndGivesEverythingBack() throws IOException {
        Redaction.check(head);
        MainScenario.release(head);
    }
}
