package org.spillway.head.web;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.head.lifecycle.JobState;
import org.spillway.head.lifecycle.NodeState;
import org.spillway.head.lifecycle.TransferState;
import org.spillway.head.rest.ApiException;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.HeadApi;
import org.spillway.head.rest.HealthView;
import org.spillway.head.rest.JobDetail;
import org.spillway.head.rest.JobFilter;
import org.spillway.head.rest.JobSubmission;
import org.spillway.head.rest.JobView;
import org.spillway.head.rest.NodeView;
import org.spillway.head.rest.PlanView;
import org.spillway.head.rest.SiteView;
import org.spillway.head.rest.SpendView;
import org.spillway.head.rest.WebView;
import org.spillway.policy.Money;

/** A head on a busy day, in memory: two regions, a full queue, and a user who likes markup. */
final class BusyHead implements HeadApi {
    static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    static final String MARKUP = "<script>alert(1)</script>";
    private static final long GIB = 1L << 30;

    private final Map<String, JobView> jobs = new LinkedHashMap<>();
    private final Map<String, List<JobDetail.Moment>> timelines = new LinkedHashMap<>();
    private volatile boolean busy;

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
                        name,
                        gpus > 1 ? "cloud" : "default",
                        site,
                        user,
                        1001,
                        state,
                        reason,
                        started ? 1 : 0,
                        node,
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
                        Money.parse(started ? "0.1234" : "0")));
    }

    /** The job goes on to this state. */
    synchronized void step(String id, JobState state, String reason) {
        var job = jobs.get(id);
        var moments = new ArrayList<>(timelines.get(id));
        moments.add(new JobDetail.Moment(state, NOON, reason));
        timelines.put(id, moments);
        jobs.put(
                id,
                new JobView(
                        id,
                        job.name(),
                        job.queue(),
                        job.site(),
                        job.user(),
                        job.uid(),
                        state,
                        reason,
                        job.attempt(),
                        job.node(),
                        job.cpus(),
                        job.memoryBytes(),
                        job.gpus(),
                        job.gpuModel(),
                        job.walltimeSeconds(),
                        job.priority(),
                        job.submittedAt(),
                        job.startedAt(),
                        job.endedAt(),
                        job.exitCode(),
                        job.cost()));
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
                        List.of(new JobDetail.TransferView(
                                "in",
                                "/home/ada/philly/a rather long folder name that no screen is wide enough for/rows.csv",
                                TransferState.RUNNING,
                                41 << 20,
                                120 << 20,
                                "")),
                        List.of(
                                new JobDetail.OutputView("hours.csv", "/home/ada/hours.csv", "expected"),
                                new JobDetail.OutputView(MARKUP, "/home/ada/" + MARKUP, "missing")),
                        List.of("OUTPUT_MISSING: the job did not make " + MARKUP)));
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
        return new NodeView(
                id,
                site,
                role,
                state,
                "a/" + type + "/on-demand",
                "i-0" + Math.abs(id.hashCode() % 100_000),
                "127.0.3." + id.length(),
                NOON.minus(Duration.ofMinutes(7)),
                Money.parse(price),
                reason,
                job);
    }

    @Override
    public List<SiteView> sites() {
        return List.of(
                new SiteView("local-east", "local", "up", "east-d1", 2, 4, 3, ""),
                new SiteView("local-west", "local", "away", "west-d1", 2, 8, 7, "the link is down since 11:59:48"));
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
                        new PlanView.StepView(
                                "launch", "local-west/a/gpu.large", 2, Money.parse("4.20"), "5 jobs wait for 10 GPUs"),
                        new PlanView.StepView("release", "east-2", 1, Money.ZERO, "idle for 5 min"),
                        new PlanView.StepView(
                                "hold", "8c-64g-8xh100", 0, Money.ZERO, "over the budget until midnight")),
                spend());
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
                Money.parse("26.25"));
    }

    @Override
    public HealthView health() {
        return new HealthView("hydro", "0.1", 1, NOON.minus(Duration.ofHours(3)), false);
    }

    @Override
    public JobView submit(Caller caller, JobSubmission submission, String idempotencyKey) {
        throw new AssertionError("the page submits nothing");
    }

    @Override
    public JobView cancel(Caller caller, String id) {
        throw new AssertionError("the page cancels nothing");
    }

    @Override
    public void release(Caller caller) {
        throw new AssertionError("the page releases nothing");
    }

    @Override
    public void shutdown(Caller caller) {
        throw new AssertionError("the page stops nothing");
    }

    @Override
    public WebView web() {
        throw new AssertionError("the page does not show its own link");
    }
}
