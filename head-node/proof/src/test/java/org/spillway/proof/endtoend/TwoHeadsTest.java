package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.HealthView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.SiteView;
import org.spillway.api.Submitted;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;

/** Two heads that were made of one whole state directory, secrets and all, on one cloud: only one of them commands. */
@Tag("processes")
@Tag("long")
@Timeout(600)
final class TwoHeadsTest {
    @TempDir
    Path given;

    @Test
    void theSecondFindsOutAndEndsNothingAndAFirstThatStoodStillGivesWay() throws Exception {
        Path folder = given.toRealPath();
        try (var head = new HeadFixture(folder)) {
            head.start();
            Path mark = folder.resolve("goes");
            Path result = folder.resolve("result");
            String job = head.submit(HeadFixture.submission(
                    "#!/bin/sh\necho run >>" + mark + "\nuntil [ -e " + folder.resolve("end")
                            + " ]; do sleep 0.2; done\necho done >out\n",
                    "",
                    Map.of("out", result)));
            head.await(job, one -> one.state() == JobState.RUNNING);
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> Files.exists(mark)))
                    .isTrue();
            List<String> bought = ids(head);

            Path copy = folder.resolve("copy");
            Path config = copied(head, copy);
            Path log = folder.resolve("copy.log");

            // After the copy: nothing of it may be known to the second.
            String later = head.submit(HeadFixture.submission("#!/bin/sh\nsleep 2\n", "", Map.of()));
            Process second = head.another(config, log);
            try {
                assertThat(second.waitFor(90, TimeUnit.SECONDS))
                        .as("the second ends")
                        .isTrue();
                assertThat(second.exitValue()).isEqualTo(1);
                assertThat(Files.readString(log))
                        .contains("another head of this state is alive")
                        .contains("site east");
                assertThat(head.running().isAlive()).isTrue();
                assertThat(head.awaitEnd(later).job().state()).isEqualTo(JobState.DONE);
                assertThat(ids(head)).containsAll(bought);

                signal("-STOP", head.running());
                second = head.another(config, log);
                var its = new HeadClient(copy.resolve("spillway.sock"));
                assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> isUp(its)))
                        .as("the second takes over")
                        .isTrue();
                assertThat(Processes.eventually(
                                HeadFixture.PATIENCE,
                                () -> Files.exists(copy.resolve("head.place"))
                                        && content(copy.resolve("head.place")).contains(copy.toString())))
                        .as("no other head speaks: it commands")
                        .isTrue();
                assertThat(Processes.eventually(
                                HeadFixture.PATIENCE,
                                () -> its.get("/jobs/" + job, JobDetail.class)
                                                .job()
                                                .state()
                                        == JobState.RUNNING))
                        .isTrue();
                Files.writeString(folder.resolve("end"), "");
                assertThat(Processes.eventually(
                                HeadFixture.PATIENCE,
                                () -> its.get("/jobs/" + job, JobDetail.class)
                                        .job()
                                        .state()
                                        .isTerminal()))
                        .as(Files.readString(log))
                        .isTrue();
                signal("-CONT", head.running());
                assertThat(head.running().waitFor(90, TimeUnit.SECONDS))
                        .as("the first gives way; " + head.tail())
                        .isTrue();
                assertThat(head.tail()).contains("another head of this state has taken over");
                assertThat(its.get("/jobs/" + job, JobDetail.class).job().state())
                        .isEqualTo(JobState.DONE);
                assertThat(mark).as("it ran once").hasContent("run\n");
                assertThat(result).hasContent("done\n");
                assertThat(ids(head)).containsAll(bought);
            } finally {
                second.destroyForcibly();
            }
        }
    }

    /** Machines that the first has bought since they parted tells the second of it, where its director is away. */
    @Test
    void whereNoDirectorAnswersTheSecondBuysAndEndsNothing() throws Exception {
        Path folder = given.toRealPath();
        try (var head = new HeadFixture(folder)) {
            Path settings = folder.resolve("spillway.yaml");
            // So that the second has room to buy.
            Files.writeString(settings, Files.readString(settings).replace("maxNodes: 2", "maxNodes: 6"));
            head.start();
            Path end = folder.resolve("end");
            String script = "#!/bin/sh\nuntil [ -e " + end + " ]; do sleep 0.2; done\n";
            String first = head.submit(HeadFixture.sized("", script, 2, "", List.of()));
            head.await(first, one -> one.state() == JobState.RUNNING);
            Path copy = folder.resolve("copy");
            Path config = copied(head, copy);
            String since = head.submit(HeadFixture.sized("", script, 2, "", List.of()));
            head.await(since, one -> one.state() == JobState.RUNNING);
            List<String> bought = ids(head);
            List<Long> directors = BadLuckTest.processes(head, "director");
            ClusterBadLuckTest.signal("-STOP", directors);
            Path log = folder.resolve("copy.log");
            Process second = head.another(config, log);
            try {
                var its = new HeadClient(copy.resolve("spillway.sock"));
                assertThat(Processes.eventually(
                                HeadFixture.PATIENCE,
                                () -> isUp(its)
                                        && its.list("/sites", "sites", SiteView.class)
                                                .toString()
                                                .contains("TWIN_BUYS")))
                        .as("it is told of the first; " + content(log))
                        .isTrue();
                String waiting = HeadClient.read(
                                its.post("/jobs", "key", HeadFixture.sized("", script, 2, "", List.of())),
                                Submitted.class)
                        .id();
                assertThat(Processes.eventually(
                                HeadFixture.PATIENCE,
                                () -> its.get("/jobs/" + waiting, JobDetail.class)
                                        .toString()
                                        .contains("TWIN_BUYS")))
                        .as("the job says why it waits; " + content(log))
                        .isTrue();
                assertThat(ids(head)).isEqualTo(bought);
                ClusterBadLuckTest.signal("-CONT", directors);
                assertThat(second.waitFor(90, TimeUnit.SECONDS))
                        .as("it hears of the first and ends; " + content(log))
                        .isTrue();
                assertThat(log).content().contains("another head of this state");
                assertThat(log).content().doesNotContain("Launches: launching");
                Files.writeString(end, "");
                assertThat(head.awaitEnd(first).job().state()).isEqualTo(JobState.DONE);
                assertThat(head.awaitEnd(since).job().attempt()).isEqualTo(1);
                assertThat(ids(head)).isEqualTo(bought);
            } finally {
                ClusterBadLuckTest.signal("-CONT", directors);
                second.destroyForcibly();
            }
        }
    }

    /** No director could tell them: the parent's own site has none. */
    @Test
    @Tag("luck")
    void theSecondParentOfAClusterFindsOutAndAFirstThatStoodStillGivesWay() throws Exception {
        assumeTrue(Boolean.getBoolean("spillway.luck.all"), "takes minutes: -Dspillway.luck.all=true runs it");
        Path folder = given.toRealPath();
        try (var head = new HeadFixture(folder)) {
            head.start();
            OnDemand cluster = OnDemand.create(head, "kid");
            cluster.awaitState("RUNNING");
            Path mark = folder.resolve("goes");
            String job = JobPair.submit(
                    head,
                    cluster.jobs(),
                    HeadFixture.submission(
                            "#!/bin/sh\necho run >>" + mark + "\nuntil [ -e " + folder.resolve("end")
                                    + " ]; do sleep 0.2; done\n",
                            "",
                            Map.of()));
            JobPair.await(head, cluster.jobs(), job, one -> one.state() == JobState.RUNNING);
            List<String> bought = ids(head);
            Path copy = folder.resolve("copy");
            Path config = copied(head, copy);
            Path log = folder.resolve("copy.log");
            Process second = head.another(config, log);
            try {
                assertThat(second.waitFor(90, TimeUnit.SECONDS))
                        .as("the second ends; " + Files.readString(log))
                        .isTrue();
                assertThat(second.exitValue()).isEqualTo(1);
                assertThat(log).content().contains("another head of this state is alive: it commands cluster e2e-c");
                assertThat(cluster.view().state()).isEqualTo("RUNNING");
                assertThat(ids(head)).isEqualTo(bought);

                signal("-STOP", head.running());
                second = head.another(config, log);
                var its = new HeadClient(copy.resolve("spillway.sock"));
                assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> isUp(its)))
                        .isTrue();
                assertThat(Processes.eventually(
                                HeadFixture.PATIENCE,
                                () -> content(copy.resolve("head.place")).contains(copy.toString())))
                        .as("no other head speaks: it commands; " + content(log))
                        .isTrue();
                Files.writeString(folder.resolve("end"), "");
                signal("-CONT", head.running());
                assertThat(head.running().waitFor(90, TimeUnit.SECONDS))
                        .as("the first gives way; " + head.tail())
                        .isTrue();
                assertThat(head.tail()).contains("another head of this state has taken over cluster e2e-c");
                assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> isDone(its, cluster.jobs() + "/" + job)))
                        .as(content(log))
                        .isTrue();
                assertThat(mark).as("it ran once").hasContent("run\n");
                assertThat(ids(head)).isEqualTo(bought);
            } finally {
                second.destroyForcibly();
            }
        }
    }

    private static boolean isDone(HeadClient client, String path) {
        try {
            return client.get(path, JobDetail.class).job().state() == JobState.DONE;
        } catch (CliFailure away) {
            return false;
        }
    }

    /** As a snapshot of the machine's disk would be: nothing is written meanwhile. @return its configuration */
    private static Path copied(HeadFixture head, Path copy) throws IOException, InterruptedException {
        signal("-STOP", head.running());
        run("cp", "-a", head.state().toString(), copy.toString());
        signal("-CONT", head.running());
        Files.deleteIfExists(copy.resolve("spillway.sock"));
        Path config = head.folder().resolve("copy.yaml");
        Files.writeString(
                config,
                Files.readString(head.folder().resolve("spillway.yaml")).replace("state: ./state", "state: " + copy));
        return config;
    }

    private static boolean isUp(HeadClient client) {
        try {
            return client.get("/health", HealthView.class).pid() > 0;
        } catch (CliFailure notYet) {
            return false;
        }
    }

    private static String content(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException notYet) {
            return "";
        }
    }

    static void signal(String which, Process process) throws IOException, InterruptedException {
        run("kill", which, Long.toString(process.pid()));
    }

    static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as(String.join(" ", command) + ": " + said)
                .isZero();
    }

    /** Whether that command can be run, and ends well. */
    static boolean isThere(String... command) throws InterruptedException {
        try {
            run(command);
            return true;
        } catch (IOException | AssertionError absent) {
            return false;
        }
    }

    private static List<String> ids(HeadFixture head) {
        return head.cloud().live().stream().map(LocalCloudAdmin.Machine::id).toList();
    }
}
