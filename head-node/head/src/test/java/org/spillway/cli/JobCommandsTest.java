package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.api.CauseView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobDetail.OutputView;
import org.spillway.api.JobFilter;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.TransferState;
import org.spillway.head.rest.FakeHead;
import org.spillway.policy.Money;

/** Arrays, gangs, logs, checks and nodes by hand, as the commands show them. */
@Timeout(600)
final class JobCommandsTest extends AskedHead {
    private static final Instant NOON = FakeHead.NOON;

    private static JobView running(String id, JobState state, String... nodes) {
        return new JobView(
                id,
                "",
                "train",
                "water",
                "east",
                "east",
                "ada",
                1001,
                state,
                "",
                1,
                List.of(nodes),
                nodes.length,
                2,
                4L << 30,
                1,
                "h100",
                600,
                0,
                NOON,
                NOON.plusSeconds(3),
                null,
                null,
                1_048_576,
                0,
                Money.parse("0.01"),
                CauseView.NONE,
                "hydro",
                null);
    }

    private void array(JobState... states) {
        for (int i = 0; i < states.length; i++) {
            var id = "7-" + i;
            HEAD.jobs.put(id, FakeHead.of(id, "7", "sweep", "ada", 1001, states[i]));
        }
    }

    @Test
    void tasksThatWaitForTheSameAreOneLine() {
        array(
                JobState.DONE,
                JobState.SUBMITTED,
                JobState.SUBMITTED,
                JobState.SUBMITTED,
                JobState.CANCELLED,
                JobState.SUBMITTED);
        assertThat(ask("queue")).isZero();
        assertThat(out.toString().lines().map(line -> line.replaceFirst(" .*", "")))
                .containsExactly("JOB", "2", "7-[1-3,5]");
        assertThat(ask("queue", "--tasks")).isZero();
        assertThat(out.toString()).contains("\n7-2  ").contains("\n7-5  ");
    }

    @Test
    void queueFiltersByQueueAndState() {
        assertThat(ask("queue", "--state", "done")).isZero();
        assertThat(out.toString()).contains("\n1    train").doesNotContain("sweep");
        assertThat(ask("queue", "--queue", "east", "--state", "cancelled")).isZero();
        assertThat(out.toString()).endsWith("REASON\n");
        assertThat(ask("queue", "--state", "asleep")).isEqualTo(2);
        assertThat(err.toString()).contains("there is no state 'asleep'").contains("staging_in");
    }

    /** Who asked for the past got all of it, or the newest thousand. */
    @Test
    void queueFiltersByTime() {
        assertThat(ask("queue", "--until", "2000-01-01T00:00:00Z")).isZero();
        assertThat(out.toString()).endsWith("REASON\n");
        assertThat(ask("queue", "--since", "36500d")).isZero();
        assertThat(out.toString()).contains("\n1    train");
        assertThat(ask("queue", "--since", "yesterday")).isEqualTo(2);
        assertThat(err.toString()).contains("--since: 'yesterday' is no time").contains("7d or 12h");
        assertThat(new JobFilter(OptionalInt.empty(), true, "", Optional.empty(), NOON, NOON.plusSeconds(9), 1))
                .matches(some -> some.spans(NOON.minusSeconds(5), null), "lives")
                .matches(some -> some.spans(NOON.minusSeconds(5), NOON), "ended in it")
                .matches(some -> !some.spans(NOON.minusSeconds(5), NOON.minusSeconds(1)), "ended before")
                .matches(some -> !some.spans(NOON.plusSeconds(9), null), "came after");
    }

    /** H8: an unknown queue was an empty list with exit code 0. */
    @Test
    void aQueueThatIsNotThereIsAnError() {
        assertThat(ask("queue", "--queue", "nosuch")).isEqualTo(2);
        assertThat(err.toString()).contains("there is no queue 'nosuch'").contains("queues: ");
        assertThat(out.toString()).isEmpty();
    }

    /** H8: programs got less than people. */
    @Test
    void sitesForProgramsHaveTheSpendToo() {
        assertThat(ask("sites", "--json")).isZero();
        assertThat(out.toString()).contains("\"sites\"").contains("\"spend\"").contains("\"accrued\"");
    }

    /** H8: a job as JSON was submitted as a script, and failed in a shell. */
    @Test
    void aJobAsJsonIsNoScript() throws IOException {
        var json = Files.writeString(folder.resolve("job.json"), "\n {\"name\": \"x\", \"script\": \"true\"}\n");
        assertThat(ask("submit", json.toString())).isEqualTo(2);
        assertThat(ask("check", json.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("is JSON and no script").contains("--many");
        assertThat(HEAD.submissions).isEmpty();
        var shell = Files.writeString(folder.resolve("job.sh"), "{ echo braces; }\n[ -e x ] || exit 1\n");
        assertThat(ask("submit", shell.toString())).as("%s", err).isZero();
    }

    @Test
    void anArrayIsShownAndCancelledWhole() {
        array(JobState.DONE, JobState.SUBMITTED, JobState.SUBMITTED);
        assertThat(ask("job", "7")).isZero();
        assertThat(out.toString().lines().map(line -> line.replaceFirst(" .*", "")))
                .containsExactly("JOB", "7-0", "7-1", "7-2");
        assertThat(ask("job", "8")).isEqualTo(1);
        assertThat(err.toString()).contains("no job '8'");
        assertThat(ask("cancel", "7", "2", "99")).isEqualTo(1);
        assertThat(out.toString())
                .endsWith("array 7: 0 of 3 tasks will be cancelled, 3 have ended\njob 2 is CANCELLED\n");
        assertThat(err.toString()).endsWith("spillway: no job '99'\n");
        assertThat(HEAD.jobs.get("7-2").state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void theEndOfAnArrayIsItsFirstFailure() throws Exception {
        array(JobState.DONE, JobState.FAILED, JobState.DONE);
        var waiting = new JobWait(new HeadClient(socket), new PrintWriter(err, true));
        assertThat(waiting.exitCodeOfArray("7")).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("spillway: job 7-1 FAILED: waiting for a node\n");
        HEAD.jobs.remove("7-1");
        assertThat(waiting.exitCodeOfArray("7")).isZero();
    }

    @Test
    void progressIsOneLine() {
        var staging = new JobDetail(
                FakeHead.job("5", "a", "b", 1, JobState.STAGING_IN),
                List.of(),
                new JobDetail.Timings(NOON, null, null, null, null, null, null, null, null),
                List.of(),
                List.of(JobDetail.TransferView.still("in", "x", TransferState.RUNNING, 41_000_000, 120_000_000, "", 12)
                        .at(10_000_000)),
                List.of(),
                List.of(),
                null,
                null,
                "");
        assertThat(Progress.of(staging))
                .isEqualTo("job 5 STAGING_IN 41.0 of 120.0 MB, 12 files, 10.0 MB/s, 8 s left: waiting fo...");
        assertThat(Progress.bytes(1_500_000, 0)).isEqualTo("1.5 MB");
        array(JobState.DONE, JobState.FAILED, JobState.SUBMITTED, JobState.DONE);
        assertThat(Progress.of(HEAD.array("7"))).isEqualTo("2 of 4 done, 1 failed: waiting for a node");
        var long200 = List.of(FakeHead.of("7-0", "7", "x", "b", 1, JobState.SUBMITTED));
        assertThat(Progress.of(long200)).hasSizeLessThan(80);
    }

    @Test
    void aGangShowsItsRanks() {
        var pages = new Pages();
        var gang = running("9", JobState.RUNNING, "n1", "n2", "n3", "n4", "n5");
        assertThat(pages.queue(List.of(gang))).contains("n1,n2,n3 and 2 more");
        golden(
                "gang.txt",
                pages.job(new JobDetail(
                        gang,
                        List.of(new JobDetail.Moment(JobState.SUBMITTED, NOON, "")),
                        new JobDetail.Timings(
                                NOON,
                                NOON.plusMillis(10),
                                NOON.plusSeconds(1),
                                NOON.minusSeconds(60),
                                NOON.minusSeconds(20),
                                NOON.plusSeconds(2),
                                NOON.plusSeconds(3),
                                null,
                                null),
                        List.of(
                                new JobDetail.RankView(
                                        0, "n1", "10.0.0.1", NOON.plusSeconds(3), null, null, false, "", null),
                                new JobDetail.RankView(
                                        1,
                                        "n2",
                                        "10.0.0.2",
                                        NOON.plusSeconds(3),
                                        NOON.plusSeconds(9),
                                        3,
                                        false,
                                        "exit\u001b",
                                        0L),
                                new JobDetail.RankView(2, "n3", "10.0.0.3", null, null, null, true, "", null)),
                        List.of(),
                        List.of(new OutputView("sum.csv", "/home/ada/sum.csv", true, "expected")),
                        List.of(),
                        null,
                        null,
                        "")));
    }

    @Test
    void checkSaysWhatWouldBecomeOfIt() throws IOException {
        var script = Files.writeString(folder.resolve("c.sh"), "#SPILLWAY --in /data/*.csv=in/\ntrue\n");
        assertThat(ask("check", "--gpus", "1", script.toString(), "--x")).isZero();
        golden("check.txt", out.toString().replaceAll("\nstart( +)\\S+ \\S+", "\nstart$1(then)"));
        assertThat(HEAD.submissions).isEmpty();
        assertThat(ask("check", "--queue", "A", script.toString())).isEqualTo(2);
        assertThat(err.toString()).startsWith("spillway: queue: found");
    }

    @Test
    void checkSpeaksJson() throws IOException {
        var script = Files.writeString(folder.resolve("c.sh"), "true\n");
        assertThat(ask("check", "--json", script.toString())).isZero();
        golden("check.json", out.toString());
    }

    @Test
    void logsOfARunningJobAreWhatTheHeadPassesOn() {
        HEAD.jobs.put("3", running("3", JobState.RUNNING, "n1", "n2"));
        HEAD.logs.put(0, "epoch 1\n");
        HEAD.logs.put(1, "other\n");
        assertThat(ask("logs", "3")).isZero();
        assertThat(ask("logs", "--rank", "1", "3")).isZero();
        assertThat(out.toString()).isEqualTo("epoch 1\nother\n");
    }

    @Test
    void logsOfWhatHasNotStartedSayHowToWait() {
        assertThat(ask("logs", "2")).isEqualTo(1);
        assertThat(err.toString())
                .contains("job 2 has not started: it is SUBMITTED: waiting for a node")
                .contains("logs -f 2");
    }

    @ParameterizedTest
    @CsvSource({"stdout,0,''", "stderr,0,''", "stdout,2,.2"})
    void logsOfAnEndedJobAreReadByTheUser(String stream, int rank, String suffix) throws IOException {
        Files.writeString(folder.resolve("o" + suffix), "all of it\n");
        HEAD.outputs = List.of(new OutputView(".spillway/" + stream, folder + "/o", false, "published"));
        var command = stream.equals("stderr")
                ? new String[] {"logs", "--stderr", "1"}
                : new String[] {"logs", "--rank", Integer.toString(rank), "1"};
        assertThat(ask(command)).isZero();
        assertThat(out.toString()).isEqualTo("all of it\n");
    }

    @Test
    void logsThatDidNotComeHomeAreAnError() {
        assertThat(ask("logs", "1")).isEqualTo(1);
        assertThat(err.toString()).contains("--stdout /dev/null");
        HEAD.outputs = List.of(new OutputView(".spillway/stdout", folder + "/o", false, "failed"));
        assertThat(ask("logs", "1")).isEqualTo(1);
        assertThat(err.toString()).contains("nothing of job 1's stdout came home: it is DONE");
        HEAD.outputs = List.of(new OutputView(".spillway/stdout", folder + "/gone", false, "published"));
        assertThat(ask("logs", "1")).isEqualTo(1);
        assertThat(err.toString()).contains("cannot read " + folder + "/gone");
    }

    @Test
    void followedLogsGoOnOverARequeueToTheEnd() throws Exception {
        HEAD.jobs.put("3", running("3", JobState.RUNNING, "n1"));
        HEAD.logs.put(0, "first try\n");
        Files.writeString(folder.resolve("o"), "second try\nand its end\n");
        HEAD.outputs = List.of(new OutputView(".spillway/stdout", folder + "/o", false, "published"));
        var following = CompletableFuture.supplyAsync(() -> ask("logs", "-f", "3"));
        until("first try\n");
        synchronized (HEAD) {
            HEAD.attempt = 2;
            HEAD.logs.put(0, "second try\n");
        }
        until("first try\nsecond try\n");
        synchronized (HEAD) {
            HEAD.jobs.put("3", running("3", JobState.DONE, "n1"));
        }
        // The fake's job says attempt 1: what came home is of another one and is printed whole.
        assertThat(following.get()).isZero();
        assertThat(out.toString()).startsWith("first try\nsecond try\n").endsWith("and its end\n");
        assertThat(err.toString()).contains("attempt 2 of job 3 begins");
    }

    private void until(String printed) {
        long end = System.nanoTime() + 180_000_000_000L;
        while (!out.toString().equals(printed)) {
            assertThat(System.nanoTime()).as(out + " " + err).isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void nodesAreAddedAndChangedByHand() {
        var at = new String[] {"--socket", socket.toString()};
        assertThat(run("node", "add", at[0], at[1], "east", "gpu.large", "--count", "2", "--keep"))
                .isZero();
        assertThat(run("node", "drain", at[0], at[1], "east-1")).isZero();
        assertThat(run("node", "power", at[0], at[1], "off", "east-1")).isZero();
        assertThat(run("node", "keep", at[0], at[1], "none", "east-1")).isEqualTo(1);
        assertThat(HEAD.changes)
                .containsExactly(
                        "NodeOrder[site=east, type=gpu.large, zone=, market=on-demand, count=2, keep=true]",
                        "drain east-1",
                        "power-off east-1",
                        "keep east-1");
        assertThat(out.toString()).contains("node east-1 is READY\n");
        assertThat(err.toString()).contains("there is no node none");
        assertThat(run("node", "power", at[0], at[1], "maybe", "east-1")).isEqualTo(2);
        assertThat(run("node")).isEqualTo(2);
    }

    @Test
    void nodesAreMadeOthersByHand() {
        var at = new String[] {"--socket", socket.toString()};
        assertThat(run("node", "repurpose", at[0], at[1], "east-1", "--category", "ml", "--drain"))
                .isZero();
        assertThat(run("node", "repurpose", at[0], at[1], "--site", "east", "--no-category", "--wait"))
                .isZero();
        assertThat(run("node", "join", at[0], at[1], "east-1", "solver")).isZero();
        assertThat(run("node", "leave", at[0], at[1], "east-1", "solver", "--wait"))
                .isZero();
        assertThat(run("node", "join", at[0], at[1], "east-1", "solver", "--wait"))
                .as("it does not have it then")
                .isEqualTo(1);
        assertThat(err.toString()).contains("it did not become that: node east-1 is READY");
        assertThat(run("node", "unfix", at[0], at[1], "east-1")).isZero();
        assertThat(HEAD.changes)
                .containsExactly(
                        "repurpose NodeTurnOrder[category=ml, overlay=, drain=true] east-1",
                        "repurpose NodeTurnOrder[category=, overlay=, drain=false] east-1",
                        "join NodeTurnOrder[category=, overlay=solver, drain=false] east-1",
                        "leave NodeTurnOrder[category=, overlay=solver, drain=false] east-1",
                        "join NodeTurnOrder[category=, overlay=solver, drain=false] east-1",
                        "unfix east-1");
        assertThat(run("node", "repurpose", at[0], at[1], "east-1")).isEqualTo(2);
        assertThat(run("node", "repurpose", at[0], at[1], "--category", "ml")).isEqualTo(2);
        assertThat(run("node", "repurpose", at[0], at[1], "east-1", "--site", "east", "--category", "ml"))
                .isEqualTo(2);
        assertThat(run("node", "repurpose", at[0], at[1], "--site", "west", "--category", "ml"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("site 'west' has no nodes");
        assertThat(run("node", "join", at[0], at[1], "east-1", "no overlay")).isEqualTo(2);
        assertThat(err.toString()).contains("overlay: found 'no overlay'");
    }

    @Test
    void anIdThatIsNoneIsNotSent() {
        assertThatThrownBy(() -> HeadCommand.segment("../x")).isInstanceOf(CliFailure.class);
        assertThat(ask("cancel", "2", "../nodes")).isEqualTo(2);
        assertThat(HEAD.jobs.get("2").state()).isEqualTo(JobState.SUBMITTED);
    }
}
