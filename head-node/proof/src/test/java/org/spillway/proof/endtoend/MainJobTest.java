package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.cli.CliFailure;

/** A user's work with a cluster, on one head from its first job to its end. */
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class MainJobTest {
    @TempDir
    static Path folder;

    private static HeadFixture head;

    @BeforeAll
    static void start() throws IOException {
        head = new HeadFixture(folder).start();
    }

    @AfterAll
    static void end() throws IOException {
        if (head != null) {
            head.close();
        }
    }

    @Test
    @Order(1)
    void refusesWhatCannotRunAndRemembersNothingOfIt() {
        // The offers are read within the first second; until then every size may fit.
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> refusal(sized(64)).contains("large enough")))
                .isTrue();
        assertThat(refusal(HeadFixture.sized("west", "true", 1, "", List.of()))).contains("no queue 'west'");
        assertThat(refusal(
                        HeadFixture.submission("true", folder.resolve("absent").toString(), Map.of())))
                .contains("input cannot be read");
        var known = head.client().list("/jobs?ended=true", "jobs", JobView.class);
        assertThat(known).filteredOn(job -> job.cpus() == 1).isEmpty();
        assertThat(head.nodes().stream().filter(node -> node.role().equals("node")))
                .isEmpty();
    }

    private static JobSubmission sized(int cpus) {
        return HeadFixture.sized("", "true", cpus, "", List.of());
    }

    private static String refusal(JobSubmission job) {
        try {
            head.client().post("/jobs/" + head.submit(job) + "/cancel");
            return "";
        } catch (CliFailure refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    @Test
    @Order(2)
    void runsAJobAndBringsItsResultHome() throws IOException {
        MainScenario.runJob(head);
    }

    @Test
    @Order(3)
    void bringsHomeWhatAFailedJobLeft() throws IOException {
        Path result = folder.resolve("failed.txt");
        String job =
                head.submit(HeadFixture.submission("#!/bin/sh\necho so far >out\nexit 3\n", "", Map.of("out", result)));
        var end = head.awaitEnd(job);
        assertThat(end.job().state()).isEqualTo(JobState.FAILED);
        assertThat(end.job().exitCode()).isEqualTo(3);
        assertThat(result).hasContent("so far\n");
    }

    @Test
    @Order(3)
    void foldersAndPatternsTravelBothWays() throws IOException {
        Path data = Files.createDirectories(folder.resolve("set/deep"));
        Files.writeString(data.resolve("b ü.csv"), "b\n");
        Files.writeString(folder.resolve("set/a.csv"), "a\n");
        Files.writeString(folder.resolve("set/notes.txt"), "not asked for\n");
        String script = """
                #!/bin/sh
                mkdir -p results/deep logs
                find . -type f ! -path './.spillway/*' ! -path './results/*' | LC_ALL=C sort >results/seen
                cat a.csv deep/*.csv >results/deep/all
                ln results/deep/all results/twin
                ln -s deep results/behind
                echo kept >logs/x.log
                echo skipped >logs/x.txt
                """;
        Path home = folder.resolve("brought");
        var end = head.awaitEnd(head.submit(HeadFixture.submission(
                script,
                folder + "/set/**/*.csv",
                List.of(
                        new JobSubmission.Output("results", home + "/r", true, true),
                        new JobSubmission.Output("logs/*.log", home.toString(), true, false),
                        new JobSubmission.Output("none*", home.toString(), true, false)))));
        assertThat(end.job().state()).as(end.toString()).isEqualTo(JobState.DONE);
        assertThat(end.warnings().toString()).contains("OUTPUT_MISSING").contains("none*");
        assertThat(end.ranks().getFirst().inputBytes())
                .isEqualTo(end.job().bytesIn())
                .isPositive();
        assertThat(home.resolve("r/seen")).hasContent("./a.csv\n./deep/b ü.csv\n");
        assertThat(home.resolve("r/deep/all")).hasContent("a\nb\n");
        assertThat(home.resolve("r/twin")).hasContent("a\nb\n");
        assertThat(home.resolve("x.log")).hasContent("kept\n");
        try (var files = Files.walk(home)) {
            assertThat(files.filter(Files::isRegularFile)).hasSize(4);
        }
    }

    @Test
    @Order(4)
    void cancelsARunningJob() throws IOException {
        Path begun = folder.resolve("begun");
        String job = head.submit(HeadFixture.submission("#!/bin/sh\n: >" + begun + "\nsleep 300\n", "", Map.of()));
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> Files.exists(begun)))
                .as(head.tail())
                .isTrue();
        head.command("cancel", job);
        assertThat(head.awaitEnd(job).job().state()).isEqualTo(JobState.CANCELLED);
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE,
                        () -> Processes.ofInstances(folder).stream()
                                .noneMatch(pid -> Processes.commandLine(pid).equals("sleep 300 "))))
                .isTrue();
    }

    @Test
    @Order(5)
    void showsWhatAJobWritesWhileItRunsAndAfterwards() throws Exception {
        Path go = folder.resolve("go");
        Path script = Files.writeString(folder.resolve("talk.sh"), """
                #!/bin/sh
                #SPILLWAY --time 1m --stdout %s/talk.out --stderr %s/talk.err
                echo begun
                while [ ! -e %s ]; do sleep 0.1; done
                echo ended
                """.formatted(folder, folder, go));
        assertThat(head.command("check", script.toString())).contains("would be accepted");
        String job = head.command("submit", script.toString()).strip();
        head.await(job, view -> view.state() == JobState.RUNNING);
        assertThat(head.command("explain", job)).contains("running");
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> head.command("logs", job).equals("begun\n")))
                .as(head.tail())
                .isTrue();
        var following = CompletableFuture.supplyAsync(() -> head.command("logs", "-f", job));
        Path output = folder.resolve("talk.out");
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> output.toFile().length() > 0))
                .as(head.tail())
                .isTrue();
        assertThat(output).as("at home, while it runs").hasContent("begun\n");
        Object file = Files.getAttribute(output, "unix:ino");
        Files.createFile(go);
        assertThat(following.get()).isEqualTo("begun\nended\n");
        assertThat(head.command("logs", job)).isEqualTo("begun\nended\n");
        assertThat(output).hasContent("begun\nended\n");
        assertThat(Files.getAttribute(output, "unix:ino"))
                .as("whoever follows it goes on reading")
                .isEqualTo(file);
    }

    @Test
    @Order(6)
    void runsAnArrayAndWhatWaitsForIt() throws IOException {
        Path task = script("task.sh", "echo task $SPILLWAY_ARRAY_INDEX >o\n");
        Path merge = script("merge.sh", "cat t-* >m\n");
        String array = head.command(
                        "submit", "--array", "0-1", "--time", "1m", "--out", "o!=" + folder + "/t-%a", task.toString())
                .strip();
        String last = head.command(
                        "submit",
                        "--after",
                        array,
                        "--time",
                        "1m",
                        "--in",
                        folder.resolve("t-*").toString(),
                        "--out",
                        "m=" + folder + "/m",
                        merge.toString())
                .strip();
        assertThat(head.awaitEnd(array + "-0").job().state()).isEqualTo(JobState.DONE);
        assertThat(head.awaitEnd(array + "-1").job().state()).isEqualTo(JobState.DONE);
        assertThat(folder.resolve("t-0")).hasContent("task 0\n");
        assertThat(folder.resolve("t-1")).hasContent("task 1\n");
        var end = head.awaitEnd(last);
        assertThat(end.job().startedAt()).isAfter(head.job(array + "-1").job().endedAt());
        assertThat(folder.resolve("m")).hasContent("task 0\ntask 1\n");
        assertThat(head.command("job", array)).contains(array + "-0", array + "-1", "DONE");
    }

    /** The script's output goes to the test's folder, not to the one in which the tests are run. */
    private Path script(String name, String text) throws IOException {
        String log = folder.resolve(name + "-%j").toString();
        return Files.writeString(
                folder.resolve(name),
                "#!/bin/sh\n#SPILLWAY --stdout " + log + ".out --stderr " + log + ".err\n" + text);
    }

    @Test
    @Order(7)
    void showsItOnItsPageToWhoHasTheLink() throws Exception {
        var link = URI.create(head.command("web").strip());
        var cookies = new CookieManager();
        try (var browser = HttpClient.newBuilder()
                .cookieHandler(cookies)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build()) {
            var page = browser.send(
                    HttpRequest.newBuilder(link).build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.uri().getQuery()).isNull();
            assertThat(page.body()).contains("cluster <b>e2e</b>", "CANCELLED", "local");
            cookies.getCookieStore().removeAll();
            var stranger = browser.send(
                    HttpRequest.newBuilder(link.resolve("/")).build(),
                    HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
            assertThat(stranger.statusCode()).isEqualTo(401);
        }
    }

    @Test
    @Order(8)
    void tellsNoSecretWhileItRuns() throws IOException {
        assertThat(Processes.ofRun(folder).stream().map(Processes::commandLine))
                .as("the processes that are looked at")
                .anyMatch(line -> line.contains("DirectorMain"))
                .anyMatch(line -> line.contains("org.spillway.cli.Main serve"));
        Redaction.check(head);
    }

    @Test
    @Order(9)
    void refusesASecondHead() throws Exception {
        var command = new ArrayList<>(Installation.shared().java("org.spillway.cli.Main"));
        command.addAll(List.of("serve", "--config", "spillway.yaml"));
        var second = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        second.environment().put("SPILLWAY_HOME", Installation.shared().home().toString());
        Process process = second.start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("another head uses the state directory");
        assertThat(process.waitFor()).isEqualTo(2);
    }

    @Test
    @Order(10)
    void givesEverythingBack() throws IOException {
        MainScenario.release(head);
        assertThatThrownBy(() -> head.client().get("/health")).hasMessageContaining("no head answers");
        Redaction.check(head);
    }
}
