package org.spillway.head.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.head.workload.WorkloadView.Allocation;

/**
 * Promises that the head relies on, whatever gives jobs to nodes. Who decides on order and room is the manager's own
 * matter.
 */
public abstract class WorkloadManagerContract {
    /** The one that is tried: without nodes and jobs at first. */
    protected abstract WorkloadManager queue();

    /** A node of at least three that are alike: of one site, with 4 CPUs. @param number 1 to 3 */
    protected abstract JoinedNode node(int number);

    /** A job that runs until it is told otherwise is submitted, and released by the head. @return the head's id of it */
    protected abstract String submit(int cpus, int count) throws Exception;

    /** The job as it was released last. */
    protected abstract ReleasedJob released(String job);

    /** A job as it is after so many attempts, of which the last runs on these nodes; on none while it waits again. */
    protected final ReleasedJob with(String id, int attempt, List<String> nodes) {
        ReleasedJob job = released(id);
        return new ReleasedJob(
                id,
                job.site(),
                job.perNode(),
                job.count(),
                job.priority(),
                job.submittedAt(),
                attempt,
                job.foreign(),
                nodes,
                job.fit());
    }

    /** The head has taken this up. */
    protected abstract void bind(Allocation allocation);

    /** The attempt was broken off, and the head waits for the next one. */
    protected abstract void breakOff(String job, int attempt) throws Exception;

    /** Another one for the same jobs, as after a restart of the head; it knows nothing yet. */
    protected abstract WorkloadManager restarted();

    /** Waits until whoever gives jobs to nodes knows that this one is not to get any; for one that decides at once, that is now. */
    protected abstract void closed(JoinedNode node) throws Exception;

    /** Waits until the manager says so; for one that decides at once, that is now. */
    protected abstract WorkloadView await(WorkloadManager manager, Predicate<WorkloadView> condition) throws Exception;

    /** The manager's view when it has decided on this job, be it that it has to wait. */
    protected abstract WorkloadView considered(String job) throws Exception;

    private WorkloadView await(Predicate<WorkloadView> condition) throws Exception {
        return await(queue(), condition);
    }

    private boolean isVacant(String node) {
        return queue().nodeList().map(list -> list.isVacant(node)).orElse(true);
    }

    private Allocation allocated(String job) throws Exception {
        return await(view -> of(view, job) != null).allocations().stream()
                .filter(allocation -> allocation.job().equals(job))
                .findFirst()
                .orElseThrow();
    }

    private static @Nullable Allocation of(WorkloadView view, String job) {
        return view.allocations().stream()
                .filter(allocation -> allocation.job().equals(job))
                .findFirst()
                .orElse(null);
    }

    @Test
    void aJobIsGivenToAJoinedNodeAsItsFirstAttempt() throws Exception {
        queue().nodes().join(node(1));
        String job = submit(2, 1);
        assertThat(allocated(job)).isEqualTo(new Allocation(job, 1, List.of(node(1).id())));
    }

    @Test
    void withoutANodeItWaits() throws Exception {
        String job = submit(2, 1);
        assertThat(considered(job).allocations()).isEmpty();
        queue().nodes().join(node(2));
        assertThat(allocated(job).nodes()).containsExactly(node(2).id());
    }

    @Test
    void aGangGetsAllOfItsNodesOrNone() throws Exception {
        queue().nodes().join(node(1));
        String gang = submit(4, 2);
        assertThat(considered(gang).allocations()).isEmpty();
        queue().nodes().join(node(2));
        assertThat(allocated(gang).nodes()).containsExactlyInAnyOrder(node(1).id(), node(2).id());
    }

    @Test
    void aDrainingNodeGetsNothingAndKeepsWhatRuns() throws Exception {
        queue().nodes().join(node(1));
        String runs = submit(2, 1);
        bind(allocated(runs));
        queue().nodes().drain(node(1).id(), "idle");
        closed(node(1));
        String waits = submit(1, 1);
        WorkloadView view = considered(waits);
        assertThat(of(view, runs)).isEqualTo(new Allocation(runs, 1, List.of(node(1).id())));
        assertThat(of(view, waits)).isNull();
        queue().nodes().join(node(1));
        assertThat(allocated(waits).nodes()).containsExactly(node(1).id());
        assertThat(allocated(runs).attempt()).isEqualTo(1);
    }

    @Test
    void aDrainedNodeWithNothingOnItIsVacant() throws Exception {
        queue().nodes().join(node(1));
        bind(allocated(submit(1, 1)));
        queue().nodes().join(node(2));
        queue().nodes().drain(node(2).id(), "idle");
        queue().nodes().drain(node(2).id(), "idle");
        await(view -> isVacant(node(2).id()));
        String job = submit(4, 1);
        assertThat(of(considered(job), job)).isNull();
        assertThat(isVacant(node(2).id())).isTrue();
    }

    @Test
    void aNodeThatLeftGetsNothing() throws Exception {
        queue().nodes().join(node(1));
        bind(allocated(submit(4, 1)));
        queue().nodes().leave(node(1).id());
        queue().nodes().leave(node(1).id());
        closed(node(1));
        String job = submit(1, 1);
        assertThat(of(considered(job), job)).isNull();
    }

    @Test
    void aJobThatRunsWhenTheHeadIsStartedAgainIsTheSameAttempt() throws Exception {
        queue().nodes().join(node(1));
        String job = submit(2, 1);
        Allocation allocation = allocated(job);
        bind(allocation);
        WorkloadManager again = restarted();
        again.nodes().join(node(1));
        again.jobs().release(released(job));
        assertThat(await(again, view -> of(view, job) != null).allocations()).containsExactly(allocation);
    }

    @Test
    void anAttemptThatWasBrokenOffIsFollowedByTheNext() throws Exception {
        queue().nodes().join(node(1));
        String job = submit(2, 1);
        bind(allocated(job));
        breakOff(job, 1);
        Allocation next = allocated(job);
        assertThat(next).isEqualTo(new Allocation(job, 2, List.of(node(1).id())));
        bind(next);
        breakOff(job, 2);
        assertThat(allocated(job).attempt()).isEqualTo(3);
    }

    @Test
    void everyCallMayBeRepeated() throws Exception {
        queue().nodes().join(node(1));
        queue().nodes().join(node(1));
        queue().nodes().join(node(2));
        String job = submit(2, 1);
        queue().jobs().release(released(job));
        queue().nodes().drain(node(3).id(), "nobody knows it");
        queue().nodes().leave(node(3).id());
        queue().jobs().withdraw("nobody-knows-it");
        queue().foreignQueue().ifPresent(foreign -> {
            foreign.tell(queue().name() + ":1:1", "nobody knows it");
            foreign.end(queue().name() + ":1:1", "nobody knows it");
        });
        Allocation first = allocated(job);
        bind(first);
        bind(first);
        assertThat(await(view -> of(view, job) != null).allocations()).containsExactly(first);
    }
}
