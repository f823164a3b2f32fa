package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.ClusterState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.ClusterMachine;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.ClusterSpec;
import org.spillway.head.staging.ResultsHome;
import org.spillway.policy.Money;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserWorkers;

/** Claims of a child about its jobs, and where their results go; the files are real. */
final class HomeJobsTest {
    @TempDir
    Path folder;

    private UserWorkers workers;
    private ClusterRecord child;
    private final Saying children = new Saying();
    private HomeJobs jobs;

    @BeforeEach
    void open() throws IOException {
        int gid = (int) Files.getAttribute(folder, "unix:gid");
        workers = new UserWorkers(UserWorkers.Limits.DEFAULT, InstantSource.system());
        jobs = new HomeJobs(children, new ResultsHome(workers), user -> List.of());
        child = new ClusterRecord(
                "main-c1",
                new ClusterSpec(
                        "demo1",
                        "west",
                        List.of(new ClusterRecord.User("me", Identity.ownUid(), gid, "/", List.of())),
                        new ClusterSpec.Fleet(1, "small", "", ""),
                        Duration.ofHours(1),
                        Money.parse("1"),
                        Kids.MADE,
                        folder.resolve("home").toString()),
                ClusterState.RUNNING,
                ClusterState.Stage.READY,
                Cause.NONE,
                Kids.MADE,
                Cause.NONE,
                "",
                List.of(),
                ClusterMachine.NONE,
                null,
                null);
    }

    @AfterEach
    void close() {
        workers.close();
    }

    /** A child that says what the test wants. */
    private static final class Saying implements Children {
        final Map<String, String> answers = new HashMap<>();
        final List<String> told = new ArrayList<>();

        @Override
        public Answer ask(ClusterRecord child, ClusterRecord.@Nullable User user, Question question) {
            if (question.method().equals("POST")) {
                told.add(question.path());
            }
            String answer = answers.get(question.path());
            return new Answer(
                    answer == null ? 404 : 200, (answer == null ? "" : answer).getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void wake(ClusterRecord child) {
            told.add("wake");
        }

        @Override
        public Ran run(ClusterRecord child, ClusterRecord.User user, List<String> command) {
            throw new IllegalStateException("nobody asked for " + command);
        }

        @Override
        public void pack(ClusterRecord child, ClusterRecord.User user, String path, OutputStream sink)
                throws IOException {
            Path file = Path.of(path);
            var process = new ProcessBuilder(
                            "tar",
                            "-chf",
                            "-",
                            "-C",
                            String.valueOf(file.getParent()),
                            "--",
                            String.valueOf(file.getFileName()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getInputStream().transferTo(sink);
            if (process.onExit().join().exitValue() != 0) {
                throw new IOException("no such result");
            }
        }

        @Override
        public String userData(ClusterRecord child) {
            return "";
        }

        @Override
        public void install(ClusterRecord child) {}

        @Override
        public void start(ClusterRecord child) {}

        @Override
        public int readyNodes(ClusterRecord child) {
            return 0;
        }

        @Override
        public Cause keep(ClusterRecord child) {
            return Cause.NONE;
        }

        @Override
        public Cause quiesce(ClusterRecord child) {
            return Cause.NONE;
        }

        @Override
        public long commanded(ClusterRecord child, long number) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String log(ClusterRecord child) {
            return "";
        }

        @Override
        public void close(String id) {}

        @Override
        public void forget(String id) {}
    }

    private static String job(String id, int uid, String state) {
        return """
                {"id":"%s","array":"","name":"j","project":"","queue":"west","site":"west","user":"u","uid":%d,
                 "state":"%s","reason":"","attempt":1,"nodes":[],"nodeCount":1,"cpus":1,"memoryBytes":1,"gpus":0,
                 "gpuModel":"","walltimeSeconds":60,"priority":0,"submittedAt":"2026-11-22T09:00:00Z","startedAt":null,
                 "endedAt":null,"exitCode":0,"bytesIn":0,"bytesOut":0,"cost":"0.00"}""".formatted(id, uid, state);
    }

    private void says(String... all) {
        children.answers.put("/jobs?ended=true&limit=10000", "{\"jobs\":[" + String.join(",", all) + "]}");
    }

    private void detail(String id, String... places) {
        var outputs = new ArrayList<String>();
        for (String place : places) {
            outputs.add(
                    "{\"pattern\":\"p\",\"destination\":\"" + place + "\",\"strict\":false,\"state\":\"published\"}");
        }
        outputs.add("{\"pattern\":\"p\",\"destination\":\"/never/made\",\"strict\":false,\"state\":\"missing\"}");
        children.answers.put(
                "/jobs/" + id,
                "{\"job\":" + job(id, 1, "DONE")
                        + ",\"timeline\":[],\"timings\":{\"submitted\":\"2026-11-22T09:00:00Z\"},\"ranks\":[],"
                        + "\"transfers\":[],\"warnings\":[],\"outputs\":[" + String.join(",", outputs) + "]}");
    }

    private String there(String name, String content) throws IOException {
        Path file = folder.resolve("there").resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content).toString();
    }

    @Test
    void publishedResultsOfEndedJobsComeHomeEachToItsJobsFolder() throws IOException {
        says(job("7", Identity.ownUid(), "DONE"), job("8", Identity.ownUid(), "RUNNING"));
        detail("7", there("a/out.txt", "one"), there("b/out.txt", "two"));
        var pass = jobs.pass(child, Set.of(), false);
        assertThat(pass.brought()).containsExactly("7");
        assertThat(pass.open()).isEqualTo(1);
        assertThat(pass.failed()).isEmpty();
        assertThat(children.told).isEmpty();
        assertThat(folder.resolve("home/main-c1-7/out.txt")).hasContent("one");
        assertThat(folder.resolve("home/main-c1-7/1/out.txt")).hasContent("two");
        assertThat(jobs.pass(child, Set.of("7"), false).brought()).isEmpty();
    }

    @Test
    void atTheEndWhatRunsIsCancelledButNotWhatIsOnItsWay() throws IOException {
        says(job("8", Identity.ownUid(), "RUNNING"), job("9", Identity.ownUid(), "STAGING_OUT"));
        assertThat(jobs.pass(child, Set.of(), true).open()).isEqualTo(2);
        assertThat(children.told).containsExactly("/jobs/8/cancel");
    }

    @Test
    void resultsOfOneWhoIsNoneOfItsUsersGoNowhere() throws IOException {
        says(job("7", Identity.ownUid() + 1, "DONE"));
        detail("7", there("out.txt", "one"));
        assertThat(jobs.pass(child, Set.of(), true).failed().get("7")).contains("none of the cluster's users");
        assertThat(folder.resolve("home")).doesNotExist();
    }

    @Test
    void oneJobThatFailsDoesNotKeepTheOthers() throws IOException {
        says(job("7", Identity.ownUid(), "DONE"), job("8", Identity.ownUid(), "FAILED"));
        detail("7", folder.resolve("gone.txt").toString());
        detail("8", there("log", "why"));
        var pass = jobs.pass(child, Set.of(), true);
        assertThat(pass.failed()).containsOnlyKeys("7");
        assertThat(pass.brought()).containsExactly("8");
        assertThat(folder.resolve("home/main-c1-8/log")).hasContent("why");
    }

    @Test
    void whatCannotBeAJobOrAResultIsRefused() throws IOException {
        says(job("../7", Identity.ownUid(), "DONE"));
        assertThatThrownBy(() -> jobs.pass(child, Set.of(), true)).isInstanceOf(IOException.class);
        for (String place : List.of("relative", "/", "/a/b\\nc")) {
            says(job("7", Identity.ownUid(), "DONE"));
            detail("7", place);
            assertThat(jobs.pass(child, Set.of(), true).failed()).as(place).containsKey("7");
        }
        assertThat(folder.resolve("home")).doesNotExist();
    }

    @Test
    void aHeadThatRefusesIsAFailureOfThePass() {
        assertThatThrownBy(() -> jobs.pass(child, Set.of(), true)).hasMessageContaining("404");
    }
}
