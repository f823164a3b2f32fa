package org.spillway.head.rest;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.CauseView;
import org.spillway.api.CheckView;
import org.spillway.api.ExplainView;
import org.spillway.api.HealthView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobFilter;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.api.LogView;
import org.spillway.api.ManySubmissions;
import org.spillway.api.ManySubmitted;
import org.spillway.api.NodeExplainView;
import org.spillway.api.NodeOrder;
import org.spillway.api.NodeState;
import org.spillway.api.NodeTurnOrder;
import org.spillway.api.NodeView;
import org.spillway.api.PlanView;
import org.spillway.api.QueueView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendPartsView;
import org.spillway.api.SpendView;
import org.spillway.api.Submitted;
import org.spillway.api.TransferState;
import org.spillway.api.WebView;
import org.spillway.policy.Money;

/** A head in memory: it keeps what it is told. */
public final class FakeHead extends FakeParts {
    public static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    public static final List<JobDetail.OutputView> OUTPUTS =
            List.of(new JobDetail.OutputView("result.csv", "/home/ada/result.csv", true, "published"));
    private static final List<JobDetail.Moment> MOMENTS = List.of(
            new JobDetail.Moment(JobState.SUBMITTED, NOON, "accepted"),
            new JobDetail.Moment(JobState.STAGING_IN, NOON.plusMillis(1500), "site east chosen"));
    public final Map<String, JobView> jobs = new LinkedHashMap<>();
    public final Map<String, JobSubmission> submissions = new LinkedHashMap<>();
    public volatile boolean released;
    public volatile boolean stopped;
    /** Done before it is stopped. */
    public volatile Runnable stopping = () -> {};

    public volatile boolean broken;
    public volatile List<JobDetail.OutputView> outputs = OUTPUTS;
    /** Text that each rank of a running job has written, and the attempt that it is of. */
    public final Map<Integer, String> logs = new LinkedHashMap<>();

    public volatile int attempt = 1;
    /** Nodes that a test gives; without them there is one. */
    public List<NodeView> nodes = List.of();

    /** Why users may be out of date. */
    public CauseView directory = CauseView.NONE;

    public JobSight sight = JobSight.OWN;
    public final List<String> changes = new ArrayList<>();
    public FakeAccounts accounts = new FakeAccounts();
    public final FakePolicies policies = new FakePolicies();
    public final List<RoutePart> parts = new ArrayList<>();
    public final List<ManySubmissions.Mode> batches = new ArrayList<>();
    public final List<ManySubmissions.Ahead> aheads = new ArrayList<>();
    public final Map<String, String> keys = new LinkedHashMap<>();

    @Override
    public JobSight sight() {
        return sight;
    }

    @Override
    public synchronized Submitted submit(Caller caller, JobSubmission submission, String idempotencyKey) {
        var key = caller.uid() + "/" + idempotencyKey;
        var known = keys.get(key);
        if (known != null) {
            if (!submission.equals(submissions.get(known))) {
                throw new ApiException(Code.KEY_REUSED, "this key was used for another job", "use a new key");
            }
            return new Submitted(known, List.of(jobs.get(known)));
        }
        var id = String.valueOf(jobs.size() + 1);
        var job = job(id, submission.name(), caller.user(), caller.uid(), JobState.SUBMITTED);
        jobs.put(id, job);
        submissions.put(id, submission);
        keys.put(key, id);
        return new Submitted(id, List.of(job));
    }

    @Override
    public synchronized List<ManySubmitted.SubmissionAnswer> submit(
            Caller caller,
            ManySubmissions.Mode mode,
            ManySubmissions.Ahead ahead,
            List<ManySubmissions.KeyedSubmission> asked) {
        if (broken) {
            throw new IllegalStateException("broken");
        }
        aheads.add(ahead);
        batches.add(mode);
        var none = mode == ManySubmissions.Mode.CHECK
                || (mode == ManySubmissions.Mode.ALL
                        && asked.stream().anyMatch(one -> one.job().queue().equals("nowhere")));
        return asked.stream()
                .map(one -> {
                    if (one.job().queue().equals("nowhere")) {
                        return ManySubmitted.SubmissionAnswer.refused(
                                new ApiException(Code.UNKNOWN_QUEUE, "there is no queue 'nowhere'", "queues: east"));
                    }
                    try {
                        return none && !keys.containsKey(caller.uid() + "/" + one.key())
                                ? ManySubmitted.SubmissionAnswer.ACCEPTABLE
                                : ManySubmitted.SubmissionAnswer.submitted(
                                        submit(caller, one.job(), one.key()).id());
                    } catch (ApiException reused) {
                        return ManySubmitted.SubmissionAnswer.refused(reused);
                    }
                })
                .toList();
    }

    @Override
    public DecisionsApi decisions() {
        return new FakeDecisions();
    }

    @Override
    public PolicyApi policies() {
        return policies;
    }

    @Override
    public Optional<NodeExplainView> explainNode(String id) {
        return id.equals("east-1")
                ? Optional.of(new NodeExplainView(
                        id, NodeState.READY, "bought at 12:00:00 by decision d1: 2 jobs wait; runs job 2", "d1"))
                : Optional.empty();
    }

    @Override
    public BreakersApi breakers() {
        return new FakeBreakers(changes);
    }

    @Override
    public RecoveryApi recovery() {
        return new FakeRecovery(changes);
    }

    @Override
    public List<RoutePart> parts() {
        return List.copyOf(parts);
    }

    @Override
    public CheckView check(Caller caller, JobSubmission submission) {
        return new CheckView(
                "east",
                2,
                3072,
                submission.inputs().stream()
                        .map(input -> new CheckView.FoundInput(input.pattern(), input.target(), 2, 2048))
                        .toList(),
                "east",
                "a/small/on-demand",
                4,
                Money.parse("0.50"),
                Money.parse("0.09"),
                NOON.plusSeconds(40),
                "it would start in site east at about 12:00:40",
                List.of("project genome is pinned: it runs at home only"));
    }

    @Override
    public List<JobView> array(String id) {
        return jobs.values().stream().filter(job -> job.array().equals(id)).toList();
    }

    @Override
    public Optional<ExplainView> explain(String id) {
        return Optional.ofNullable(jobs.get(id))
                .map(job -> new ExplainView(
                        id,
                        job.state(),
                        "waiting: 41 of 120 MB staged; expected start 12:07",
                        41_000_000,
                        120_000_000,
                        NOON.plusSeconds(420),
                        job.cause()));
    }

    @Override
    public synchronized LogView log(String id, String stream, int rank, long after) {
        var text = logs.getOrDefault(rank, "");
        boolean more = after < text.length();
        return new LogView(
                id,
                attempt,
                stream,
                rank,
                after,
                more ? text.length() : after,
                more ? text.substring((int) after) : "",
                !more);
    }

    @Override
    public List<NodeView> addNodes(Caller caller, NodeOrder order) {
        changes.add(order.toString());
        return nodes();
    }

    @Override
    public NodeView changeNode(Caller caller, String id, String action) {
        if (!id.equals("east-1")) {
            throw new ApiException(Code.NOT_FOUND, "there is no node " + id, "'spillway nodes' lists them");
        }
        changes.add(action + " " + id);
        return nodes().getFirst();
    }

    @Override
    public NodeView turnNode(Caller caller, String id, String action, NodeTurnOrder order) {
        return changeNode(caller, id, action + " " + order);
    }

    @Override
    public List<QueueView> queues() {
        return List.of(
                new QueueView("east", List.of("home", "east"), true, 86_400, 1, 1, List.of("on-demand", "reserved")));
    }

    public static JobView job(String id, String name, String user, int uid, JobState state) {
        return of(id, "", name, user, uid, state);
    }

    public static JobView of(String id, String array, String name, String user, int uid, JobState state) {
        boolean done = state == JobState.DONE;
        return new JobView(
                id,
                array,
                name,
                "",
                "east",
                done ? "east" : "",
                user,
                uid,
                state,
                done ? "" : "waiting for a node",
                done ? 1 : 0,
                done ? List.of("east-1") : List.of(),
                1,
                2,
                4L << 30,
                1,
                "h100",
                600,
                0,
                NOON,
                done ? NOON.plusSeconds(3) : null,
                done ? NOON.plusSeconds(5) : null,
                done ? 0 : null,
                done ? 1024 : 0,
                done ? 512 : 0,
                Money.parse(done ? "0.01" : "0"),
                done ? CauseView.NONE : new CauseView("NODE_ON_THE_WAY", Map.of("type", "small"), "waiting for a node"),
                "",
                null);
    }

    @Override
    public synchronized List<JobView> jobs(JobFilter filter) {
        return jobs.values().stream()
                .filter(job -> filter.uid().isEmpty() || filter.uid().getAsInt() == job.uid())
                .filter(job -> filter.admits(job.queue(), job.state()))
                .filter(job -> filter.spans(job.submittedAt(), job.endedAt()))
                .limit(filter.limit())
                .toList();
    }

    @Override
    public synchronized Optional<JobDetail> job(String id) {
        return Optional.ofNullable(jobs.get(id))
                .map(job -> new JobDetail(
                        job,
                        MOMENTS,
                        new JobDetail.Timings(
                                NOON,
                                NOON.plusMillis(100),
                                NOON.plusMillis(1500),
                                NOON.plusMillis(200),
                                NOON.plusMillis(2500),
                                NOON.plusMillis(2600),
                                NOON.plusSeconds(3),
                                NOON.plusSeconds(5),
                                null),
                        List.of(new JobDetail.RankView(
                                0, "east-1", "127.0.0.9", NOON.plusSeconds(3), NOON.plusSeconds(5), 0, false, "", 24L)),
                        List.of(JobDetail.TransferView.still(
                                "in", "/home/ada/data.csv", TransferState.VERIFIED, 1024, 1024, "ab12", 2)),
                        outputs,
                        List.of("output 'log.txt' was not made"),
                        new JobDetail.SyncView(60, NOON.plusSeconds(4), 2, 2048, 4096, ""),
                        new JobDetail.DataView(
                                20, 4, 24, 0, 0, new JobDetail.NoticeView(1, 42, new Money(1_200), true, "east")),
                        "docker.io/library/debian:12@sha256:" + "ab".repeat(32)));
    }

    @Override
    public synchronized JobView cancel(Caller caller, String id) {
        var job = jobs.get(id);
        jobs.put(id, job(id, job.name(), job.user(), job.uid(), JobState.CANCELLED));
        return jobs.get(id);
    }

    @Override
    public synchronized List<JobView> cancelArray(Caller caller, String id) {
        array(id)
                .forEach(task -> jobs.put(
                        task.id(), of(task.id(), id, task.name(), task.user(), task.uid(), JobState.CANCELLED)));
        return array(id);
    }

    @Override
    public List<NodeView> nodes() {
        if (broken) {
            throw new IllegalStateException("a secret detail");
        }
        if (!nodes.isEmpty()) {
            return nodes;
        }
        return List.of(NodeView.of(view -> {
            view.id = "east-1";
            view.site = "east";
            view.state = released ? NodeState.TERMINATED : NodeState.READY;
            view.offering = "a/small/on-demand";
            view.instance = "i-1";
            view.address = "127.0.0.9";
            view.since = NOON;
            view.pricePerHour = Money.parse("0.50");
            view.image = "ab12";
            view.jobs = List.of("1");
        }));
    }

    @Override
    public List<SiteView> sites() {
        return List.of(new SiteView(
                "east",
                "local",
                false,
                "up",
                "east-d1",
                "127.0.0.8",
                1,
                4,
                1,
                "ab12",
                List.of("ab12"),
                7,
                true,
                "",
                CauseView.NONE,
                new org.spillway.api.CallsView(37, 5, 1500, 600, 300),
                directory));
    }

    @Override
    public SiteApi accounts() {
        return accounts;
    }

    @Override
    public PlanView plan() {
        return FakePlan.of(spend());
    }

    @Override
    public SpendView spend() {
        return new SpendView(
                "EUR",
                "day",
                NOON,
                Money.parse("50"),
                Money.parse("1"),
                Money.parse("2.5"),
                Money.parse("46.5"),
                Money.parse("0.25"),
                Money.parse("0.75"));
    }

    @Override
    public SpendPartsView spendParts() {
        return parts(NOON);
    }

    /** Parts that sum to one unit of money. */
    public static SpendPartsView parts(Instant since) {
        return new SpendPartsView(
                "EUR",
                "day",
                since,
                Money.parse("1"),
                List.of(
                        new SpendPartsView.PartView("jobs", "east", "ada", "physics", "tides", Money.parse("0.6")),
                        new SpendPartsView.PartView("idle", "east", "", "", "", Money.parse("0.25")),
                        new SpendPartsView.PartView("directors", "east", "", "", "", Money.parse("0.15"))));
    }

    @Override
    public HealthView health() {
        return new HealthView("demo", "0.1", ProcessHandle.current().pid(), NOON, released);
    }

    @Override
    public WebView web(Caller caller) {
        return caller.admin()
                ? new WebView("http://127.0.0.1:8080/?token=t", null)
                : new WebView("http://127.0.0.1:8080/?token=of-another", Instant.parse("2026-11-22T21:00:00Z"));
    }

    @Override
    public void release(Caller caller) {
        released = true;
    }

    @Override
    public void shutdown(Caller caller) {
        stopping.run();
        stopped = true;
    }
}
