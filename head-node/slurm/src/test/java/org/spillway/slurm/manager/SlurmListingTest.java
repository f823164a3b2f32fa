package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.slurm.manager.SlurmListing.Licence;
import org.spillway.slurm.settings.PendingReason;
import org.spillway.slurm.settings.PendingReasons;

/** The words of Slurm 22.05.8 in the lab ({@code labs/slurm/experiments/golden.sh}) are read as they were meant. */
final class SlurmListingTest {
    private static final String NONCE = "0123456789abcdef";
    private static final long GIB = 1L << 30;

    private final String squeue = golden("22.05/squeue.txt");

    @Test
    void aGangWithEverythingIsRead() throws UnreadableAnswer {
        SlurmJob job = job(2);
        assertThat(job.partitions()).containsExactly("west");
        assertThat(job.minNodes()).isEqualTo(2);
        assertThat(job.processes()).isEqualTo(16);
        assertThat(job.cpusPerTask()).isEqualTo(4);
        assertThat(job.cpus()).isEqualTo(64);
        assertThat(job.memoryBytes()).isEqualTo(2 * GIB);
        assertThat(job.gresPerNode()).containsExactly(new Gres("gpu", "h100", 2));
        assertThat(job.features()).isEqualTo("ib&cloud");
        assertThat(job.licences()).containsExactly("matlab:2", "ansys:1");
        assertThat(job.limit()).contains(Duration.ofMinutes(10));
        assertThat(job.priority()).isEqualTo(4294901759L);
        assertThat(job.submittedAt()).isEqualTo(Instant.parse("2026-11-21T19:16:21Z"));
        assertThat(job.start()).contains(Instant.parse("2026-11-22T07:16:21Z"));
        assertThat(job.uid()).isEqualTo(65534);
        assertThat(job.requeue()).isTrue();
        assertThat(job.exclusive()).isFalse();
        assertThat(PendingReasons.STANDARD.of(job.reason())).isEqualTo(PendingReason.SCALES);
    }

    @Test
    void listsOfPartitionsRangesOfNodesAndWholeNodesAreRead() throws UnreadableAnswer {
        SlurmJob job = job(3);
        assertThat(job.partitions()).containsExactly("west", "east");
        assertThat(job.minNodes()).isEqualTo(2);
        assertThat(job.maxNodes()).isEqualTo(3);
        assertThat(job.limit()).contains(Duration.ofDays(1).plusHours(2).plusMinutes(4));
        assertThat(job.exclusive()).isTrue();
        assertThat(job.requeue()).isFalse();
        assertThat(job.memoryBytes()).isEqualTo(100 * GIB);
    }

    @Test
    void resourcesKnowWhatTheyAreCountedFor() throws UnreadableAnswer {
        assertThat(job(4).gresPerJob()).containsExactly(new Gres("gpu", "", 8));
        assertThat(job(4).features()).isEqualTo("[west|east]");
        assertThat(job(5).gresPerTask()).containsExactly(new Gres("gpu", "h100", 1));
        assertThat(job(5).account()).isEqualTo("physics");
    }

    @Test
    void anArrayIsOneRow() throws UnreadableAnswer {
        SlurmJob job = job(6);
        assertThat(job.tasks()).isEqualTo(250);
        assertThat(job.throttle()).contains(10);
        assertThat(job.limit()).isEmpty();
        assertThat(jobs().found()).filteredOn(row -> row.array() == 6).hasSize(1);
    }

    @Test
    void heterogeneousJobsAreARowForEachPart() throws UnreadableAnswer {
        assertThat(job(12).component()).contains(new SlurmJob.Component(12, 0));
        assertThat(job(13).component()).contains(new SlurmJob.Component(12, 1));
        assertThat(job(13).gresPerNode()).containsExactly(new Gres("gpu", "", 1));
        assertThat(job(2).component()).isEmpty();
    }

    @Test
    void reasonsSayWhetherNodesWouldHelp() throws UnreadableAnswer {
        assertThat(PendingReasons.STANDARD.of(job(1).reason())).isEqualTo(PendingReason.NEVER);
        assertThat(PendingReasons.STANDARD.of(job(7).reason())).isEqualTo(PendingReason.NEVER);
        assertThat(job(7).dependency()).isEqualTo("afterok:1(unfulfilled),afterany:1(unfulfilled)");
        assertThat(PendingReasons.STANDARD.of(job(8).reason())).isEqualTo(PendingReason.NEVER);
        assertThat(job(8).eligibleAt()).contains(Instant.parse("2026-11-22T19:16:21Z"));
        assertThat(PendingReasons.STANDARD.of(job(9).reason())).isEqualTo(PendingReason.NEVER);
        assertThat(job(10).reservation()).isEqualTo("course");
        assertThat(PendingReasons.STANDARD.of(job(14).reason())).isEqualTo(PendingReason.STAGING);
        assertThat(job(14).staging()).isEqualTo("pending");
        assertThat(PendingReasons.STANDARD.of(job(16).reason())).isEqualTo(PendingReason.SCALES);
    }

    @Test
    void runningJobsHaveTheirNodes() throws UnreadableAnswer {
        SlurmJob job = job(15);
        assertThat(job.isPending()).isFalse();
        assertThat(job.nodes()).isEqualTo("onprem[1-2]");
        assertThat(job(16).nodes()).isEmpty();
    }

    @Test
    void anAccountWithSeparatorAndLineBreakHidesOnlyItsOwnJob() throws UnreadableAnswer {
        assertThat(jobs().found()).hasSize(15).noneMatch(job -> job.id() == 11);
        assertThat(jobs().unread()).containsExactly("1 rows have another number of columns than was asked for");
    }

    @Test
    void aForgedRowIsNoRow() throws UnreadableAnswer {
        String forged = squeue.replace("odd", "odd\u001e0123456789abcdee\n" + squeue.substring(0, 40));
        assertThat(SlurmListing.jobs(forged, "", NONCE, Dialect.FIRST).found()).isEqualTo(jobs().found());
    }

    @Test
    void aColumnThatIsNotUnderstoodIsNamed() throws UnreadableAnswer {
        var listing = SlurmListing.jobs(squeue.replace("1-02:04:00", "soon"), "", NONCE, Dialect.FIRST);
        assertThat(listing.found()).hasSize(14).noneMatch(job -> job.id() == 3);
        assertThat(listing.unread()).contains("job 3, TimeLimit: not a time limit: soon");
    }

    @Test
    void aCutOffAnswerIsNoAnswer() {
        assertThatThrownBy(() -> SlurmListing.jobs(squeue.substring(0, squeue.length() - 30), "", NONCE, Dialect.FIRST))
                .isInstanceOf(UnreadableAnswer.class)
                .hasMessage("the answer ends within row 16");
    }

    @Test
    void aFieldThatSlurmLeavesOutIsNoAnswer() {
        assertThatThrownBy(() -> SlurmListing.jobs(
                        squeue, "squeue: error: Invalid job format specification: Requeue\n", NONCE, Dialect.FIRST))
                .isInstanceOf(UnreadableAnswer.class)
                .hasMessageContaining("Requeue");
    }

    @Test
    void anotherNonceIsAnotherAnswer() {
        assertThatThrownBy(() -> SlurmListing.jobs(squeue, "", "fedcba9876543210", Dialect.FIRST))
                .isInstanceOf(UnreadableAnswer.class);
    }

    @Test
    void noJobsAreNoJobs() throws UnreadableAnswer {
        assertThat(SlurmListing.jobs("", "", NONCE, Dialect.FIRST))
                .isEqualTo(new SlurmListing<SlurmJob>(List.of(), List.of()));
    }

    @Test
    void nodesAreOneEachWithAllTheirPartitions() throws UnreadableAnswer {
        List<SlurmNode> nodes = SlurmListing.nodes(golden("22.05/sinfo.txt"), "", NONCE);
        assertThat(nodes)
                .extracting(SlurmNode::name)
                .containsExactly("east1", "east2", "onprem1", "onprem2", "west1", "west2", "west3", "west4");
        SlurmNode east = nodes.getFirst();
        assertThat(east.partitions()).containsExactlyInAnyOrder("east", "cloud", "closed");
        assertThat(east.shut()).containsExactly("closed");
        assertThat(east.gres()).containsExactly(new Gres("gpu", "a100", 2));
        assertThat(east.features()).containsExactlyInAnyOrder("cloud", "east", "zen4");
        assertThat(east.memoryBytes()).isEqualTo(125 * GIB);
        assertThat(east.isPoweredDown()).isTrue();
        assertThat(east.isUp()).isFalse();
        assertThat(east.reason()).isEmpty();
        SlurmNode home = nodes.get(2);
        assertThat(home.partitions()).containsExactly("onprem");
        assertThat(home.allocatedCpus()).isEqualTo(4);
        assertThat(home.isUp()).isTrue();
        assertThat(home.gres()).isEmpty();
    }

    @Test
    void aNodeThatIsNotUnderstoodFailsTheListing() {
        String sinfo = golden("22.05/sinfo.txt");
        assertThatThrownBy(() -> SlurmListing.nodes(sinfo.replace("0/64/0/64", "many"), "", NONCE))
                .isInstanceOf(UnreadableAnswer.class)
                .hasMessageStartingWith("node west1, CPUsState");
    }

    @Test
    void licencesAreRead() throws UnreadableAnswer {
        assertThat(SlurmListing.licences(golden("22.05/licenses.txt")))
                .containsExactly(new Licence("ansys", 5, 5), new Licence("matlab", 10, 10));
        assertThat(SlurmListing.licences("No licenses configured in Slurm.\n")).isEmpty();
        assertThatThrownBy(() -> SlurmListing.licences("LicenseName=x Total=many"))
                .isInstanceOf(UnreadableAnswer.class);
    }

    @Test
    void theQuestionIsTheOneThatWasAsked() {
        assertThat(SlurmRows.format(List.of("JobID", "Reason"), NONCE))
                .isEqualTo("JobID:\u001f,Reason:\u001e0123456789abcdef");
        assertThatThrownBy(() -> SlurmRows.format(List.of("JobID"), "short"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private SlurmListing<SlurmJob> jobs() throws UnreadableAnswer {
        return SlurmListing.jobs(squeue, "", NONCE, Dialect.FIRST);
    }

    private SlurmJob job(long id) throws UnreadableAnswer {
        Optional<SlurmJob> found =
                jobs().found().stream().filter(job -> job.id() == id).findFirst();
        return found.orElseThrow();
    }

    private static String golden(String name) {
        try (var in = SlurmListingTest.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
