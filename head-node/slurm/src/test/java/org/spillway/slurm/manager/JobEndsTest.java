package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;

/** When a job of Slurm has ended, and where its runs were. */
final class JobEndsTest extends JobBookScene {

    @Test
    void whetherARunWasBrokenOffIsNotDecidedByClocks() {
        told(row("R", "None", 1, 0, "west-a-1"));
        // slurmctld's clock is ahead.
        assertThat(told(row("CG", "None", 1, 0, "west-a-1"), detail("COMPLETING", 1, "1:0", "2026-11-21T22:31:00"))
                        .status())
                .isEqualTo(Status.Ended.somewhere(1, STARTED, 1, false, "", false));
        book = book(List.of());
        told(row("R", "None", 1, 0, "west-a-1"));
        // Another node of its gang still completes.
        for (int look = 0; look < 2; look++) {
            assertThat(told(row("CG", "None", 2, 0, "west-a-1"), detail("COMPLETING", 2, "1:0", "2026-11-21T22:14:03"))
                            .status())
                    .isEqualTo(new Status.Waiting("completing"));
        }
    }

    @Test
    void aJobThatItsManagerRequeuesKeepsItsKey() {
        String key = told(row("PD", "Resources", 0, 0, "")).key();
        assertThat(key).isEqualTo("slurm:12:" + NOW.getEpochSecond());
        ForeignJob run = told(row("R", "None", 0, 0, "west-a-[1-2]"));
        assertThat(run.status()).isEqualTo(new Status.Allocated(List.of("n1", "n2"), 0, NOW));
        ForeignJob again = told(row("PD", "BeginTime", 1, 5, ""));
        assertThat(again.key()).isEqualTo(key);
        assertThat(again.status()).isEqualTo(new Status.Waiting("BeginTime"));
        // Ids begin anew with a Slurm that lost its state.
        assertThat(told(row("PD", "Resources", 0, 600, "")).key()).isNotEqualTo(key);
    }

    @Test
    void aRestartedHeadKnowsARequeuedJobByItsFirstKey() {
        String key = "slurm:12:" + NOW.getEpochSecond();
        book = book(List.of(key));
        assertThat(told(row("PD", "Resources", 1, 5, "")).key()).isEqualTo(key);
    }

    @Test
    void oneThatCompletesHasEndedWhenItHasAnEndAndRunsAgainWhenItHasNone() {
        Status runs = told(row("R", "None", 0, 0, "west-a-1")).status();
        // Somebody may have ended it: its exit code is not there before its script has gone.
        assertThat(told(row("CG", "None", 0, 0, "west-a-1"), detail("COMPLETING", 0, "0:0", "2026-11-21T22:14:03"))
                        .status())
                .isEqualTo(runs);
        assertThat(told(row("CG", "None", 0, 0, "west-a-1"), detail("COMPLETING", 1, "0:0", "Unknown"))
                        .status())
                .isEqualTo(new Status.Waiting("completing"));
        told(row("R", "None", 0, 0, "west-a-1"));
        assertThat(told(row("CG", "None", 0, 0, "west-a-1"), detail("COMPLETING", 0, "0:15", "2026-11-21T22:14:03"))
                        .status())
                .isEqualTo(Status.Ended.somewhere(0, STARTED, 143, true, "", false));
        assertThat(told(row("SO", "None", 2, 0, "west-a-1"), detail("STAGE_OUT", 2, "3:0", "2026-11-21T22:14:03"))
                        .status())
                .isEqualTo(Status.Ended.somewhere(2, STARTED, 3, false, "", false));
        // The job's limit of ten minutes was over, which ends it by SIGTERM too.
        assertThat(told(row("SO", "None", 3, 0, "west-a-1"), detail("STAGE_OUT", 3, "0:15", "2026-11-21T22:24:05"))
                        .status())
                .isEqualTo(Status.Ended.somewhere(3, STARTED, 143, false, "its time limit was reached", false));
    }

    @Test
    void aGoodEndIsKnownWhileItsNodesWaitForItsResults() {
        ForeignJob job = told(row("R", "None", 0, 0, "west-a-1"));
        JobDetail ends = detail("COMPLETING", 0, "0:0", "2026-11-21T22:14:03");
        left.put(job.key(), new SlurmRun(1, null));
        assertThat(told(row("CG", "None", 0, 0, "west-a-1"), ends).status()).isEqualTo(job.status());
        left.put(job.key(), new SlurmRun(0, STARTED));
        assertThat(told(row("CG", "None", 0, 0, "west-a-1"), ends).status())
                .isEqualTo(Status.Ended.somewhere(0, STARTED, 0, false, "", false));
    }

    @Test
    void aHeadThatWasStartedWhileNodesWaitTakesTheRunForOneThatGoesOn() {
        book = book(List.of("slurm:12:" + NOW.getEpochSecond()));
        assertThat(told(row("CG", "None", 0, 0, "west-a-1"), detail("COMPLETING", 0, "0:0", "2026-11-21T22:14:03"))
                        .status())
                .isInstanceOf(Status.Allocated.class);
    }

    @Test
    void aRunThatEndedWellForSlurmOnlyIsRequeuedAndEndedInOneBreath() {
        ForeignJob job = told(row("R", "None", 0, 0, "west-a-1"));
        left.put(job.key(), new SlurmRun(0, STARTED));
        SlurmJob leaves = row("CG", "None", 0, 0, "west-a-1");
        ForeignJob ended = told(leaves, detail("COMPLETING", 0, "0:0", "2026-11-21T22:14:03"));
        Failure failure = Failure.of(ended, "model.pt is missing").orElseThrow();
        var wanted = new JobPlan.Wanted(Map.of(), Map.of(), Map.of(), Set.of(), Map.of("k", failure));
        assertThat(said(leaves, wanted))
                .containsExactly(
                        new SlurmOrder.Requeue("12"),
                        new SlurmOrder.Comment("12", "model.pt is missing"),
                        new SlurmOrder.Cancel("12"),
                        new SlurmOrder.ExitCode(12));
        // The requeue was taken, and the rest was not heard.
        assertThat(said(row("PD", "BeginTime", 1, 5, ""), wanted)).last().isEqualTo(new SlurmOrder.Cancel("12"));
        SlurmJob denied = row("CG", "None", 1, 0, "west-a-1");
        assertThat(said(denied, wanted)).isEmpty();
        assertThat(failure.isSaid(ended)).isFalse();
        ForeignJob after = told(denied, detail("COMPLETING", 1, "0:0", "2026-11-21T22:14:03"));
        assertThat(after.status())
                .isInstanceOfSatisfying(
                        Status.Ended.class, end -> assertThat(end.cancelled()).isTrue());
        assertThat(failure.isSaid(after)).isTrue();
    }

    @Test
    void aRunThatSlurmDoesNotTakeBackHasAnExitCodeAtLeast() {
        ForeignJob job = told(row("R", "None", 0, 0, "west-a-1"));
        left.put(job.key(), new SlurmRun(0, STARTED));
        SlurmJob leaves = kept("CG");
        ForeignJob ended = told(leaves, detail("COMPLETING", 0, "0:0", "2026-11-21T22:14:03"));
        Failure failure = Failure.of(ended, "model.pt is missing").orElseThrow();
        var wanted = new JobPlan.Wanted(Map.of(), Map.of(), Map.of(), Set.of(), Map.of("k", failure));
        assertThat(said(leaves, wanted)).containsExactly(new SlurmOrder.ExitCode(12));
        assertThat(said(kept("PD"), wanted)).doesNotContain(new SlurmOrder.ExitCode(12));
    }

    private static SlurmJob kept(String state) {
        return read(Map.of(
                "JobID",
                "12",
                "ArrayJobID",
                "12",
                "StateCompact",
                state,
                "Reason",
                "None",
                "RestartCnt",
                "0",
                "Requeue",
                "0",
                "SubmitTime",
                NOW.toString().replace("Z", ""),
                "NodeList",
                "west-a-1"));
    }

    @Test
    void anEndLastsWhenSlurmHasWrittenItDown() {
        told(row("R", "None", 0, 0, "west-a-1"));
        book.needed(List.of());
        book.ended("12", Optional.of(detail("COMPLETED", 0, "0:0", "2026-11-21T22:14:03")));
        assertThat(isLasting(tell(List.of()).getFirst())).isFalse();
        now = NOW.plusSeconds(5);
        assertThat(isLasting(tell(List.of()).getFirst())).isFalse();
        now = NOW.plusSeconds(7);
        assertThat(isLasting(tell(List.of()).getFirst())).isTrue();
        // Killed, it has forgotten the end, and finds later that nothing runs there; the next end is another one.
        assertThat(told(row("R", "None", 0, 0, "west-a-1")).status()).isInstanceOf(Status.Allocated.class);
        book.needed(List.of());
        book.ended("12", Optional.of(detail("COMPLETED", 0, "0:0", "2026-11-21T22:14:03")));
        assertThat(isLasting(tell(List.of()).getFirst())).isFalse();
    }

    private static boolean isLasting(ForeignJob job) {
        return job.status() instanceof Status.Ended end && end.lasting();
    }

    @Test
    void aRunWithAnotherBeginningIsAnotherRun() {
        told(row("R", "None", 0, 0, "west-a-1"));
        SlurmJob next = starting(NOW.plusSeconds(4), "west-a-2");
        assertThat(told(next).status()).isEqualTo(new Status.Allocated(List.of("n2"), 0, NOW.plusSeconds(4)));
        // On nodes that are not the head's: not the run that was told before.
        assertThat(told(starting(NOW.plusSeconds(9), "onprem1")).status())
                .isEqualTo(new Status.Allocated(List.of(), 0, NOW.plusSeconds(9)));
    }

    private static SlurmJob starting(Instant start, String nodes) {
        return read(Map.of(
                "JobID", "12",
                "ArrayJobID", "12",
                "StateCompact", "R",
                "Reason", "None",
                "RestartCnt", "0",
                "SubmitTime", NOW.toString().replace("Z", ""),
                "StartTime", start.toString().replace("Z", ""),
                "NodeList", nodes));
    }

    @Test
    void anEndThatIsToldIsNotAskedForAgainAndWhatWasLeftUnaskedComesFirst() {
        SlurmJob ends = row("SO", "None", 0, 0, "west-a-1");
        told(row("R", "None", 0, 0, "west-a-1"));
        told(ends, detail("STAGE_OUT", 0, "3:0", "2026-11-21T22:14:03"));
        assertThat(book.needed(JobBook.items(List.of(ends)))).isEmpty();
        // A run more than the one whose end is told.
        assertThat(book.needed(JobBook.items(List.of(row("CG", "None", 1, 0, "west-a-1")))))
                .containsExactly("12");
        book = book(List.of("slurm:14:1", "slurm:15:1"));
        List<String> first = List.copyOf(book.needed(List.of()));
        book.ended(first.getFirst(), Optional.of(detail("RUNNING", 0, "0:0", "Unknown")));
        tell(List.of());
        assertThat(List.copyOf(book.needed(List.of()))).containsExactly(first.getLast(), first.getFirst());
        assertThat(book.isUnsure()).isTrue();
    }

    @Test
    void whoseNodesAnEndedRunHadIsTold() {
        assertThat(place(" NodeList=west-a-1 BatchHost=west-a-1")).isEqualTo(Status.Place.OURS);
        // The node's machine may have gone since: the slot is declared.
        assertThat(place(" NodeList=west-big-1")).isEqualTo(Status.Place.OURS);
        assertThat(place(" NodeList=onprem1")).isEqualTo(Status.Place.ELSEWHERE);
        assertThat(place(" NodeList=(null)")).isEqualTo(Status.Place.UNKNOWN);
        assertThat(place("")).isEqualTo(Status.Place.UNKNOWN);
        // The user's name for the job may look like that.
        assertThat(place(" NodeList=onprem1 NodeList=west-a-1")).isEqualTo(Status.Place.UNKNOWN);
    }

    private Status.Place place(String words) {
        book = book(List.of());
        told(row("R", "None", 0, 0, "west-a-1"));
        String text = DETAIL.replace("STATE", "STAGE_OUT")
                .replace("RESTARTS", "0")
                .replace("EXIT", "0:0")
                .replace("END", "2026-11-21T22:14:03")
                .replace(" NumCPUs=", words + " NumCPUs=");
        JobDetail detail = JobDetail.parse("12", text).orElseThrow();
        return told(row("SO", "None", 0, 0, "west-a-1"), detail).status() instanceof Status.Ended end
                ? end.place()
                : null;
    }

    @Test
    void oneThatHasEndedAndIsNotListedAnyMoreIsRequeuedByItsNumber() {
        String key = told(row("R", "None", 0, 0, "west-a-1")).key();
        assertThat(book.gone(List.of(key))).isEmpty();
        book.needed(List.of());
        book.ended("12", Optional.of(detail("COMPLETED", 0, "0:0", "2026-11-21T22:14:03")));
        tell(List.of());
        tell(List.of());
        assertThat(book.gone(List.of(key, "slurm:13:1"))).containsExactly("12");
        ForeignJob again = told(row("PD", "burst_buffer/lua: Stage-out in progress", 1, 5, ""));
        assertThat(again.key()).isEqualTo(key);
        assertThat(again.status()).isInstanceOf(Status.Waiting.class);
        assertThat(book.gone(List.of(key))).isEmpty();
    }

    /** A node that loses its power while the results of a job wait there takes the job out of the listing. */
    @Test
    void oneThatEndedWellAndIsNotListedAnyMoreTakesAnExitCodeByItsNumber() {
        String key = told(row("R", "None", 0, 0, "west-a-1")).key();
        assertThat(book.endedWell(List.of(key))).isEmpty();
        book.needed(List.of());
        book.ended("12", Optional.of(detail("COMPLETED", 0, "0:0", "2026-11-21T22:14:03")));
        tell(List.of());
        assertThat(book.endedWell(List.of(key, "slurm:13:1"))).isEmpty();
        tell(List.of());
        assertThat(book.endedWell(List.of(key, "slurm:13:1"))).containsExactly(12L);

        book = book(List.of());
        told(row("R", "None", 0, 0, "west-a-1"));
        book.needed(List.of());
        book.ended("12", Optional.of(detail("FAILED", 0, "7:0", "2026-11-21T22:14:03")));
        tell(List.of());
        tell(List.of());
        assertThat(book.gone(List.of(key))).containsExactly("12");
        assertThat(book.endedWell(List.of(key))).as("that is Slurm's own word").isEmpty();
    }

    @Test
    void oneWhoseResultsWillNeverComeIsRequeuedWhileSlurmWaitsForThem() {
        var wanted = new JobPlan.Wanted(Map.of(), Map.of(), Map.of(), Set.of("k"), Map.of());
        assertThat(said(row("SO", "None", 0, 0, "west-a-1"), wanted)).containsExactly(new SlurmOrder.Requeue("12"));
        assertThat(said(row("CG", "None", 0, 0, "west-a-1"), wanted)).isEmpty();
    }

    @Test
    void anAnswerOfALookThatFailedLaterIsKept() {
        told(row("R", "None", 0, 0, "west-a-1"));
        book.needed(List.of());
        book.ended("12", Optional.of(detail("COMPLETED", 0, "0:0", "2026-11-21T22:14:03")));
        assertThat(book.needed(List.of())).isEmpty();
        assertThat(tell(List.of()).getFirst().status())
                .isEqualTo(Status.Ended.somewhere(0, STARTED, 0, false, "", false));
    }
}
