package org.spillway.head.web;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.api.ApiException;
import org.spillway.api.CauseView;
import org.spillway.api.ExplainView;
import org.spillway.api.HealthView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobFilter;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.NodeExplainView;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import org.spillway.api.PlanView;
import org.spillway.api.QueueView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendPartsView;
import org.spillway.api.SpendView;
import org.spillway.api.TransferState;
import org.spillway.head.rest.FakeHead;
import org.spillway.policy.Money;

/** A head on a busy day, in memory: two regions, a full queue, and a user who likes markup. */
final class BusyHead extends PageHead {
    static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    static final String MARKUP = "<script>alert(1)</script>";
    private static final long GIB = 1L << 30;

    private final Map<String, JobView> jobs = new LinkedHashMap<>();
    private final Map<String, List<JobDetail.Moment>> timelines = new LinkedHashMap<>();
    private volatile boolean busy;
    final BusyClusters clusters = new BusyClusters();

    BusyHead() {
        enter("101", "slice-0", "ada", JobState.DONE, "", "local-east", "east-1", 1, 600);
        enter("102", "slice-1", "ada", JobState.FAILED, "exit code 3", "local-west", "west-1", 1, 540);
        enter("103", "slice-2", "ada", JobState.RUNNING, "", "local-east", "east-1", 1, 420);
        enter("104", "train-gang", "grace", JobState.RUNNING, "", "local-west", "west-1", 4, 400);
        enter("105", "slice-3", "ada", JobState.STAGING_OUT, "results on the way home", "local-east", "east-2", 1, 380);
        enter("106", "slice-4", "ada", JobState.STAGING_IN, "41 of 120 MB staged", "local-west", "", 1, 300);
        for (int i = 0; i < 5; i++) {
            enter(
                    "11" + i,
                    "sweep-" + i,
                    "grace",
                    JobState.QUEUED,
                    "gpu.large refused in zone b: no capacity; retry 14:05",
                    "local-west",
                    "",
                    2,
                    240 - i);
        }
        enter("120", MARKUP, "mallory", JobState.HELD, "held: " + MARKUP, "", "", 1, 60);
        enter("121", "merge", "ada", JobState.HELD, "waits for job 103", "", "", 0, 30);
    }

    private void enter(
            String id,
            String name,
            String user,
            JobState state,
            String reason,
            String site,
            String node,
            int gpus,
            int secondsAgo) {
        var begun = NOON.minusSeconds(secondsAgo);
        var moments = new ArrayList<JobDetail.Moment>();
        moments.add(new JobDetail.Moment(JobState.SUBMITTED, begun, "accepted"));
        var path = new JobState[] {JobState.STAGING_IN, JobState.QUEUED, JobState.RUNNING, JobState.STAGING_OUT, state};
        var steps = new int[] {2, 20, 80, 260, 275};
        boolean started = state == JobState.RUNNING || state == JobState.STAGING_OUT || state.isTerminal();
        if (state == JobState.HELD) {
            moments.add(new JobDetail.Moment(state, begun.plusSeconds(1), reason));
        } else {
            for (int i = 0; i < path.length; i++) {
                moments.add(new JobDetail.Moment(path[i], begun.plusSeconds(steps[i]), i == 4 ? reason : ""));
                if (path[i] == state) {
                    break;
                }
            }
        }
        timelines.put(id, moments);
        boolean ended = state.isTerminal();
        jobs.put(
                id,
                new JobView(
                        id,
                        "",
                        name,
                        "",
                        gpus > 1 ? "cloud" : "default",
                        site,
                        user,
                        1001,
                        state,
                        reason,
                        started ? 1 : 0,
                        node.isEmpty() ? List.of() : gpus > 2 ? List.of(node, "west-3") : List.of(node),
                        gpus > 2 ? 2 : 1,
                        4,
                        16 * GIB,
                        gpus,
                        gpus > 0 ? "h100" : "",
                        3600,
                        0,
                        begun,
                        started ? begun.plusSeconds(80) : null,
                        ended ? begun.plusSeconds(275) : null,
                        ended ? (state == JobState.DONE ? 0 : 3) : null,
                        started ? 120L << 20 : 0,
                        ended ? 4096 : 0,
                        Money.parse(started ? "0.1234" : "0"),
                        CauseView.NONE,
                        "",
                        null));
    }

    /** The job goes on to this state. */
    synchronized void step(String id, JobState state, String reason) {
        var job = jobs.get(id);
        var moments = new ArrayList<>(timelines.get(id));
        moments.add(new JobDetail.Moment(state, NOON, reason));
        timelines.put(id, moments);
        jobs.put(id, job.as(state, reason, job.cause()));
    }

    /** From now on the loop is too busy to make a plan. */
    void beBusy() {
        busy = true;
    }

    @Override
    public synchronized List<JobView> jobs(JobFilter filter) {
        var listed = new ArrayList<>(jobs.values());
        return listed.reversed().stream()
                .filter(job -> filter.ended() || !job.state().isTerminal())
                .limit(filter.limit())
                .toList();
    }

    @Override
    public synchronized Optional<JobDetail> job(String id) {
        return Optional.ofNullable(jobs.get(id))
                .map(job -> new JobDetail(
                        job,
                        timelines.get(id),
                        new JobDetail.Timings(
                                job.submittedAt(),
                                null,
                                null,
                                job.startedAt() == null ? null : job.startedAt().minusSeconds(70),
                                job.startedAt() == null ? null : job.startedAt().minusSeconds(5),
                                null,
                                job.startedAt(),
                                job.endedAt(),
                                null),
                        ranks(job),
                        List.of(JobDetail.TransferView.still(
                                "in",
                                "/home/ada/philly/a rather long folder name that no screen is wide enough for/rows.csv",
                                TransferState.RUNNING,
                                41 << 20,
                                120 << 20,
                                "",
                                2)),
                        List.of(
                                new JobDetail.OutputView("hours.csv", "/home/ada/hours.csv", false, "expected"),
                                new JobDetail.OutputView(MARKUP, "/home/ada/" + MARKUP, true, "missing")),
                        List.of("OUTPUT_MISSING: the job did not make " + MARKUP),
                        null,
                        null,
                        ""));
    }

    private static List<JobDetail.RankView> ranks(JobView job) {
        return job.nodeCount() < 2
                ? List.of()
                : List.of(
                        new JobDetail.RankView(0, "west-1", "127.0.3.6", job.startedAt(), null, null, false, "", null),
                        new JobDetail.RankView(
                                1, "west-3", "127.0.3.8", job.startedAt(), NOON, null, true, MARKUP, null));
    }

    @Override
    public List<NodeView> nodes() {
        return List.of(
                node("east-d1", "local-east", "director", NodeState.READY, "small", "0.20", "", ""),
                node("east-1", "local-east", "node", NodeState.READY, "gpu.large", "2.40", "", "103"),
                node("east-2", "local-east", "node", NodeState.DRAINING, "gpu.small", "0.90", "idle for 5 min", ""),
                node(
                        "west-d1",
                        "local-west",
                        "director",
                        NodeState.UNREACHABLE,
                        "small",
                        "0.25",
                        "no word for 12 s",
                        ""),
                node("west-1", "local-west", "node", NodeState.READY, "gpu.large", "2.10", "", "104"),
                node("west-2", "local-west", "node", NodeState.BOOTING, "gpu.large", "2.10", "", ""),
                node(
                        "west-0",
                        "local-west",
                        "node",
                        NodeState.FAILED,
                        "gpu.large",
                        "2.10",
                        "boots and never joins",
                        ""));
    }

    private static NodeView node(
            String id,
            String site,
            String role,
            NodeState state,
            String type,
            String price,
            String reason,
            String job) {
        return NodeView.of(view -> {
            view.id = id;
            view.site = site;
            view.role = role;
            view.state = state;
            view.offering = "a/" + type + "/on-demand";
            view.instance = "i-0" + Math.abs(id.hashCode() % 100_000);
            view.address = "127.0.3." + id.length();
            view.since = NOON.minus(Duration.ofMinutes(7));
            view.pricePerHour = Money.parse(price);
            view.reason = reason;
            view.image = "ab12";
            view.jobs = job.isEmpty() ? List.of() : List.of(job);
        });
    }

    @Override
    public List<SiteView> sites() {
        return List.of(
                new SiteView(
                        "home",
                        "local",
                        true,
                        "idle",
                        "",
                        "",
                        0,
                        2,
                        0,
                        "ab12",
                        List.of(),
                        0,
                        false,
                        "",
                        CauseView.NONE,
                        org.spillway.api.CallsView.NONE,
                        CauseView.NONE),
                site("local-east", "up", "east-d1", 2, 4, 3, ""),
                site("local-west", "away", "west-d1", 2, 8, 7, "the link is down since 11:59:48"));
    }

    private static SiteView site(
            String name, String state, String director, int nodes, int most, int queued, String reason) {
        return new SiteView(
                name,
                "local",
                false,
                state,
                director,
                "127.0.3.7",
                nodes,
                most,
                queued,
                "ab12",
                List.of("ab12"),
                12,
                true,
                reason,
                reason.isEmpty() ? CauseView.NONE : new CauseView("TOLD", Map.of("text", reason), reason),
                org.spillway.api.CallsView.NONE,
                CauseView.NONE);
    }

    @Override
    public List<QueueView> queues() {
        return List.of(
                new QueueView(
                        "default",
                        List.of("home", "local-east", "local-west"),
                        true,
                        86_400,
                        2,
                        2,
                        List.of("on-demand", "reserved")),
                new QueueView(
                        "cloud",
                        List.of("local-east", "local-west"),
                        false,
                        86_400,
                        5,
                        1,
                        List.of("on-demand", "reserved", "spot")));
    }

    @Override
    public List<JobView> array(String id) {
        return List.of();
    }

    @Override
    public Optional<ExplainView> explain(String id) {
        return Optional.ofNullable(jobs.get(id))
                .map(job -> new ExplainView(
                        id,
                        job.state(),
                        job.reason().isEmpty() ? "" : "waiting: " + job.reason() + "; expected start 14:07",
                        41 << 20,
                        120 << 20,
                        null,
                        job.cause()));
    }

    @Override
    public Optional<NodeExplainView> explainNode(String id) {
        return Optional.empty();
    }

    @Override
    public PlanView plan() {
        if (busy) {
            throw new ApiException(ApiException.Code.UNAVAILABLE, "the loop is busy", "");
        }
        return new PlanView(
                NOON,
                "queue-depth",
                List.of(
                        PlanView.StepView.of(step -> {
                            step.action = "launch";
                            step.target = "local-west/a/gpu.large";
                            step.count = 2;
                            step.jobs = List.of("41");
                            step.committed = Money.parse("4.20");
                            step.reason = "5 jobs wait for 10 GPUs";
                        }),
                        PlanView.StepView.of(step -> {
                            step.action = "release";
                            step.target = "east-2";
                            step.count = 1;
                            step.reason = "idle for 5 min";
                        }),
                        PlanView.StepView.of(step -> {
                            step.action = "hold";
                            step.target = "8c-64g-8xh100";
                            step.jobs = List.of("42");
                            step.reason = "over the budget until midnight";
                        })),
                spend(),
                false);
    }

    @Override
    public SpendView spend() {
        return new SpendView(
                "EUR",
                "day",
                NOON.minus(Duration.ofHours(12)),
                Money.parse("50"),
                Money.parse("17.25"),
                Money.parse("6.5"),
                Money.parse("26.25"),
                Money.ZERO,
                Money.ZERO);
    }

    @Override
    public SpendPartsView spendParts() {
        return FakeHead.parts(NOON);
    }

    @Override
    public HealthView health() {
        return new HealthView("hydro", "0.1", 1, NOON.minus(Duration.ofHours(3)), false);
    }

    @Override
    public org.spillway.head.rest.ClustersApi clusters() {
        return clusters;
    }
}
