package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.CauseView;
import org.spillway.api.JobFilter;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.head.rest.FakeHead;
import org.spillway.head.rest.FakePlan;
import org.spillway.proof.ProofCommands;
import org.spillway.slurm.command.SlurmCommands;

/** Every command against a head behind a real socket, with what it prints. */
final class CommandsTest extends AskedHead {
    @Override
    List<CommandSource> more() {
        return List.of(new SlurmCommands(), new ProofCommands());
    }

    @Test
    void pagesAreAligned() {
        var pages = new Pages();
        var all = new JobFilter(OptionalInt.empty(), true, 10);
        golden("queue.txt", pages.queue(HEAD.jobs(all)));
        golden("job.txt", pages.job(HEAD.job("1").orElseThrow()));
        golden("nodes.txt", pages.nodes(HEAD.nodes()));
        golden("sites.txt", pages.sites(HEAD.sites(), HEAD.spend()));
        HEAD.directory =
                new CauseView("DIRECTORY_AWAY", Map.of(), "users and groups are as they were at\u001b[2J noon");
        golden("sites-away.txt", pages.sites(HEAD.sites(), HEAD.spend()));
        HEAD.directory = CauseView.NONE;
        golden("plan.txt", pages.plan(HEAD.plan()));
        golden("plan-dry.txt", pages.plan(FakePlan.dry(HEAD.plan())));
        golden("queues.txt", pages.queues(HEAD.queues()));
    }

    @ParameterizedTest
    @CsvSource({
        "queue,2,train",
        "job 1,STAGING_IN,SHA-256",
        "nodes,east-1,0.50",
        "sites,east-d1,46.50 left",
        "plan,launch,2 jobs wait",
        "queues,east,1d",
        "explain 2,waiting: 41 of 120 MB staged,12:07"
    })
    void readingCommandsShowAPage(String command, String one, String other) {
        assertThat(ask((command + (command.equals("queue") ? " --all" : "")).split(" ")))
                .isZero();
        assertThat(out.toString()).contains(one).contains(other);
    }

    @ParameterizedTest
    @ValueSource(strings = {"job 1", "nodes", "sites", "spend", "plan", "queues", "explain 1"})
    void readingCommandsSpeakJson(String command) {
        assertThat(ask((command + " --json").split(" "))).isZero();
        golden(command.replace(" 1", "") + ".json", out.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "serve",
                "backup",
                "state",
                "submit",
                "queue",
                "job",
                "cancel",
                "nodes",
                "sites",
                "plan",
                "web",
                "stop",
                "check",
                "explain",
                "logs",
                "notebook",
                "queues",
                "node",
                "doctor",
                "audit",
                "site",
                "offerings",
                "slurm"
            })
    void helpTeachesWithAnExample(String command) {
        assertThat(run(command, "--help")).isZero();
        golden("help-" + command + ".txt", JobOptionsPage.without(out.toString()));
        assertThat(out.toString()).containsPattern("Examples?:");
    }

    @Test
    void thePageHasEveryOptionOfAJob() throws IOException {
        assertThat(JobOptionsPage.FILE).hasContent(JobOptionsPage.made());
        run("submit", "--help");
        assertThat(JobOptionsPage.without(out.toString()).length())
                .as("options of a job are in one place")
                .isLessThan(out.toString().length() - 1000);
    }

    @Test
    void submitSendsWhatWasAskedForWithAbsolutePaths() throws IOException {
        var script = Files.writeString(folder.resolve("train.sh"), "#!/bin/sh\necho\n");
        var input = Files.writeString(folder.resolve("data.csv"), "1");
        int code = ask(
                "submit",
                "--queue",
                "east",
                "--gpus",
                "2",
                "--cpus",
                "4",
                "--mem",
                "4GiB",
                "--time",
                "10m",
                "--gpu-model",
                "h100",
                "--priority",
                "5",
                "--in",
                input.toString(),
                "--out",
                "a/result.csv",
                "--out",
                "log.txt=" + folder + "/",
                "--env",
                "K=V=W",
                script.toString(),
                "--epochs",
                "3");
        assertThat(err.toString()).isEmpty();
        assertThat(code).isZero();
        assertThat(out.toString()).isEqualTo("3\n");
        var here = Path.of("").toAbsolutePath();
        assertThat(HEAD.submissions.get("3")).isEqualTo(JobSubmission.of(job -> {
            job.queue = "east";
            job.name = "train.sh";
            job.script = "#!/bin/sh\necho\n";
            job.scriptName = "train.sh";
            job.arguments = List.of("--epochs", "3");
            job.environment = Map.of("K", "V=W");
            job.cpus = 4;
            job.memoryBytes = 4L << 30;
            job.gpus = 2;
            job.gpuModel = "h100";
            job.walltimeSeconds = 600;
            job.priority = 5;
            job.folder = here.toString();
            job.inputs = List.of(new JobSubmission.Input(input.toString(), ""));
            job.outputs = List.of(
                    new JobSubmission.Output("a/result.csv", here + "/result.csv", false, false),
                    new JobSubmission.Output("log.txt", folder + "/log.txt", false, false),
                    new JobSubmission.Output(".spillway/stdout", here + "/spillway-%j.out", false, false),
                    new JobSubmission.Output(".spillway/stderr", here + "/spillway-%j.err", false, false));
        }));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--mem 4GB|--mem: '4GB' is not a size",
                "--time soon|--time: 'soon' is not a length of time",
                "--out ../a|--out: '../a' is not a path in the job's folder",
                "--env K|--env: 'K' is not KEY=VALUE",
                "--cpus 0|cpus: found 0",
                "--queue A|queue: found",
            })
    void submitRefusesBadInputWithAHint(String option, String message) throws IOException {
        var script = Files.writeString(folder.resolve("s.sh"), "echo");
        assertThat(ask(("submit " + option + " " + script).split(" "))).isEqualTo(2);
        assertThat(err.toString()).startsWith("spillway: " + message);
        assertThat(HEAD.submissions).isEmpty();
    }

    @Test
    void aScriptThatIsNotThereOrNotTextIsRefused() throws IOException {
        assertThat(ask("submit", "none.sh")).isEqualTo(2);
        assertThat(err.toString()).contains("cannot read the script 'none.sh'");
        var program = Files.write(folder.resolve("p"), new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThat(ask("submit", program.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("not text in UTF-8");
    }

    @Test
    void waitingEndsWithTheJobsExitCode() throws Exception {
        assertThat(JobWait.exitCode(FakeHead.job("1", "a", "b", 1, JobState.DONE)))
                .isZero();
        assertThat(JobWait.exitCode(FakeHead.job("1", "a", "b", 1, JobState.FAILED)))
                .isEqualTo(1);
        assertThat(new JobWait(new HeadClient(socket), new PrintWriter(err))
                        .untilEnd("1")
                        .state())
                .isEqualTo(JobState.DONE);
    }

    @Test
    void withoutACommandTheHelpListsAllByWhatTheyAreAbout() {
        assertThat(run("--help")).isZero();
        golden("help.txt", out.toString());
    }

    @Test
    void cancelSaysWhatBecameOfTheJob() {
        assertThat(ask("cancel", "2")).isZero();
        assertThat(out.toString()).isEqualTo("job 2 is CANCELLED\n");
        assertThat(ask("cancel", "9")).isEqualTo(1);
        assertThat(err.toString()).contains("no job '9'");
        assertThat(ask("cancel", "../nodes")).isEqualTo(2);
    }

    @Test
    void webPrintsTheLinkAlone() {
        assertThat(ask("web")).isZero();
        assertThat(out.toString()).isEqualTo("http://127.0.0.1:8080/?token=t\n");
    }

    @Test
    void stopReleasesFirst() {
        assertThat(ask("stop", "--release")).isZero();
        assertThat(out.toString()).isEqualTo("instances left: 0\n");
        await().until(() -> HEAD.released && HEAD.stopped);
    }

    @Test
    void stopSaysForWhichUnknownMachinesItWaits() {
        assertThat(ask("stop", "--release")).isZero();
        assertThat(err.toString())
                .contains("waiting: the journal does not know east/i-1, east/i-2")
                .contains("'spillway recover' shows them");
    }

    @Test
    void stopAloneReleasesNothing() {
        assertThat(ask("stop")).isZero();
        // The stop is answered first.
        await().until(() -> HEAD.stopped);
        assertThat(HEAD.released).isFalse();
    }

    @Test
    void withoutAHeadItSaysHowToStartOne() {
        var nowhere = folder.resolve("none.sock");
        assertThat(run("queue", "--socket", nowhere.toString())).isEqualTo(3);
        assertThat(err.toString())
                .startsWith("spillway: no head answers at " + nowhere)
                .contains("spillway serve --config FILE");
    }

    @Test
    void theSocketIsFoundInTheConfiguration() throws IOException {
        var config = Files.writeString(folder.resolve("c.yaml"), "cluster: x\nsocket: " + socket + "\n");
        assertThat(run("nodes", "--config", config.toString())).isZero();
        assertThat(out.toString()).contains("east-1");
    }

    @Test
    void theSocketOfTheCommandLineComesFirstThenTheEnvironments() throws IOException {
        var command = new QueueCommand();
        assertThat(command.socketPath(null))
                .isEqualTo(Path.of("state/spillway.sock").toAbsolutePath());
        command.config = Files.writeString(folder.resolve("c.yaml"), "cluster: x\nsocket: /c.sock\n");
        assertThat(command.socketPath("")).isEqualTo(Path.of("/c.sock"));
        assertThat(command.socketPath("/e.sock")).isEqualTo(Path.of("/e.sock"));
        command.socket = Path.of("/s.sock");
        assertThat(command.socketPath("/e.sock")).isEqualTo(Path.of("/s.sock"));
    }

    @Test
    void serveWithMistakesChangesNothing() throws IOException {
        var config = Files.writeString(folder.resolve("c.yaml"), "cluster: X\n");
        assertThat(run("serve", "--config", config.toString())).isEqualTo(2);
        assertThat(err.toString()).startsWith(config + ":1: cluster: found 'X'");
        assertThat(served).isZero();
        assertThat(folder.resolve("state")).doesNotExist();
    }

    @Test
    void theLocalCloudReadsItsOwnOptions() {
        // An option that picocli does not know is not picocli's usage error.
        assertThat(run("local-cloud", "--no-such-option")).isNotZero();
        assertThat(err.toString()).doesNotContain("Unknown option");
    }

    @Test
    void unknownOptionsAreUsageErrors() {
        assertThat(ask("queue", "--nonsense")).isEqualTo(2);
        assertThat(run("nonsense")).isEqualTo(2);
    }
}
