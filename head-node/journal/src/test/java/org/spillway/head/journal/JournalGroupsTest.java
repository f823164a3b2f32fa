package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;

/** The groups that the loop asks for by state, site and node are what it would find by looking at everything. */
final class JournalGroupsTest {
    private static final Instant NOW = Entries.NOW;
    private static final int STEPS = 2000;

    private final MemoryJournalStore store = new MemoryJournalStore();
    private final Map<String, JobRecord> jobs = new TreeMap<>();
    private final Map<String, NodeRecord> nodes = new TreeMap<>();
    private int started;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void groupsFollowEveryCommit(long seed) {
        Random random = new Random(Long.getLong("spillway.seed", seed));
        Journal journal = new Journal(store, Instant.MIN);
        for (int step = 0; step < STEPS; step++) {
            List<Entry> batch = new ArrayList<>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                batch.add(random.nextInt(3) > 0 ? job(random) : node(random));
            }
            journal.commit(NOW, batch);
            if (step % 50 == 0) {
                assertGroups(journal);
            }
            if (random.nextInt(200) == 0) {
                journal = new Journal(store, Instant.MIN);
            }
        }
        assertThat(started).isGreaterThan(STEPS / 50);
        assertThat(jobs.values()).extracting(JobRecord::jobState).contains(JobState.DONE, JobState.QUEUED);
        assertGroups(journal);
        assertGroups(new Journal(store, Instant.MIN));
    }

    private JobRecord job(Random random) {
        String id = "" + random.nextInt(STEPS / 10);
        JobRecord before = jobs.get(id);
        JobRecord after;
        if (before == null || before.jobState().next().isEmpty()) {
            after = before == null ? Entries.fresh(id) : before;
        } else {
            List<JobState> next = before.jobState().next().stream()
                    // From any state a job may end; most go the whole way.
                    .filter(state -> !state.isTerminal()
                            || (state == JobState.DONE && before.jobState() == JobState.STAGING_OUT)
                            || random.nextInt(12) == 0)
                    .sorted(Comparator.naturalOrder())
                    .toList();
            JobState state = next.get(random.nextInt(next.size()));
            started += state == JobState.RUNNING ? 1 : 0;
            JobRun run = state == JobState.RUNNING
                    ? before.run().startedOn(nodes(random), before.run().attempt())
                    : state == JobState.QUEUED
                            ? before.run().waiting()
                            : state == JobState.STAGING_IN
                                    ? before.run().at(random.nextBoolean() ? "here" : "there")
                                    : before.run();
            after = before.with(run).to(state, Cause.NONE, NOW);
        }
        jobs.put(id, after);
        return after;
    }

    private static List<String> nodes(Random random) {
        int first = random.nextInt(9);
        return random.nextBoolean() ? List.of("n" + first) : List.of("n" + first, "n" + (first + 1) % 9);
    }

    private NodeRecord node(Random random) {
        String id = "n" + random.nextInt(STEPS / 10);
        NodeRecord before = nodes.get(id);
        NodeRecord after = before;
        if (before == null) {
            after = Entries.node(id, NodeState.REQUESTED);
        } else if (!before.nodeState().next().isEmpty()) {
            List<NodeState> next = before.nodeState().next().stream()
                    .sorted(Comparator.naturalOrder())
                    .toList();
            after = before.to(next.get(random.nextInt(next.size())), Cause.NONE, NOW);
        }
        nodes.put(id, after);
        return after;
    }

    private void assertGroups(Journal journal) {
        assertJobs(journal.jobs(), job -> true);
        for (JobState state : JobState.values()) {
            assertJobs(journal.jobs(state), job -> job.jobState() == state);
        }
        assertJobs(journal.jobsOf("here"), job -> job.run().site().equals("here"));
        assertJobs(journal.jobsOf("there"), job -> job.run().site().equals("there"));
        for (int i = 0; i < 9; i++) {
            String node = "n" + i;
            assertJobs(
                    journal.runningOn(node),
                    job -> job.jobState() == JobState.RUNNING && job.run().has(node));
        }
        assertNodes(journal.liveNodes(), node -> true);
        assertNodes(journal.liveNodes("here"), node -> node.site().equals("here"));
        assertNodes(journal.liveDirectors("here"), NodeRecord::isDirector);
        assertNodes(journal.liveNodesUnder("i1"), node -> node.intent().equals("i1"));
        assertNodes(journal.liveNodesUnder("i2"), node -> false);
    }

    /** All of them, the live ones only, in the order of their ids. */
    private void assertJobs(Collection<JobRecord> found, Predicate<JobRecord> which) {
        assertThat(found)
                .containsExactlyElementsOf(jobs.values().stream()
                        .filter(job -> job.isLive() && which.test(job))
                        .toList());
    }

    private void assertNodes(Collection<NodeRecord> found, Predicate<NodeRecord> which) {
        assertThat(found)
                .containsExactlyElementsOf(nodes.values().stream()
                        .filter(node -> node.isLive() && which.test(node))
                        .toList());
    }
}
