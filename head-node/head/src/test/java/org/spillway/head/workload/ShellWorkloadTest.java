package org.spillway.head.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.head.workload.ForeignJob.Status.Place;
import org.spillway.head.workload.WorkloadView.Allocation;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;

/** A manager that no other file knows keeps the contract, with real processes; none of them is left behind. */
final class ShellWorkloadTest extends WorkloadManagerContract {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder = Path.of("");

    private final List<ShellWorkload> managers = new ArrayList<>();
    private final Map<String, ReleasedJob> submitted = new HashMap<>();

    @BeforeEach
    void open() {
        managers.add(new ShellWorkload(folder));
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        managers.forEach(ShellWorkload::close);
        awaitProcesses(0);
    }

    @Override
    protected ShellWorkload queue() {
        return managers.getLast();
    }

    @Override
    protected JoinedNode node(int number) {
        return new JoinedNode("n" + number, "here", "", "", Resources.of(4, 0, 0), "", Market.ON_DEMAND, "");
    }

    /** As long as this JVM is there, and with the folder's name among its words. */
    @Override
    protected String submit(int cpus, int count) throws Exception {
        Path endless = Files.writeString(folder.resolve("endless"), "");
        return submit("tail -f --pid=" + ProcessHandle.current().pid() + " " + endless, cpus, count);
    }

    private String submit(String script, int cpus, int count) throws Exception {
        String number = Integer.toString(submitted.size() + 1);
        Path place = Files.createDirectory(folder.resolve(number));
        Files.writeString(place.resolve("script"), script + "\n");
        Files.writeString(place.resolve("cpus"), Integer.toString(cpus));
        Files.writeString(place.resolve("count"), Integer.toString(count));
        Files.writeString(place.resolve("submitted"), Long.toString(NOW.getEpochSecond()));
        ForeignJob job = job(queue(), number);
        release(new ReleasedJob(
                "j" + number,
                "here",
                job.facts().need().perNode(),
                count,
                0,
                NOW,
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
    protected void breakOff(String job, int attempt) {
        release(with(job, attempt, List.of()));
    }

    /** As after a kill: the shells go on. */
    @Override
    protected ShellWorkload restarted() {
        managers.add(new ShellWorkload(folder));
        return queue();
    }

    @Override
    protected void closed(JoinedNode node) {}

    @Override
    protected WorkloadView considered(String job) throws Exception {
        return queue().poll(NOW);
    }

    @Override
    protected WorkloadView await(WorkloadManager manager, Predicate<WorkloadView> condition) throws Exception {
        long until = System.nanoTime() + PATIENCE.toNanos();
        WorkloadView view = manager.poll(NOW);
        while (!condition.test(view) && System.nanoTime() < until) {
            TimeUnit.MILLISECONDS.sleep(5);
            view = manager.poll(NOW);
        }
        assertThat(condition.test(view)).as("%s", view).isTrue();
        return view;
    }

    private static ForeignJob job(WorkloadManager manager, String number) throws WorkloadUnavailable {
        return manager.poll(NOW).jobs().stream()
                .filter(job -> job.number().equals(number))
                .findFirst()
                .orElseThrow();
    }

    private Status ended(String number) throws Exception {
        return await(
                        queue(),
                        view -> view.jobs().stream()
                                .anyMatch(job -> job.number().equals(number) && job.status() instanceof Status.Ended))
                .jobs()
                .stream()
                .filter(job -> job.number().equals(number))
                .findFirst()
                .orElseThrow()
                .status();
    }

    /** Living processes below a job's folder; one that has ended has no arguments. */
    private List<String> processes() {
        return ProcessHandle.allProcesses()
                .map(process -> String.join(" ", process.info().arguments().orElse(new String[0])))
                .filter(words -> words.contains(folder.toString()))
                .filter(words -> words.startsWith("-f --pid=") || words.contains("./script >"))
                .toList();
    }

    private void awaitProcesses(int count) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        List<String> seen = processes();
        while (seen.size() != count && System.nanoTime() < until) {
            TimeUnit.MILLISECONDS.sleep(5);
            seen = processes();
        }
        assertThat(seen).hasSize(count);
    }

    @Test
    void aGangHasAShellOnEachNodeAndEndsWithTheWorstCode() throws Exception {
        queue().join(node(1));
        queue().join(node(2));
        submit("echo on $NODE; test $NODE = n1 || exit 3", 2, 2);
        assertThat(ended("1")).isInstanceOfSatisfying(Status.Ended.class, end -> {
            assertThat(end.exitCode()).isEqualTo(3);
            assertThat(end.cancelled()).isFalse();
            assertThat(end.place()).isEqualTo(Place.OURS);
        });
        assertThat(output(0)).isEqualTo("on n1\n");
        assertThat(output(1)).isEqualTo("on n2\n");
        assertThat(queue().poll(NOW).allocations()).isEmpty();
    }

    private String output(int rank) throws IOException {
        return Files.readString(folder.resolve("1/out.1-0-" + rank));
    }

    /** A shell and what it runs, on each of two nodes. */
    @Test
    void aWithdrawnJobHasNoProcesses() throws Exception {
        queue().join(node(1));
        queue().join(node(2));
        String gang = submit(4, 2);
        bind(queue().poll(NOW).allocations().getFirst());
        awaitProcesses(4);
        queue().withdraw(gang);
        awaitProcesses(0);
        assertThat(queue().poll(NOW).allocations()).isEmpty();
    }

    @Test
    void whatTheHeadEndsIsCancelled() throws Exception {
        queue().join(node(1));
        String job = submit(4, 1);
        bind(queue().poll(NOW).allocations().getFirst());
        queue().end(released(job).foreign(), "the budget is spent");
        assertThat(ended("1"))
                .isInstanceOfSatisfying(
                        Status.Ended.class, end -> assertThat(end.cancelled()).isTrue());
        awaitProcesses(0);
    }

    @Test
    void aJobOfANodeThatLeftRunsAgainElsewhereAndItsOldShellIsGone() throws Exception {
        queue().join(node(1));
        String job = submit(4, 1);
        bind(queue().poll(NOW).allocations().getFirst());
        awaitProcesses(2);
        queue().leave(node(1).id());
        assertThat(job(queue(), "1").status()).isInstanceOf(Status.Waiting.class);
        breakOff(job, 1);
        queue().join(node(2));
        assertThat(queue().poll(NOW).allocations()).containsExactly(new Allocation(job, 2, List.of("n2")));
        awaitProcesses(2);
    }
}
