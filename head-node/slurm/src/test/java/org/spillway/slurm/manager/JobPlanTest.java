package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.head.tenant.Logins;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.Unnamed;

/** Orders to Slurm about its jobs. */
final class JobPlanTest extends JobBookScene {

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
        book = new JobBook(
                partitions(),
                new Logins(uid -> Optional.empty(), user -> Optional.empty()),
                JobFiles.of(Unnamed.LEAVE),
                List.of());
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
        var nothing = new JobPlan.Wanted(Map.of(), Map.of(), Map.of(), Set.of(), Map.of());
        return JobPlan.of(
                book.listed(JobBook.items(List.of(row)), Map.of()),
                nothing.refusing(book.refused()),
                Map.of(),
                Set.of("cloud"),
                NOW);
    }

    @Test
    void aHeterogeneousJobIsEndedAsAWhole() {
        List<SlurmJob> parts = List.of(component(70, 0), component(71, 1));
        assertThat(tell(parts, detail("PENDING", 0, "0:0", "Unknown"))).isEmpty();
        assertThat(book.refused()).hasSize(2).containsValue(Takeover.HETEROGENEOUS);
        assertThat(JobPlan.of(
                        book.listed(JobBook.items(parts), Map.of()),
                        new JobPlan.Wanted(Map.of(), Map.of(), Map.of(), Set.of(), Map.of()).refusing(book.refused()),
                        Map.of(),
                        Set.of(),
                        NOW))
                .containsExactly(
                        new SlurmOrder.Comment("70", Takeover.HETEROGENEOUS),
                        new SlurmOrder.Cancel("70"),
                        new SlurmOrder.Comment("71", Takeover.HETEROGENEOUS));
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
    void jobsThatSitOnNodesAreAskedForFirst() {
        var items = JobBook.items(List.of(array(50, 50, "1-2", "PD", ""), row("R", "None", 0, 0, "west-a-1")));
        assertThat(List.copyOf(book.wanted(items))).containsExactly("12", "50_1");
    }

    @Test
    void whatHasToBeSaidOfJobs() {
        SlurmJob row = row("PD", "BeginTime", 1, 0, "");
        var listed = List.of(new JobPlan.Listed("k", "12", "12", row));
        var wanted =
                new JobPlan.Wanted(Map.of("k", "west"), Map.of("k", "waits\n\"here\""), Map.of(), Set.of(), Map.of());
        assertThat(JobPlan.of(listed, wanted, Map.of(), Set.of("west", "cloud"), NOW))
                .containsExactly(
                        new SlurmOrder.Narrow("12", "west"),
                        new SlurmOrder.StartAgain("12"),
                        new SlurmOrder.Comment("12", "waits .here."));
        assertThat(JobPlan.of(listed, wanted, Map.of("12", "waits .here."), Set.of("cloud"), NOW))
                .containsExactly(new SlurmOrder.StartAgain("12"));
        var ends = new JobPlan.Wanted(
                Map.of("k", "west"), Map.of("k", "waits"), Map.of("k", "no budget"), Set.of(), Map.of());
        assertThat(JobPlan.of(listed, ends, Map.of(), Set.of("west"), NOW))
                .containsExactly(new SlurmOrder.Comment("12", "no budget"), new SlurmOrder.Cancel("12"));
        assertThat(SlurmOrder.clean("x".repeat(900))).hasSize(400);
    }

    @Test
    void aRequeuedJobIsToldOnceToStartAndNotInTheSecondInWhichItsLastRunEnded() {
        var wanted = new JobPlan.Wanted(Map.of(), Map.of(), Map.of(), Set.of(), Map.of());
        assertThat(said(eligible("BeginTime", NOW.plusSeconds(121)), wanted))
                .containsExactly(new SlurmOrder.StartAgain("12"));
        assertThat(new SlurmOrder.StartAgain("12").arguments())
                .containsExactly("scontrol", "update", "jobid=12", "starttime=now+5");
        assertThat(said(eligible("BeginTime", NOW.plusSeconds(1)), wanted)).isEmpty();
        assertThat(said(eligible("Resources", NOW.plusSeconds(121)), wanted)).isEmpty();
    }

    @Test
    void theTaskThatHasItsArraysNumberIsEndedAlone() {
        var ends = new JobPlan.Wanted(Map.of(), Map.of(), Map.of("k", "no budget"), Set.of(), Map.of());
        var last = new JobPlan.Listed("k", "7", "7", array(7, 7, "4", "R", "west-a-1"));
        assertThat(JobPlan.of(List.of(last), ends, Map.of("7", "no budget"), Set.of(), NOW))
                .containsExactly(new SlurmOrder.Cancel("7_4"));
        var other = new JobPlan.Listed("k", "14", "14", array(14, 7, "1", "R", "west-a-1"));
        assertThat(JobPlan.of(List.of(other), ends, Map.of("14", "no budget"), Set.of(), NOW))
                .containsExactly(new SlurmOrder.Cancel("14"));
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
}
