package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.policy.Resources;
import org.spillway.slurm.settings.PendingReason;

/** For which jobs of Slurm nodes are bought, and of which types. */
final class JobNeedsTest extends JobBookScene {

    @Test
    void aTaskThatWaitsHasTheNameOfItsOutput() {
        assertThat(JobFacts.ofTask("/home/ann/logs/x-9_4294967294.out", 9, 3, 5))
                .isEqualTo("/home/ann/logs/x-9_5.out");
        assertThat(JobFacts.ofTask("/home/ann/slurm-9_3.out", 9, 3, 5)).isEqualTo("/home/ann/slurm-9_5.out");
        assertThat(JobFacts.ofTask("/home/ann/x-9_3.out", 9, 3, 5)).isEmpty();
    }

    @Test
    void aReasonThatNodesDoNotHelpAgainstHolds() {
        assertThat(told(row("PD", "JobHeldUser", 0, 0, "")).status()).isEqualTo(new Status.Held("JobHeldUser"));
        assertThat(told(row("PD", "BeginTime", 0, 0, "")).status()).isEqualTo(new Status.Held("BeginTime"));
        assertThat(told(row("PD", "Priority", 0, 0, "")).status()).isEqualTo(new Status.Waiting("Priority"));
        assertThat(told(row("PD", "PartitionConfig", 0, 0, "")).status()).isInstanceOf(Status.Waiting.class);
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
                "ReqNodes=west-a-2,west-big-1",
                "ReqNodes=onprem1",
                "ReqNodes=west-a-[",
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

    @Test
    void namedNodesAreOfTheirTypeAndAreNotBoughtWhileOthersHaveThem() {
        assertThat(types("ReqNodes=west-a-2")).containsExactly("west/a");
        assertThat(types("ReqNodes=west-a-[1-2]")).containsExactly("west/a");
        book = book(List.of());
        engaged.add("west-a-2");
        assertThat(told(asking("ReqNodes=west-a-1")).status()).isInstanceOf(Status.Waiting.class);
        book = book(List.of());
        assertThat(told(asking("ReqNodes=west-a-[1-2]")).status())
                .isEqualTo(
                        new Status.Held("it waits for west-a-2, which has other jobs or is kept from jobs: no node is"
                                + " bought meanwhile"));
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
}
