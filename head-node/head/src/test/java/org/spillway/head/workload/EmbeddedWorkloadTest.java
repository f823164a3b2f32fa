package org.spillway.head.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.spillway.head.workload.WorkloadView.Allocation;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;

/** The embedded queue keeps the contract, and what it has of its own: order, best fit, room. */
final class EmbeddedWorkloadTest extends WorkloadManagerContract {
    static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");

    private final EmbeddedWorkload queue = new EmbeddedWorkload();
    private final Map<String, ReleasedJob> submitted = new HashMap<>();

    @Override
    protected WorkloadManager queue() {
        return queue;
    }

    @Override
    protected JoinedNode node(int number) {
        return node("n" + number, "here", 4);
    }

    @Override
    protected String submit(int cpus, int count) {
        String id = "j" + (submitted.size() + 1);
        release(id, new ReleasedJob(id, "here", cpus(cpus), count, 0, NOW, 0, "", List.of(), ReleasedJob.Fit.USUAL));
        return id;
    }

    @Override
    protected void bind(Allocation allocation) {
        release(allocation.job(), with(allocation.job(), allocation.attempt(), allocation.nodes()));
    }

    @Override
    protected void breakOff(String job, int attempt) {
        release(job, with(job, attempt, List.of()));
    }

    @Override
    protected WorkloadManager restarted() {
        return new EmbeddedWorkload();
    }

    @Override
    protected ReleasedJob released(String job) {
        ReleasedJob known = submitted.get(job);
        if (known == null) {
            throw new IllegalArgumentException("no job " + job);
        }
        return known;
    }

    private void release(String id, ReleasedJob job) {
        submitted.put(id, job);
        queue.release(job);
    }

    @Override
    protected void closed(JoinedNode node) {}

    /** The embedded queue decides at once. */
    @Override
    protected WorkloadView await(WorkloadManager manager, Predicate<WorkloadView> condition) throws Exception {
        WorkloadView view = manager.poll(NOW);
        assertThat(condition.test(view)).as("%s", view).isTrue();
        return view;
    }

    @Override
    protected WorkloadView considered(String job) throws Exception {
        return queue.poll(NOW);
    }

    private static EmbeddedWorkload manager() {
        return new EmbeddedWorkload();
    }

    /** A reserved node is paid anyway: it serves first, and those paid by the hour may end. */
    @Test
    void amongEqualRoomTheReservedNodeServes() {
        queue.join(sold("a", Market.ON_DEMAND));
        queue.join(sold("b", Market.RESERVED));
        queue.join(sold("c", Market.ON_DEMAND));
        submit(2, 1);
        assertThat(queue.poll(NOW).allocations()).extracting(Allocation::nodes).containsExactly(List.of("b"));
    }

    private static JoinedNode sold(String id, Market market) {
        JoinedNode like = node(id, "here", 4);
        return new JoinedNode(
                id, like.site(), like.type(), like.address(), like.resources(), like.category(), market, like.fabric());
    }

    @Test
    void givesAJobToANodeOfItsSiteUnderTheNextAttempt() throws Exception {
        EmbeddedWorkload manager = manager();
        manager.join(node("there", "other", 8));
        manager.join(node("n1", "here", 8));
        manager.release(new ReleasedJob("j1", "here", cpus(4), 1, 0, NOW, 2, "", List.of(), ReleasedJob.Fit.USUAL));
        assertThat(manager.poll(NOW).allocations()).containsExactly(new Allocation("j1", 3, List.of("n1")));
    }

    @Test
    void givesNothingWhereNothingFits() throws Exception {
        EmbeddedWorkload manager = manager();
        manager.join(node("n1", "here", 2));
        manager.release(job("j1", 4, 0, 0));
        assertThat(manager.poll(NOW).allocations()).isEmpty();
    }

    /** Of a job whose input is on its way: the nodes that it gets when it has come, as long as nothing else changes. */
    @Test
    void saysWhichNodesAJobWouldHaveAndKeepsNothingForIt() throws Exception {
        EmbeddedWorkload manager = manager();
        manager.join(node("n1", "here", 8));
        manager.join(node("n2", "here", 4));
        assertThat(manager.wouldGive(job("j1", 4, 0, 0))).containsExactly("n2");
        assertThat(manager.poll(NOW).allocations()).isEmpty();
        manager.release(job("j0", 4, 0, 0));
        assertThat(manager.poll(NOW).allocations()).containsExactly(new Allocation("j0", 1, List.of("n2")));
        manager.release(new ReleasedJob("j0", "here", cpus(4), 1, 0, NOW, 1, "", List.of("n2"), ReleasedJob.Fit.USUAL));
        assertThat(manager.wouldGive(job("j1", 4, 0, 0))).containsExactly("n1");
        manager.drain("n1", "it goes");
        assertThat(manager.wouldGive(job("j1", 4, 0, 0))).isEmpty();
    }

    @Test
    void takesPriorityFirstAndThenTheOlder() throws Exception {
        EmbeddedWorkload manager = manager();
        manager.join(node("n1", "here", 4));
        manager.release(job("a-old", 4, 0, 0));
        manager.release(job("b-young", 4, 0, 10));
        manager.release(job("c-urgent", 4, 5, 20));
        assertThat(manager.poll(NOW).allocations()).containsExactly(new Allocation("c-urgent", 1, List.of("n1")));
        manager.withdraw("c-urgent");
        assertThat(manager.poll(NOW).allocations()).containsExactly(new Allocation("a-old", 1, List.of("n1")));
        manager.withdraw("a-old");
        assertThat(manager.poll(NOW).allocations()).containsExactly(new Allocation("b-young", 1, List.of("n1")));
    }

    @Test
    void takesTheFullestNodeThatHasRoom() throws Exception {
        EmbeddedWorkload manager = manager();
        manager.join(node("a-large", "here", 16));
        manager.join(node("b-small", "here", 4));
        manager.join(node("c-tiny", "here", 1));
        manager.release(job("j1", 2, 0, 0));
        assertThat(manager.poll(NOW).allocations()).containsExactly(new Allocation("j1", 1, List.of("b-small")));
    }

    @Test
    void keepsANodeWithGpusForJobsThatNeedThem() throws Exception {
        EmbeddedWorkload manager = manager();
        manager.join(new JoinedNode("a-gpu", "here", "", "", Resources.of(4, 1 << 20, 1), "", Market.ON_DEMAND, ""));
        manager.join(node("b-plain", "here", 64));
        manager.release(job("j1", 2, 0, 0));
        assertThat(manager.poll(NOW).allocations()).containsExactly(new Allocation("j1", 1, List.of("b-plain")));
    }

    @Test
    void aRunningJobToldAgainAfterARestartKeepsItsRoom() throws Exception {
        EmbeddedWorkload manager = manager();
        manager.release(running("j1", 3, "n1"));
        manager.join(node("n1", "here", 4));
        manager.release(job("j2", 2, 9, 0));
        manager.release(job("j3", 1, 0, 0));
        assertThat(manager.poll(NOW).allocations())
                .containsExactlyInAnyOrder(
                        new Allocation("j1", 1, List.of("n1")), new Allocation("j3", 1, List.of("n1")));
    }

    @Test
    void aNodeThatRunsMoreThanItHasIsFull() throws Exception {
        EmbeddedWorkload manager = manager();
        manager.join(node("n1", "here", 4));
        manager.release(running("j1", 6, "n1"));
        manager.release(job("j2", 1, 0, 0));
        assertThat(manager.poll(NOW).allocations()).containsExactly(new Allocation("j1", 1, List.of("n1")));
    }

    @Test
    void repeatedCallsLeaveTheSameQueue() throws Exception {
        EmbeddedWorkload once = manager();
        EmbeddedWorkload twice = manager();
        for (int times = 1; times <= 2; times++) {
            EmbeddedWorkload manager = times == 1 ? once : twice;
            for (int i = 0; i < times; i++) {
                manager.join(node("n1", "here", 4));
                manager.join(node("n2", "here", 4));
            }
            for (int i = 0; i < times; i++) {
                manager.drain("n2", "idle");
                manager.release(job("j1", 3, 0, 0));
                manager.release(job("j2", 3, 0, 1));
                manager.withdraw("j3");
                manager.leave("n3");
                manager.poll(NOW);
            }
        }
        assertThat(twice.poll(NOW)).isEqualTo(once.poll(NOW));
        assertThat(once.poll(NOW).allocations()).containsExactly(new Allocation("j1", 1, List.of("n1")));
    }

    @Test
    void neverGivesMoreThanANodeHas() throws Exception {
        for (long seed = 1; seed <= 500; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            EmbeddedWorkload manager = manager();
            Map<String, JoinedNode> nodes = new HashMap<>();
            Map<String, ReleasedJob> jobs = new HashMap<>();
            for (int step = 0; step < 40; step++) {
                change(random, manager, nodes, jobs);
            }
            check(seed, manager.poll(NOW), nodes, jobs);
        }
    }

    /** A drawn event; what a poll offered may be taken, as the head does. */
    private static void change(
            SplittableRandom random,
            EmbeddedWorkload manager,
            Map<String, JoinedNode> nodes,
            Map<String, ReleasedJob> jobs)
            throws WorkloadUnavailable {
        switch (random.nextInt(6)) {
            case 0 -> {
                String id = "n" + random.nextInt(4);
                JoinedNode node = new JoinedNode(
                        id, "s" + id.charAt(1) % 2, "", "", Resources.of(8, 8L << 30, 1), "", Market.ON_DEMAND, "");
                nodes.put(id, node);
                manager.join(node);
            }
            case 1, 2 -> {
                String id = "j" + random.nextInt(12);
                if (!jobs.containsKey(id)) {
                    ReleasedJob job = new ReleasedJob(
                            id,
                            "s" + random.nextInt(2),
                            Resources.of(random.nextInt(1, 9), 1L << 30, random.nextInt(2)),
                            random.nextInt(1, 3),
                            random.nextInt(3),
                            NOW.plusSeconds(random.nextInt(100)),
                            0,
                            "",
                            List.of(),
                            ReleasedJob.Fit.USUAL);
                    jobs.put(id, job);
                    manager.release(job);
                }
            }
            case 3 -> {
                for (Allocation allocation : manager.poll(NOW).allocations()) {
                    ReleasedJob job = jobs.get(allocation.job());
                    if (job != null && job.nodes().isEmpty()) {
                        ReleasedJob bound = new ReleasedJob(
                                job.id(),
                                job.site(),
                                job.perNode(),
                                job.count(),
                                job.priority(),
                                job.submittedAt(),
                                allocation.attempt(),
                                "",
                                allocation.nodes(),
                                ReleasedJob.Fit.USUAL);
                        jobs.put(job.id(), bound);
                        manager.release(bound);
                    }
                }
            }
            case 4 -> {
                String id = "j" + random.nextInt(12);
                jobs.remove(id);
                manager.withdraw(id);
            }
            default -> manager.drain("n" + random.nextInt(4), "drawn");
        }
    }

    private static void check(
            long seed, WorkloadView view, Map<String, JoinedNode> nodes, Map<String, ReleasedJob> jobs) {
        Map<String, Resources> used = new HashMap<>();
        Map<String, List<String>> places = new HashMap<>();
        for (Allocation allocation : view.allocations()) {
            ReleasedJob job = jobs.get(allocation.job());
            assertThat(job).as("seed %d: %s", seed, allocation).isNotNull();
            assertThat(places.put(allocation.job(), allocation.nodes()))
                    .as("seed %d: %s is twice in %s", seed, allocation.job(), view)
                    .isNull();
            assertThat(allocation.nodes()).hasSize(job.count()).doesNotHaveDuplicates();
            for (String node : allocation.nodes()) {
                assertThat(nodes.get(node).site()).isEqualTo(job.site());
                used.merge(node, job.perNode(), Resources::plus);
            }
        }
        used.forEach((node, sum) -> assertThat(sum.fitsIn(nodes.get(node).resources()))
                .as("seed %d: %s holds %s", seed, node, sum)
                .isTrue());
    }

    static JoinedNode node(String id, String site, int cpus) {
        return new JoinedNode(id, site, "", "", cpus(cpus), "", Market.ON_DEMAND, "");
    }

    static ReleasedJob job(String id, int cpus, int priority, int secondsLater) {
        return released(id, cpus, priority, secondsLater, 0, List.of());
    }

    static ReleasedJob running(String id, int cpus, String node) {
        return released(id, cpus, 0, 0, 1, List.of(node));
    }

    private static ReleasedJob released(
            String id, int cpus, int priority, int secondsLater, int attempt, List<String> nodes) {
        return new ReleasedJob(
                id,
                "here",
                cpus(cpus),
                1,
                priority,
                NOW.plusSeconds(secondsLater),
                attempt,
                "",
                nodes,
                ReleasedJob.Fit.USUAL);
    }

    static Resources cpus(int count) {
        return Resources.of(count, 0, 0);
    }
}
