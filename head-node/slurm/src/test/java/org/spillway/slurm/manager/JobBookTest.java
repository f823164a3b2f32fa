package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;

/** Jobs that are known by a key for ever, and what is told of each. */
final class JobBookTest extends JobBookScene {

    @Test
    void ranksAreInSlurmsOrderAndHalfAGangIsNone() {
        assertThat(told(row("R", "None", 0, 0, "west-a-2,west-a-1")).status())
                .isEqualTo(new Status.Allocated(List.of("n2", "n1"), 0, NOW));
        assertThat(told(row("R", "None", 1, 0, "west-a-2,onprem1")).status())
                .isEqualTo(new Status.Allocated(List.of(), 1, NOW));
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
                .isEqualTo(Status.Ended.somewhere(3, NOW, 255, false, "not known to Slurm any more", true));
        assertThat(book.needed(List.of())).isEmpty();
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
    void aJobThatWaitsForTheHeadToOpenItsPartitionIsNotHeldAndOneThatAnAdministratorKeepsIs() {
        assertThat(told(row("PD", "PartitionDown", 0, 0, "")).status()).isEqualTo(new Status.Waiting("PartitionDown"));
        shut = Set.of("elsewhere");
        assertThat(told(row("PD", "PartitionDown", 0, 0, "")).status()).isEqualTo(new Status.Waiting("PartitionDown"));
        shut = Set.of("cloud");
        assertThat(told(row("PD", "PartitionDown", 0, 0, "")).status()).isEqualTo(new Status.Held("PartitionDown"));
    }

    @Test
    void aHeadThatWasStartedAgainKnowsNothingBeforeAllItsJobsWereHeardOf() {
        book = book(List.of("slurm:12:1", "slurm:13:1"));
        assertThat(book.needed(List.of())).containsExactlyInAnyOrder("12", "13");
        book.ended("12", Optional.of(detail("FAILED", 0, "3:0", "2026-11-21T22:14:03")));
        assertThat(tell(List.of()))
                .singleElement()
                .satisfies(job ->
                        assertThat(job.status()).isEqualTo(Status.Ended.somewhere(0, STARTED, 3, false, "", false)));
        assertThat(book.isUnsure()).isTrue();
        assertThat(book.needed(List.of())).containsExactly("13");
        book.ended("13", Optional.empty());
        // Which run of it the last was, only the journal says.
        assertThat(tell(List.of())).hasSize(1);
        assertThat(book.isUnsure()).isFalse();
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
}
