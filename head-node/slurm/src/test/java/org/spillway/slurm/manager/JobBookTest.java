package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.head.workload.WorkloadUnavailable;
import org.spillway.policy.Resources;
import org.spillway.slurm.settings.PendingReason;
import org.spillway.slurm.settings.PendingReasons;

/** Jobs keep their keys and are told until their end is known, whatever Slurm makes of them. */
final class JobBookTest {
    private static final Instant NOW = Instant.parse("2026-11-21T22:30:00Z");
    private static final Instant STARTED = Instant.parse("2026-11-21T22:14:01Z");
    private static final String DETAIL = "JobId=12 JobName=x y UserId=cloudsdk(1000)"
            + " GroupId=cloudsdk(1000) MCS_label=N/A Priority=1 JobState=STATE Reason=None Dependency=(null) Requeue=1"
            + " Restarts=RESTARTS BatchFlag=1 Reboot=0 ExitCode=EXIT RunTime=00:00:00 TimeLimit=00:10:00"
            + " StartTime=2026-11-21T22:14:01 EndTime=END Partition=cloud NumCPUs=1 MinCPUsNode=1 MinMemoryCPU=500M Command=(null)"
            + " WorkDir=/home/a b/jobs AdminComment=spillway: y StdErr=/home/a b/jobs/slurm-12.out StdIn=/dev/null"
            + " StdOut=/home/a b/jobs/slurm-12.out Power= ";

    private final Map<Long, String> lines = new HashMap<>();
    private final Map<String, Integer> licences = new HashMap<>();
    private final Map<String, PendingReason> moved = new HashMap<>();
    private Set<String> up = Set.of();
    private final Map<String, String> nodes = Map.of("west-a-1", "n1", "west-a-2", "n2");
    private JobBook book = book(List.of());
    private Instant now = NOW;

    private static JobBook book(List<String> known) {
        return new JobBook(partitions(), uid -> Optional.of("u" + uid), known);
    }

    private static Partitions partitions() {
        var queue = new HeadConfig.Queue("cloud", List.of("east", "west"), Duration.ofHours(8), true);
        return new Partitions(List.of(queue), Set.of("west", "east"));
    }

    @Test
    void aDetailIsRead() {
        JobDetail detail = detail("COMPLETED", 1, "3:0", "2026-11-21T22:14:03");
        assertThat(detail.id()).isEqualTo(12);
        assertThat(detail.files().folder()).isEqualTo("/home/a b/jobs");
        assertThat(detail.files().stdout()).isEqualTo("/home/a b/jobs/slurm-12.out");
        assertThat(detail.asked().perCpu()).isTrue();
        assertThat(detail.asked().staging()).isFalse();
        assertThat(detail.exitCode()).isEqualTo(3);
        assertThat(detail.clear()).isTrue();
        assertThat(detail.name()).isEqualTo("x y");
    }

    @Test
    void whatItsOwnerMayHaveForgedIsNoAnswer() {
        List<String> forged = List.of(
                DETAIL.replace("x y", "x UserId=u(1) JobState=RUNNING Restarts=0"),
                DETAIL.replace("x y", "x JobState=RUNNING"),
                DETAIL.replace("WorkDir=/home/a b/jobs", "WorkDir=/a UserId=u(1) JobState=RUNNING Command=/a"),
                DETAIL.replace("x y", "x MinMemoryNode=1"),
                DETAIL.replace("x y", "x\nJobId=13 JobName=y"),
                DETAIL.replace("x y", "x\nJobId=12 JobName=y"));
        assertThat(forged)
                .allSatisfy(answer -> assertThat(
                                JobDetail.parse("12", answer).orElseThrow().clear())
                        .isFalse());
        assertThat(JobDetail.parse("13", DETAIL)).isEmpty();
    }

    @Test
    void ofAnArraysTasksTheOneThatWasAskedForIsRead() {
        String rest = DETAIL.substring(DETAIL.indexOf(" JobName"));
        String answer = "JobId=25 ArrayJobId=20 ArrayTaskId=4 ArrayTaskThrottle=2" + rest + "\nJobId=20 ArrayJobId=20"
                + " ArrayTaskId=5-9%2 ArrayTaskThrottle=2" + rest.replace("x y", "other");
        assertThat(JobDetail.parse("20", answer).orElseThrow().name()).isEqualTo("other");
        assertThat(JobDetail.parse("20_7", answer).orElseThrow().name()).isEqualTo("other");
        assertThat(JobDetail.parse("20_4", answer).orElseThrow().id()).isEqualTo(25);
        assertThat(JobDetail.parse("20_4", answer).orElseThrow().throttle()).contains(2);
        assertThat(JobDetail.parse("20_3", answer)).isEmpty();
    }

    @Test
    void onlyAnAnswerThatSaysSoMeansThatAJobIsGone() throws WorkloadUnavailable {
        assertThat(SlurmCommands.detail("8_9", 0, "Job 8_9 not found\n", "")).isEmpty();
        assertThat(SlurmCommands.detail("8", 1, "", "slurm_load_jobs error: Invalid job id specified"))
                .isEmpty();
        assertThat(SlurmCommands.detail("12", 0, DETAIL, "")).isPresent();
        for (String odd : List.of("", "No jobs in the system", "Job 7_9 not found")) {
            assertThatThrownBy(() -> SlurmCommands.detail("8_9", 0, odd, "ended with 0"))
                    .isInstanceOf(WorkloadUnavailable.class);
        }
    }

    @Test
    void aJobThatCanNeverBeTakenOverIsEndedWithASentence() {
        JobDetail root = JobDetail.parse(
                        "12", DETAIL.replace("/home/a b/jobs", "/").replace("STATE", "PENDING"))
                .orElseThrow();
        SlurmJob row = row("R", "None", 0, 0, "west-a-1");
        assertThat(tell(List.of(row), root)).isEmpty();
        assertThat(book.refused().values())
                .singleElement()
                .asString()
                .contains("the job's folder must be an absolute path other than /");
        assertThat(orders(row)).last().isEqualTo(new SlurmOrder.Cancel("12"));
        // The job has nodes that are none of ours, or may run elsewhere yet.
        tell(List.of(row("R", "None", 0, 0, "onprem1")), root);
        assertThat(book.refused()).isEmpty();
        book = new JobBook(partitions(), uid -> Optional.empty(), List.of());
        tell(List.of(row("PD", "Resources", 0, 0, "")), detail("PENDING", 0, "0:0", "Unknown"));
        assertThat(book.refused().values()).containsExactly("cloud nodes do not know the user with uid 1000");
        book = book(List.of());
        tell(
                List.of(row),
                JobDetail.parse("12", DETAIL.replace("x y", "x JobState=RUNNING"))
                        .orElseThrow());
        assertThat(book.refused()).hasSize(1);
        // The job waits for its lines; when it does not wait any more they will never come.
        book = book(List.of());
        JobDetail staging = JobDetail.parse("12", DETAIL.replace("StdErr=", "BurstBuffer=#SPILLWAY in=data StdErr="))
                .orElseThrow();
        tell(List.of(row("PD", "BurstBufferStageIn", 0, 0, "")), staging);
        assertThat(book.refused()).isEmpty();
        tell(List.of(row), staging);
        assertThat(orders(row)).hasSize(2).first().isInstanceOf(SlurmOrder.Comment.class);
    }

    private List<SlurmOrder> orders(SlurmJob row) {
        var nothing = new JobPlan.Wanted(Map.of(), Map.of(), Map.of(), Set.of());
        return JobPlan.of(
                book.listed(JobBook.items(List.of(row)), Map.of()),
                nothing.refusing(book.refused()),
                Map.of(),
                Set.of("cloud"),
                NOW);
    }

    @Test
    void aForgedNameOfARunKeepsNothing() {
        JobDetail forged = JobDetail.parse("12", DETAIL.replace("x y", "x JobState=RUNNING"))
                .orElseThrow();
        told(row("R", "None", 1, 0, "west-a-1"));
        assertThat(told(row("SO", "None", 1, 0, "west-a-1"), forged).status())
                .isInstanceOfSatisfying(
                        Status.Ended.class, end -> assertThat(end.restarts()).isEqualTo(1));
        book = book(List.of());
        told(row("PD", "Resources", 0, 0, ""));
        book.needed(List.of());
        book.ended("12", Optional.of(forged));
        assertThat(tell(List.of())).isEmpty();
    }

    @Test
    void whetherARunWasBrokenOffIsNotDecidedByClocks() {
        told(row("R", "None", 1, 0, "west-a-1"));
        // slurmctld's clock is ahead.
        assertThat(told(row("CG", "None", 1, 0, "west-a-1"), detail("COMPLETING", 1, "1:0", "2026-11-21T22:31:00"))
                        .status())
                .isEqualTo(new Status.Ended(1, STARTED, 1, false, "", false));
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
    void ranksAreInSlurmsOrderAndHalfAGangIsNone() {
        assertThat(told(row("R", "None", 0, 0, "west-a-2,west-a-1")).status())
                .isEqualTo(new Status.Allocated(List.of("n2", "n1"), 0, NOW));
        assertThat(told(row("R", "None", 1, 0, "west-a-2,onprem1")).status())
                .isEqualTo(new Status.Allocated(List.of(), 1, NOW));
    }

    @Test
    void aReasonThatNodesDoNotHelpAgainstHolds() {
        assertThat(told(row("PD", "JobHeldUser", 0, 0, "")).status()).isEqualTo(new Status.Held("JobHeldUser"));
        assertThat(told(row("PD", "BeginTime", 0, 0, "")).status()).isEqualTo(new Status.Held("BeginTime"));
        assertThat(told(row("PD", "Priority", 0, 0, "")).status()).isEqualTo(new Status.Waiting("Priority"));
        assertThat(told(row("PD", "PartitionConfig", 0, 0, "")).status()).isInstanceOf(Status.Waiting.class);
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
                .isEqualTo(new Status.Ended(0, STARTED, 143, true, "", false));
        assertThat(told(row("SO", "None", 2, 0, "west-a-1"), detail("STAGE_OUT", 2, "3:0", "2026-11-21T22:14:03"))
                        .status())
                .isEqualTo(new Status.Ended(2, STARTED, 3, false, "", false));
        // The job's limit of ten minutes was over, which ends it by SIGTERM too.
        assertThat(told(row("SO", "None", 3, 0, "west-a-1"), detail("STAGE_OUT", 3, "0:15", "2026-11-21T22:24:05"))
                        .status())
                .isEqualTo(new Status.Ended(3, STARTED, 143, false, "its time limit was reached", false));
    }

    @Test
    void aJobThatIsNotListedAnyMoreIsAskedForAndKeptUntilThereIsAnAnswer() {
        told(row("R", "None", 3, 0, "west-a-1"));
        assertThat(book.needed(List.of())).containsExactly("12");
        // Slurm knows it, and it has not ended: its row could not be read.
        book.ended("12", Optional.of(detail("RUNNING", 3, "0:0", "Unknown")));
        assertThat(tell(List.of()).getFirst().status()).isEqualTo(new Status.Allocated(List.of("n1"), 3, NOW));
        book.needed(List.of());
        assertThat(tell(List.of()).getFirst().status()).isInstanceOf(Status.Allocated.class);
        book.ended("12", Optional.empty());
        assertThat(tell(List.of()).getFirst().status())
                .isEqualTo(new Status.Ended(3, NOW, 255, false, "not known to Slurm any more", true));
        assertThat(book.needed(List.of())).isEmpty();
    }

    @Test
    void aJobThatItsUserTakesElsewhereWaitsForNothingOfOurs() {
        told(row("PD", "Resources", 0, 0, ""));
        String elsewhere = DETAIL.replace("Partition=cloud", "Partition=onprem").replace("RESTARTS", "0");
        book.needed(List.of());
        book.ended("12", JobDetail.parse("12", elsewhere.replace("STATE", "PENDING")));
        assertThat(tell(List.of()).getFirst().status()).isInstanceOf(Status.Held.class);
        book.needed(List.of());
        book.ended("12", JobDetail.parse("12", elsewhere.replace("STATE", "RUNNING")));
        assertThat(tell(List.of()).getFirst().status())
                .isInstanceOfSatisfying(
                        Status.Allocated.class, run -> assertThat(run.nodes()).isEmpty());
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
    void aNumberThatAForgottenJobHadIsAnotherJobs() {
        String forgotten = told(row("R", "None", 0, 0, "west-a-1")).key();
        List<ForeignJob> jobs = tell(List.of(row("PD", "Resources", 0, 9, "")), detail("PENDING", 0, "0:0", "Unknown"));
        assertThat(jobs).singleElement().satisfies(job -> {
            assertThat(job.key()).isNotEqualTo(forgotten);
            assertThat(job.status()).isEqualTo(new Status.Waiting("Resources"));
        });
    }

    @Test
    void aHeadThatWasStartedAgainKnowsNothingBeforeAllItsJobsWereHeardOf() {
        book = book(List.of("slurm:12:1", "slurm:13:1"));
        assertThat(book.needed(List.of())).containsExactlyInAnyOrder("12", "13");
        book.ended("12", Optional.of(detail("FAILED", 0, "3:0", "2026-11-21T22:14:03")));
        assertThat(tell(List.of()))
                .singleElement()
                .satisfies(
                        job -> assertThat(job.status()).isEqualTo(new Status.Ended(0, STARTED, 3, false, "", false)));
        assertThat(book.isUnsure()).isTrue();
        assertThat(book.needed(List.of())).containsExactly("13");
        book.ended("13", Optional.empty());
        // Which run of it the last was, only the journal says.
        assertThat(tell(List.of())).hasSize(1);
        assertThat(book.isUnsure()).isFalse();
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

    @Test
    void oneWhoseResultsWillNeverComeIsRequeuedWhileSlurmWaitsForThem() {
        var wanted = new JobPlan.Wanted(Map.of(), Map.of(), Map.of(), Set.of("k"));
        assertThat(said(row("SO", "None", 0, 0, "west-a-1"), wanted)).containsExactly(new SlurmOrder.Requeue("12"));
        assertThat(said(row("CG", "None", 0, 0, "west-a-1"), wanted)).isEmpty();
    }

    @Test
    void anAnswerOfALookThatFailedLaterIsKept() {
        told(row("R", "None", 0, 0, "west-a-1"));
        book.needed(List.of());
        book.ended("12", Optional.of(detail("COMPLETED", 0, "0:0", "2026-11-21T22:14:03")));
        assertThat(book.needed(List.of())).isEmpty();
        assertThat(tell(List.of()).getFirst().status()).isEqualTo(new Status.Ended(0, STARTED, 0, false, "", false));
    }

    @Test
    void linesAreReadOnce() {
        SlurmJob row = row("PD", "BurstBufferStageIn", 0, 0, "");
        JobDetail detail = JobDetail.parse(
                        "12",
                        DETAIL.replace("STATE", "PENDING").replace("StdErr=", "BurstBuffer=#SPILLWAY in=data StdErr="))
                .orElseThrow();
        lines.put(12L, "#SPILLWAY in=data out=results");
        var read = tell(List.of(row), detail).getFirst().facts().data();
        assertThat(tell(List.of(row)).getFirst().facts().data()).isSameAs(read);
        lines.put(12L, "#SPILLWAY in=other");
        assertThat(tell(List.of(row)).getFirst().facts().data().inputs()).isNotEqualTo(read.inputs());
    }

    @Test
    void noUserFillsTheMemoryWithLines() {
        var kept = new LineStore();
        kept.seen(Map.of(1L, 7L, 2L, 7L, 3L, 8L), NOW);
        String most = "x".repeat((int) LineStore.MOST_BYTES_OF_A_USER - 1000);
        assertThat(kept.put(1, most, NOW)).isEqualTo(new LineStore.Put.Stored(true));
        assertThat(kept.put(1, most, NOW)).isEqualTo(new LineStore.Put.Stored(false));
        assertThat(kept.put(2, "y".repeat(2000), NOW)).isInstanceOf(LineStore.Put.Full.class);
        assertThat(kept.roomless())
                .containsOnlyKeys(2L)
                .hasEntrySatisfying(2L, why -> assertThat(why).contains("of this user's waiting jobs take 8 MiB"));
        assertThat(kept.put(3, "y".repeat(2000), NOW)).isEqualTo(new LineStore.Put.Stored(true));
        // Whose job it is, is not known yet.
        assertThat(kept.put(4, "z".repeat(2000), NOW)).isEqualTo(new LineStore.Put.Stored(true));
        assertThat(kept.texts()).containsOnlyKeys(1L, 3L, 4L);
        kept.seen(Map.of(2L, 7L), NOW.plusSeconds(61));
        assertThat(kept.texts()).isEmpty();
        assertThat(kept.put(2, "y".repeat(2000), NOW)).isEqualTo(new LineStore.Put.Stored(true));
        assertThat(kept.roomless()).isEmpty();
        Map<Long, Long> users = new HashMap<>();
        for (long job = 10; job < 30; job++) {
            users.put(job, job);
        }
        kept.seen(users, NOW);
        int taken = 0;
        for (long job = 10; job < 30; job++) {
            taken += kept.put(job, most, NOW) instanceof LineStore.Put.Stored ? 1 : 0;
        }
        assertThat(taken).isEqualTo(8);
    }

    @Test
    void aJobWithLinesIsToldWhenTheyAreKnown() {
        SlurmJob row = row("PD", "BurstBufferStageIn", 0, 0, "");
        JobDetail detail = JobDetail.parse(
                        "12",
                        DETAIL.replace("STATE", "PENDING").replace("StdErr=", "BurstBuffer=#SPILLWAY in=data StdErr="))
                .orElseThrow();
        assertThat(detail.asked().staging()).isTrue();
        assertThat(tell(List.of(row), detail)).isEmpty();
        lines.put(12L, "#SPILLWAY in=data out=results");
        ForeignJob job = tell(List.of(row), detail).getFirst();
        assertThat(job.facts().data().inputs()).hasSize(1);
        assertThat(job.facts().data().outputs()).hasSize(2);
        assertThat(job.facts().sites()).containsExactly("east", "west");
    }

    @Test
    void nothingIsToldThatWasNotAskedFor() {
        assertThat(tell(List.of(row("PD", "Resources", 0, 0, "")))).isEmpty();
    }

    @Test
    void eachTaskOfAnArrayIsAJobThatKeepsItsKeyWhenSlurmGivesItAnId() {
        SlurmJob array = array(20, 20, "1-3,9", "PD", "");
        assertThat(JobBook.items(List.of(array)))
                .extracting(JobBook.Item::number)
                .containsExactly("20_1", "20_2", "20_3", "20_9");
        assertThat(JobBook.items(List.of(array))).allMatch(item -> item.asked().equals("20_1"));
        List<ForeignJob> waiting =
                tell(List.of(array), JobDetail.parse("12", DETAIL).orElseThrow());
        String key = waiting.get(2).key();
        List<ForeignJob> split = tell(
                List.of(array(20, 20, "1-2,9", "PD", ""), array(23, 20, "3", "R", "west-a-1")),
                JobDetail.parse("12", DETAIL).orElseThrow());
        assertThat(split)
                .hasSize(4)
                .filteredOn(job -> job.key().equals(key))
                .singleElement()
                .satisfies(job -> {
                    assertThat(job.number()).isEqualTo("23");
                    assertThat(job.status()).isInstanceOf(Status.Allocated.class);
                });
        assertThat(JobBook.items(List.of(array(20, 20, "0-99999", "PD", "")))).hasSize(JobBook.MOST_TASKS);
    }

    @Test
    void nothingIsBoughtForTasksBeyondWhatMayRunAtOnce() {
        JobDetail detail = JobDetail.parse("12", DETAIL).orElseThrow();
        List<SlurmJob> rows = List.of(
                array(20, 20, "1-8%3", "PD", ""), array(29, 20, "9", "R", "west-a-1"), array(30, 30, "1-4", "PD", ""));
        List<ForeignJob> jobs = tell(rows, detail);
        assertThat(jobs)
                .filteredOn(job -> job.status() instanceof Status.Waiting)
                .extracting(ForeignJob::number)
                .containsExactly("20_1", "20_2", "30_1", "30_2", "30_3", "30_4");
        assertThat(jobs)
                .filteredOn(job -> job.status().equals(new Status.Held("JobArrayTaskLimit")))
                .hasSize(6);
        // Tasks with ids of their own do not say it in their rows.
        book = book(List.of());
        JobDetail throttled = JobDetail.parse(
                        "41",
                        "JobId=41 ArrayJobId=40 ArrayTaskId=1 ArrayTaskThrottle=1"
                                + DETAIL.substring(DETAIL.indexOf(" JobName")))
                .orElseThrow();
        assertThat(tell(List.of(array(41, 40, "1", "PD", ""), array(42, 40, "2", "PD", "")), throttled))
                .extracting(ForeignJob::status)
                .containsExactly(new Status.Waiting("Resources"), new Status.Held("JobArrayTaskLimit"));
    }

    @Test
    void nothingIsBoughtForWhatNoNewNodeCanBe() {
        for (String odd : List.of(
                "ReqNodes=west-a-2",
                "Reservation=mine",
                "Licenses=matlab:2",
                "Licenses=a|b",
                "Feature=nowhere",
                "Feature=west&east",
                "Feature=west&gpu|east",
                "Feature=west*2")) {
            book = book(List.of());
            assertThat(told(asking(odd)).status()).as(odd).isInstanceOf(Status.Held.class);
        }
        for (String usual :
                List.of("Feature=west", "Feature=west&gpu", "Feature=(west&gpu)|east", "OverSubscribe=OK")) {
            book = book(List.of());
            assertThat(told(asking(usual)).status()).as(usual).isInstanceOf(Status.Waiting.class);
        }
    }

    @Test
    void featuresAndExcludedNodesAndWholeNodesNameTypes() {
        assertThat(types("Feature=west")).containsExactly("west/a", "west/big");
        assertThat(types("Feature=gpu|east")).containsExactly("east/a", "west/big");
        // All nodes of a job take the same way, and this one has two.
        assertThat(types("Feature=[gpu|east]")).containsExactly("west/big");
        assertThat(types("OverSubscribe=OK")).isEmpty();
        book = book(List.of());
        var detail = JobDetail.parse(
                        "12",
                        DETAIL.replace("MCS_label", "ExcNodeList=west-a-1 MCS_label")
                                .replace("STATE", "PENDING"))
                .orElseThrow();
        ForeignJob excluding = told(asking("OverSubscribe=OK"), detail);
        assertThat(excluding.facts().need().types()).containsExactly("east/a", "west/big");
        book = book(List.of());
        ForeignJob alone = told(asking("OverSubscribe=NO"));
        assertThat(alone.status()).isInstanceOf(Status.Waiting.class);
        // The job asks for two GPUs on each node, which the smaller types have not.
        assertThat(alone.facts().need().types()).containsExactly("west/big");
        assertThat(alone.facts().need().whole()).isTrue();
        assertThat(alone.facts().need().perNode()).isEqualTo(new Resources(32, 64L << 30, 4, "h100", 0));
    }

    private List<String> types(String option) {
        book = book(List.of());
        return told(asking(option)).facts().need().types();
    }

    @Test
    void aJobThatWaitsForALicenceBuysNothingAndTheFirstInTurnDoes() {
        licences.put("matlab", 3);
        SlurmJob last = asking("Licenses=matlab:2", 13, 10);
        SlurmJob first = asking("Licenses=matlab:2", 12, 20);
        assertThat(tell(List.of(last, first), detail("PENDING", 0, "0:0", "Unknown")))
                .extracting(ForeignJob::status)
                .containsExactly(
                        new Status.Held(
                                "it waits for 2 licences matlab, of which 1 are left: no node is bought meanwhile"),
                        new Status.Waiting("Resources"));
        licences.put("matlab", 4);
        assertThat(tell(List.of(last, first)))
                .extracting(ForeignJob::status)
                .containsOnly(new Status.Waiting("Resources"));
    }

    @Test
    void aSiteMayMeanSomethingElseByAReason() {
        SlurmJob priority = row("PD", "Priority", 0, 0, "");
        up = Set.of("cloud");
        assertThat(told(priority).status()).isEqualTo(new Status.Waiting("Priority"));
        moved.put("Priority", PendingReason.SCALES_WITHOUT_NODES);
        assertThat(told(priority).status()).isEqualTo(new Status.Held("Priority"));
        up = Set.of();
        assertThat(told(priority).status()).isEqualTo(new Status.Waiting("Priority"));
        moved.put("Priority", PendingReason.NEVER);
        assertThat(told(priority).status()).isEqualTo(new Status.Held("Priority"));
    }

    @Test
    void aHeterogeneousJobIsEndedAsAWhole() {
        List<SlurmJob> parts = List.of(component(70, 0), component(71, 1));
        assertThat(tell(parts, detail("PENDING", 0, "0:0", "Unknown"))).isEmpty();
        assertThat(book.refused()).hasSize(2).containsValue(JobBook.HETEROGENEOUS);
        assertThat(JobPlan.of(
                        book.listed(JobBook.items(parts), Map.of()),
                        new JobPlan.Wanted(Map.of(), Map.of(), Map.of(), Set.of()).refusing(book.refused()),
                        Map.of(),
                        Set.of(),
                        NOW))
                .containsExactly(
                        new SlurmOrder.Comment("70", JobBook.HETEROGENEOUS),
                        new SlurmOrder.Cancel("70"),
                        new SlurmOrder.Comment("71", JobBook.HETEROGENEOUS));
    }

    private static SlurmJob component(long id, int offset) {
        return read(Map.of(
                "JobID",
                Long.toString(id),
                "ArrayJobID",
                Long.toString(id),
                "HetJobID",
                "70",
                "HetJobOffset",
                Integer.toString(offset),
                "StateCompact",
                "PD",
                "Reason",
                "Resources",
                "RestartCnt",
                "0",
                "SubmitTime",
                NOW.toString().replace("Z", ""),
                "NodeList",
                ""));
    }

    @Test
    void whatEveryUserMayReadNamesNoFile() {
        assertThat(Aloud.of("its input cannot be staged: /home/ann/my secret.csv: there is no such file"))
                .isEqualTo("its input cannot be staged: 'spillway explain' says why");
        assertThat(Aloud.of("its folder is not on this image: mkdir: /home/ann/x: denied"))
                .isEqualTo("its folder is not on this image: mkdir: (a path): denied");
        String quota =
                "its input cannot be staged: its 5 bytes are more than the 4 that one user's jobs may have in a site's"
                        + " staging space (staging.perUser)";
        assertThat(Aloud.of(quota)).isEqualTo(quota);
        String plain = "its node is on the way: zone-a/large in site west, 40 % of 120 MB";
        assertThat(Aloud.of(plain)).isEqualTo(plain);
    }

    private static List<DeclaredType> declared() {
        return List.of(
                new DeclaredType(
                        "west",
                        "a",
                        Set.of("west", "a"),
                        new Resources(8, 16L << 30, 0, "", 0),
                        Set.of("west-a-1", "west-a-2")),
                new DeclaredType(
                        "west",
                        "big",
                        Set.of("west", "gpu"),
                        new Resources(32, 64L << 30, 4, "h100", 0),
                        Set.of("west-big-1")),
                new DeclaredType(
                        "east", "a", Set.of("east"), new Resources(8, 16L << 30, 0, "", 0), Set.of("east-a-1")));
    }

    private static SlurmJob asking(String option) {
        return asking(option, 12, 10);
    }

    private static SlurmJob asking(String option, long id, long priority) {
        Map<String, String> columns = new HashMap<>(Map.of(
                "JobID",
                Long.toString(id),
                "ArrayJobID",
                Long.toString(id),
                "PriorityLong",
                Long.toString(priority),
                "StateCompact",
                "PD",
                "Reason",
                "Resources",
                "RestartCnt",
                "0",
                "SubmitTime",
                NOW.toString().replace("Z", ""),
                "NodeList",
                ""));
        int at = option.indexOf('=');
        columns.put(option.substring(0, at), option.substring(at + 1));
        return read(columns);
    }

    @Test
    void jobsThatSitOnNodesAreAskedForFirst() {
        var items = JobBook.items(List.of(array(50, 50, "1-2", "PD", ""), row("R", "None", 0, 0, "west-a-1")));
        assertThat(List.copyOf(book.wanted(items))).containsExactly("12", "50_1");
    }

    @Test
    void whatANodeMustHaveIsCountedForANode() {
        SlurmJob row = row("PD", "Resources", 0, 0, "");
        assertThat(JobFacts.perNode(row, false).memoryBytes()).isEqualTo(500L << 20);
        assertThat(JobFacts.perNode(row, true).memoryBytes()).isEqualTo(8 * (500L << 20));
        assertThat(JobFacts.perNode(row, true).cpus()).isEqualTo(8);
        assertThat(JobFacts.perNode(row, true).gpus()).isEqualTo(2);
        assertThat(JobFacts.perNode(row, true).gpuModel()).isEqualTo("h100");
    }

    @Test
    void whatHasToBeSaidOfJobs() {
        SlurmJob row = row("PD", "BeginTime", 1, 0, "");
        var listed = List.of(new JobPlan.Listed("k", "12", "12", row));
        var wanted = new JobPlan.Wanted(Map.of("k", "west"), Map.of("k", "waits\n\"here\""), Map.of(), Set.of());
        assertThat(JobPlan.of(listed, wanted, Map.of(), Set.of("west", "cloud"), NOW))
                .containsExactly(
                        new SlurmOrder.Narrow("12", "west"),
                        new SlurmOrder.StartAgain("12"),
                        new SlurmOrder.Comment("12", "waits .here."));
        assertThat(JobPlan.of(listed, wanted, Map.of("12", "waits .here."), Set.of("cloud"), NOW))
                .containsExactly(new SlurmOrder.StartAgain("12"));
        var ends = new JobPlan.Wanted(Map.of("k", "west"), Map.of("k", "waits"), Map.of("k", "no budget"), Set.of());
        assertThat(JobPlan.of(listed, ends, Map.of(), Set.of("west"), NOW))
                .containsExactly(new SlurmOrder.Comment("12", "no budget"), new SlurmOrder.Cancel("12"));
        assertThat(SlurmOrder.clean("x".repeat(900))).hasSize(400);
    }

    @Test
    void aRequeuedJobIsToldOnceToStartAndNotInTheSecondInWhichItsLastRunEnded() {
        var wanted = new JobPlan.Wanted(Map.of(), Map.of(), Map.of(), Set.of());
        assertThat(said(eligible("BeginTime", NOW.plusSeconds(121)), wanted))
                .containsExactly(new SlurmOrder.StartAgain("12"));
        assertThat(new SlurmOrder.StartAgain("12").arguments())
                .containsExactly("scontrol", "update", "jobid=12", "starttime=now+5");
        assertThat(said(eligible("BeginTime", NOW.plusSeconds(1)), wanted)).isEmpty();
        assertThat(said(eligible("Resources", NOW.plusSeconds(121)), wanted)).isEmpty();
    }

    @Test
    void theTaskThatHasItsArraysNumberIsEndedAlone() {
        var ends = new JobPlan.Wanted(Map.of(), Map.of(), Map.of("k", "no budget"), Set.of());
        var last = new JobPlan.Listed("k", "7", "7", array(7, 7, "4", "R", "west-a-1"));
        assertThat(JobPlan.of(List.of(last), ends, Map.of("7", "no budget"), Set.of(), NOW))
                .containsExactly(new SlurmOrder.Cancel("7_4"));
        var other = new JobPlan.Listed("k", "14", "14", array(14, 7, "1", "R", "west-a-1"));
        assertThat(JobPlan.of(List.of(other), ends, Map.of("14", "no budget"), Set.of(), NOW))
                .containsExactly(new SlurmOrder.Cancel("14"));
    }

    private static List<SlurmOrder> said(SlurmJob row, JobPlan.Wanted wanted) {
        return JobPlan.of(List.of(new JobPlan.Listed("k", "12", "12", row)), wanted, Map.of(), Set.of(), NOW);
    }

    private static SlurmJob eligible(String reason, Instant at) {
        return read(Map.of(
                "JobID", "12",
                "ArrayJobID", "12",
                "StateCompact", "PD",
                "Reason", reason,
                "RestartCnt", "1",
                "SubmitTime", NOW.toString().replace("Z", ""),
                "EligibleTime", at.toString().replace("Z", ""),
                "NodeList", ""));
    }

    private static JobDetail detail(String state, int restarts, String exit, String end) {
        return JobDetail.parse(
                        "12",
                        DETAIL.replace("STATE", state)
                                .replace("RESTARTS", Integer.toString(restarts))
                                .replace("EXIT", exit)
                                .replace("END", end))
                .orElseThrow();
    }

    private ForeignJob told(SlurmJob row) {
        return told(row, detail("PENDING", 0, "0:0", "Unknown"));
    }

    private ForeignJob told(SlurmJob row, JobDetail detail) {
        return tell(List.of(row), detail).getLast();
    }

    private List<ForeignJob> tell(List<SlurmJob> rows, JobDetail detail) {
        List<JobBook.Item> items = JobBook.items(rows);
        book.needed(items).forEach(target -> book.ended(target, Optional.of(detail)));
        book.wanted(items).forEach(target -> book.answered(target, detail, items));
        return jobs(items);
    }

    private List<ForeignJob> tell(List<SlurmJob> rows) {
        return jobs(JobBook.items(rows));
    }

    private List<ForeignJob> jobs(List<JobBook.Item> items) {
        return book.jobs(
                items,
                new JobBook.Circumstances(nodes, up, lines, declared(), licences, new PendingReasons(moved)),
                now);
    }

    static SlurmJob row(String state, String reason, int restarts, int later, String nodes) {
        return read(Map.of(
                "JobID",
                "12",
                "ArrayJobID",
                "12",
                "StateCompact",
                state,
                "Reason",
                reason,
                "RestartCnt",
                Integer.toString(restarts),
                "SubmitTime",
                NOW.plusSeconds(later).toString().replace("Z", ""),
                "NodeList",
                nodes));
    }

    private static SlurmJob array(long id, long array, String indices, String state, String nodes) {
        return read(Map.of(
                "JobID",
                Long.toString(id),
                "ArrayJobID",
                Long.toString(array),
                "ArrayTaskID",
                indices,
                "StateCompact",
                state,
                "Reason",
                "Resources",
                "RestartCnt",
                "0",
                "SubmitTime",
                NOW.toString().replace("Z", ""),
                "NodeList",
                nodes));
    }

    private static SlurmJob read(Map<String, String> given) {
        Map<String, String> usual = Map.ofEntries(
                Map.entry("ArrayTaskID", "N/A"),
                Map.entry("HetJobID", "N/A"),
                Map.entry("HetJobOffset", "N/A"),
                Map.entry("Partition", "cloud"),
                Map.entry("NumNodes", "2"),
                Map.entry("MaxNodes", "2"),
                Map.entry("NumTasks", "16"),
                Map.entry("NumCPUs", "16"),
                Map.entry("cpus-per-task", "1"),
                Map.entry("MinMemory", "500M"),
                Map.entry("tres-per-node", "gres:gpu:h100:2"),
                Map.entry("TimeLimit", "10:00"),
                Map.entry("PriorityLong", "4294901759"),
                Map.entry("UserID", "1000"),
                Map.entry("GroupID", "1000"),
                Map.entry("OverSubscribe", "OK"),
                Map.entry("Requeue", "1"),
                Map.entry("ReqNodes", ""),
                Map.entry("EligibleTime", "N/A"),
                Map.entry("StartTime", NOW.toString().replace("Z", "")));
        List<String> columns = new ArrayList<>();
        for (String field : SlurmJob.FIELDS) {
            columns.add(given.getOrDefault(field, usual.getOrDefault(field, "(null)")));
        }
        try {
            return SlurmJob.of(columns);
        } catch (UnreadableAnswer e) {
            throw new IllegalArgumentException(e);
        }
    }
}
