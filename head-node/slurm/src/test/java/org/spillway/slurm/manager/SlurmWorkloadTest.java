package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.spillway.head.cause.Cause;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.head.workload.JoinedNode;
import org.spillway.head.workload.ReleasedJob;
import org.spillway.head.workload.WorkloadManager;
import org.spillway.head.workload.WorkloadManagerContract;
import org.spillway.head.workload.WorkloadUnavailable;
import org.spillway.head.workload.WorkloadView;
import org.spillway.head.workload.WorkloadView.Allocation;

/** The contract with a real Slurm, of {@code labs/slurm}, and what Slurm has of its own; each test has its own lab. */
@Execution(ExecutionMode.CONCURRENT)
final class SlurmWorkloadTest extends WorkloadManagerContract {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private @Nullable SlurmLab running;
    private final List<SlurmWorkload> managers = new ArrayList<>();
    private final Map<String, ReleasedJob> submitted = new HashMap<>();

    @BeforeEach
    void up() throws Exception {
        Optional<String> lacking = SlurmLab.lacking();
        assumeTrue(lacking.isEmpty(), lacking.orElse(""));
        running = SlurmLab.up(Files.createTempDirectory("slurm"));
        managers.add(lab().manager(List.of()));
        // Until the head's first look Slurm gives jobs to nodes that are off, and takes them off again later.
        await(queue(), view -> lab().isReserved());
    }

    @AfterEach
    void down() {
        managers.forEach(SlurmWorkload::close);
        if (running != null) {
            running.close();
        }
    }

    private SlurmLab lab() {
        if (running == null) {
            throw new IllegalStateException("no lab");
        }
        return running;
    }

    @Override
    protected SlurmWorkload queue() {
        return managers.getLast();
    }

    @Override
    protected JoinedNode node(int number) {
        return lab().node(number, "small");
    }

    @Override
    protected String submit(int cpus, int count) throws Exception {
        String number = lab().sbatch(
                        "-p", "cloud", "-N" + count, "--ntasks-per-node=" + cpus, "--mem=100", "--wrap", "sleep 600");
        ForeignJob job = job(number, foreign -> true);
        release(new ReleasedJob(
                "j" + number,
                "west",
                job.facts().need().perNode(),
                count,
                0,
                job.facts().submittedAt(),
                0,
                job.key(),
                List.of(),
                ReleasedJob.Fit.USUAL));
        return "j" + number;
    }

    private void release(ReleasedJob job) {
        submitted.put(job.id(), job);
        queue().release(job);
    }

    @Override
    protected ReleasedJob released(String job) {
        ReleasedJob known = submitted.get(job);
        if (known == null) {
            throw new IllegalArgumentException("no job " + job);
        }
        return known;
    }

    @Override
    protected void bind(Allocation allocation) {
        release(with(allocation.job(), allocation.attempt(), allocation.nodes()));
    }

    @Override
    protected void breakOff(String job, int attempt) throws Exception {
        lab().run("scontrol", "requeue", job.substring(1));
        job(job.substring(1), foreign -> foreign.status() instanceof Status.Waiting);
        release(with(job, attempt, List.of()));
    }

    /** Slurm hears of it with the manager's next look: what is submitted before may still be given to the node. */
    @Override
    protected void closed(JoinedNode node) throws Exception {
        await(queue(), view -> lab().isClosed(node));
    }

    @Override
    protected SlurmWorkload restarted() {
        queue().close();
        managers.add(lab().manager(
                        submitted.values().stream().map(ReleasedJob::foreign).toList()));
        return queue();
    }

    /** Slurm has given its reason why the job waits. */
    @Override
    protected WorkloadView considered(String job) throws Exception {
        String key = released(job).foreign();
        return await(
                queue(),
                view -> view.jobs().stream()
                        .anyMatch(foreign -> foreign.key().equals(key)
                                && foreign.status() instanceof Status.Waiting(String reason)
                                && !reason.equals("None")
                                && !reason.isEmpty()));
    }

    private ForeignJob job(String number, Predicate<ForeignJob> condition) throws Exception {
        return await(
                        queue(),
                        view -> view.jobs().stream()
                                .anyMatch(job -> job.number().equals(number) && condition.test(job)))
                .jobs()
                .stream()
                .filter(job -> job.number().equals(number))
                .findFirst()
                .orElseThrow();
    }

    /** Waits for a view that fulfils the condition, while nodes that were told their slots start their slurmd. */
    @Override
    protected WorkloadView await(WorkloadManager manager, Predicate<WorkloadView> condition) throws Exception {
        Instant until = Instant.now().plus(PATIENCE);
        Object last = "nothing";
        while (Instant.now().isBefore(until)) {
            for (int machine = 1; machine <= 3; machine++) {
                lab().boot(manager, node(machine));
            }
            try {
                WorkloadView view = manager.poll(Instant.now());
                if (condition.test(view)) {
                    return view;
                }
                last = view;
            } catch (WorkloadUnavailable e) {
                last = e;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        throw new AssertionError("not within " + PATIENCE + "; last was " + last + "\n"
                + lab().run("scontrol", "show", "node") + lab().run("scontrol", "show", "reservation"));
    }

    @Test
    void aJobIsToldWithWhatItNeedsAndHowItEnded() throws Exception {
        String id = lab().sbatch(
                        "-p",
                        "cloud",
                        "-n2",
                        "--mem-per-cpu=50",
                        "-t",
                        "5",
                        "-J",
                        "a name",
                        "--wrap",
                        "sleep 1; exit 3");
        ForeignJob job = job(id, foreign -> foreign.status() instanceof Status.Waiting);
        assertThat(job.facts().name()).isEqualTo("a name");
        assertThat(job.facts().queue()).isEqualTo("cloud");
        assertThat(job.facts().sites()).containsExactly("west");
        assertThat(job.facts().need().perNode().cpus()).isEqualTo(2);
        assertThat(job.facts().need().perNode().memoryBytes()).isEqualTo(100L << 20);
        assertThat(job.facts().need().walltime()).isEqualTo(Duration.ofMinutes(5));
        assertThat(job.facts().owner().user()).isEqualTo("user65534");
        assertThat(job.facts().data().folder()).isEqualTo(lab().jobs().toString());
        assertThat(job.facts().data().outputs())
                .extracting(output -> output.pattern())
                .containsExactly("slurm-" + id + ".out", ".spillway-home", "**");
        queue().tell(job.key(), "waits for \"a\" node\nof site west");
        queue().release(new ReleasedJob(
                "j",
                "west",
                job.facts().need().perNode(),
                1,
                0,
                job.facts().submittedAt(),
                0,
                job.key(),
                List.of(),
                ReleasedJob.Fit.USUAL));
        queue().join(node(1));
        Status ended =
                job(id, foreign -> foreign.status() instanceof Status.Ended).status();
        assertThat(ended).isInstanceOfSatisfying(Status.Ended.class, end -> {
            assertThat(end.restarts()).isEqualTo(0);
            assertThat(end.exitCode()).isEqualTo(3);
            assertThat(end.cancelled()).isEqualTo(false);
            assertThat(end.cause()).isEqualTo(Cause.NONE);
        });
        assertThat(lab().run("scontrol", "show", "job", id))
                .contains("AdminComment=waits for .a. node of site west")
                .contains("Partition=west");
    }

    @Test
    void whatTheHeadEndsIsCancelledAndSaysWhy() throws Exception {
        String job = submit(1, 1);
        queue().end(released(job).foreign(), "the budget is spent");
        Status ended = job(job.substring(1), foreign -> foreign.status() instanceof Status.Ended)
                .status();
        assertThat(ended)
                .isInstanceOfSatisfying(
                        Status.Ended.class, end -> assertThat(end.cancelled()).isTrue());
        assertThat(lab().run("scontrol", "show", "job", job.substring(1))).contains("AdminComment=the budget is spent");
    }

    /** As a machine that is shut down ends what runs on it. */
    @Test
    void aJobThatSigtermEndedWasNotCancelled() throws Exception {
        String id = lab().sbatch("-p", "cloud", "--wrap", "sleep 1; kill -TERM $$");
        queue().join(node(1));
        Status ended =
                job(id, foreign -> foreign.status() instanceof Status.Ended).status();
        assertThat(ended).isInstanceOfSatisfying(Status.Ended.class, end -> {
            assertThat(end.restarts()).isEqualTo(0);
            assertThat(end.exitCode()).isEqualTo(143);
            assertThat(end.cancelled()).isEqualTo(false);
            assertThat(end.cause()).isEqualTo(Cause.NONE);
        });
    }

    @Test
    void aHeldJobIsHeldAndAnArrayIsAJobForEachTask() throws Exception {
        String held = lab().sbatch("-p", "west", "-H", "--wrap", "true");
        assertThat(job(held, foreign -> true).status()).isEqualTo(new Status.Held("JobHeldUser"));
        String array = lab().sbatch("-p", "cloud", "--array=1-2,7", "--wrap", "sleep 2");
        String key = job(array + "_7", foreign -> true).key();
        assertThat(key).startsWith("slurm:" + array + "_7:");
        queue().join(node(1));
        WorkloadView view = await(
                queue(),
                now -> now.jobs().stream()
                                .filter(job -> job.key().startsWith("slurm:" + array + "_"))
                                .filter(job -> job.status() instanceof Status.Ended)
                                .count()
                        == 3);
        assertThat(view.jobs())
                .filteredOn(job -> job.key().startsWith("slurm:" + array + "_"))
                .hasSize(3);
        assertThat(view.jobs())
                .filteredOn(job -> job.key().equals(key))
                .singleElement()
                .satisfies(job -> assertThat(job.number()).matches("[0-9]+"))
                .satisfies(job -> assertThat(job.facts().data().outputs())
                        .extracting(output -> output.pattern())
                        .containsExactly("slurm-" + array + "_7.out", ".spillway-home", "**"));
    }

    @Test
    void aNodeIsNotVacantWhileSlurmHasAJobOnItAndItsJobIsRequeuedWhenItIsLost() throws Exception {
        queue().join(node(1));
        String job = submit(2, 1);
        Allocation first = await(queue(), view -> !view.allocations().isEmpty())
                .allocations()
                .getFirst();
        bind(first);
        queue().drain(node(1).id(), "idle");
        closed(node(1));
        assertThat(queue().isVacant(node(1).id())).isFalse();
        lab().kill(node(1));
        queue().leave(node(1).id());
        job(job.substring(1), foreign -> foreign.status() instanceof Status.Waiting);
        breakOffSaid(job);
        queue().join(node(2));
        assertThat(await(queue(), view -> !view.allocations().isEmpty()).allocations())
                .containsExactly(new Allocation(job, 2, List.of(node(2).id())));
    }

    private void breakOffSaid(String job) {
        release(with(job, 1, List.of()));
    }

    @Test
    void aSlurmThatIsAwayIsNoAnswerAndNothingIsForgotten() throws Exception {
        queue().join(node(1));
        String job = submit(2, 1);
        bind(await(queue(), view -> !view.allocations().isEmpty()).allocations().getFirst());
        lab().stopController();
        Instant later = Instant.now().plusSeconds(20);
        assertThatThrownBy(() -> queue().poll(later)).isInstanceOf(WorkloadUnavailable.class);
        lab().startController();
        assertThat(await(queue(), view -> !view.allocations().isEmpty()).allocations())
                .containsExactly(new Allocation(job, 1, List.of(node(1).id())));
    }

    @Test
    void whatEndedWhileTheHeadWasAwayIsToldWithItsExitCode() throws Exception {
        queue().join(node(1));
        String job = submit(2, 1);
        bind(await(queue(), view -> !view.allocations().isEmpty()).allocations().getFirst());
        queue().close();
        lab().run("scancel", job.substring(1));
        restarted();
        Status ended = job(job.substring(1), foreign -> foreign.status() instanceof Status.Ended)
                .status();
        assertThat(ended).isInstanceOfSatisfying(Status.Ended.class, end -> {
            assertThat(end.restarts()).isEqualTo(0);
            assertThat(end.exitCode()).isEqualTo(143);
            assertThat(end.cancelled()).isEqualTo(true);
            assertThat(end.cause()).isEqualTo(Cause.NONE);
        });
    }
}
