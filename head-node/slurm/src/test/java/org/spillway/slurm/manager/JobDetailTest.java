package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.head.workload.WorkloadUnavailable;

/** Details of one job by scontrol, and what may be concluded from them. */
final class JobDetailTest extends JobBookScene {

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
    void aWaitingTaskIsAskedForAmongItsArraysWhereItsOwnNumberTellsItsOwnOutput() {
        var later = new Dialect(Dialect.EACH, Dialect.EXCLUSIVE);
        assertThat(Dialect.FIRST.asked("20_4")).isEqualTo("20_4");
        assertThat(later.asked("20_4")).isEqualTo("20");
        assertThat(later.asked("25")).isEqualTo("25");
        // As 24.11 answers.
        String rest = DETAIL.substring(DETAIL.indexOf(" JobName")).replace("slurm-12.out", "a-4294967294.out");
        JobDetail together = JobDetail.parse("20_4", "JobId=20 ArrayJobId=20 ArrayTaskId=3-9" + rest)
                .orElseThrow();
        assertThat(JobFacts.ofTask(together.files().stdout(), 20, 3, 4)).endsWith("/a-4.out");
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

    @Test
    void whatANodeMustHaveIsCountedForANode() {
        SlurmJob row = row("PD", "Resources", 0, 0, "");
        assertThat(JobFacts.perNode(row, false).memoryBytes()).isEqualTo(500L << 20);
        assertThat(JobFacts.perNode(row, true).memoryBytes()).isEqualTo(8 * (500L << 20));
        assertThat(JobFacts.perNode(row, true).cpus()).isEqualTo(8);
        assertThat(JobFacts.perNode(row, true).gpus()).isEqualTo(2);
        assertThat(JobFacts.perNode(row, true).gpuModel()).isEqualTo("h100");
    }
}
