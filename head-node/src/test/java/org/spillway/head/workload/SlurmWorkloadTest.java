package org.spillway.head.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.head.workload.WorkloadView.Allocation;
import org.spillway.head.workload.slurm.SlurmWorkload;

/** With a real Slurm: {@code labs/slurm}. */
final class SlurmWorkloadTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private SlurmLab lab;
    private SlurmWorkload manager;
    private final List<JoinedNode> joined = new ArrayList<>();

    @BeforeEach
    void up() throws Exception {
        Optional<String> lacking = SlurmLab.lacking();
        assumeTrue(lacking.isEmpty(), lacking.orElse(""));
        Path folder = Files.createTempDirectory("slurm");
        lab = SlurmLab.up(folder);
        manager = lab.manager(List.of());
    }

    @AfterEach
    void down() {
        if (manager != null) {
            manager.close();
        }
        if (lab != null) {
            lab.close();
        }
    }

    @Test
    void aJobIsToldRunsOnAJoinedNodeAndEnds() {
        String id = lab.sbatch("-p", "cloud", "-n2", "--mem=100", "--wrap", "sleep 2; exit 3");
        ForeignJob job = job(id, foreign -> foreign.status() instanceof Status.Waiting);
        assertThat(job.facts().queue()).isEqualTo("cloud");
        assertThat(job.facts().sites()).containsExactly("west");
        assertThat(job.facts().perNode().cpus()).isEqualTo(2);
        assertThat(job.facts().perNode().memoryBytes()).isEqualTo(100L << 20);
        assertThat(job.facts().owner().user()).isEqualTo("user65534");
        assertThat(job.facts().data().folder()).isEqualTo(lab.jobs().toString());
        assertThat(job.facts().data().outputs())
                .extracting(output -> output.pattern())
                .containsExactly("slurm-" + id + ".out");
        manager.release(released(job, 0, List.of()));
        manager.tell(job.key(), "waits for a node");
        join(lab.node(1, "small"));
        WorkloadView view = view(now -> !now.allocations().isEmpty());
        assertThat(view.allocations()).containsExactly(new Allocation("j" + id, 1, List.of("n1")));
        assertThat(lab.run("scontrol", "show", "job", id))
                .contains("AdminComment=waits for a node")
                .contains("Partition=west");
        manager.release(released(job, 1, List.of("n1")));
        assertThat(view(now -> !now.allocations().isEmpty()).allocations())
                .containsExactly(new Allocation("j" + id, 1, List.of("n1")));
        Status ended =
                job(id, foreign -> foreign.status() instanceof Status.Ended).status();
        assertThat(ended).isEqualTo(new Status.Ended(0, 3, false, ""));
    }

    private static ReleasedJob released(ForeignJob job, int attempt, List<String> nodes) {
        return new ReleasedJob(
                "j" + job.number(),
                "west",
                job.facts().perNode(),
                job.facts().nodes(),
                0,
                job.facts().submittedAt(),
                attempt,
                job.key(),
                nodes);
    }

    private void join(JoinedNode node) {
        joined.add(node);
        manager.join(node);
    }

    private ForeignJob job(String id, Predicate<ForeignJob> condition) {
        return view(now -> now.jobs().stream().anyMatch(job -> job.number().equals(id) && condition.test(job)))
                .jobs()
                .stream()
                .filter(job -> job.number().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** Waits for a view that fulfils the condition, while nodes do what nodes do. */
    private WorkloadView view(Predicate<WorkloadView> condition) {
        Instant until = Instant.now().plus(PATIENCE);
        Object last = "nothing";
        while (Instant.now().isBefore(until)) {
            joined.forEach(node -> lab.boot(manager, node));
            try {
                WorkloadView view = manager.poll(Instant.now());
                if (condition.test(view)) {
                    return view;
                }
                last = view;
            } catch (WorkloadUnavailable e) {
                last = e;
            }
            pause();
        }
        throw new AssertionError("not within " + PATIENCE + "; last was " + last);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
