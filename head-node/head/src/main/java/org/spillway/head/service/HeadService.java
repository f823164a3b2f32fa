package org.spillway.head.service;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
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
import org.spillway.api.NodeTurnOrder;
import org.spillway.api.NodeView;
import org.spillway.api.PlanView;
import org.spillway.api.QueueView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendPartsView;
import org.spillway.api.SpendView;
import org.spillway.api.Submitted;
import org.spillway.api.WebView;
import org.spillway.head.explain.NodeFacts;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Change;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.rest.AccountsApi;
import org.spillway.head.rest.BackupsApi;
import org.spillway.head.rest.BreakersApi;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.ClustersApi;
import org.spillway.head.rest.DecisionsApi;
import org.spillway.head.rest.HeadApi;
import org.spillway.head.rest.NodeLogsApi;
import org.spillway.head.rest.NodePagesApi;
import org.spillway.head.rest.PolicyApi;
import org.spillway.head.rest.RecoveryApi;
import org.spillway.head.rest.RolloutsApi;
import org.spillway.head.rest.RoutePart;
import org.spillway.head.rest.SessionsApi;
import org.spillway.head.rest.SiteApi;
import org.spillway.head.rest.StagesApi;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.Plan;

/** REST's port, on the loop: reads come from the journal, changes are made on the loop's thread. */
final class HeadService implements HeadApi {

    private final String cluster;
    private final String version;
    private final Journal journal;
    private final ForeignNumbers foreign;
    private final Loop loop;
    private final LoopRunner runner;
    private final Admission admission;
    private final HeadViews views;
    private final JobLogs logs;
    private final NodesByHand byHand;
    private final SubmissionDesk submissions;
    private final SiteApi accounts;
    private final DecisionsApi decisions;
    private final PolicyApi policies;
    private final BreakersApi breakers;
    private final RecoveryApi recovery;
    private final Supplier<Optional<Function<Caller, WebView>>> webLink;
    private final List<RoutePart> parts;
    private final ClustersApi clusters;
    private final StagesApi stages;
    private final RolloutsApi rollouts;
    private final BackupsApi backups;
    private final NodeLogsApi nodeLogs;
    private final NodePagesApi nodePages;
    private final SessionsApi sessions;
    private final AccountsApi users;
    private final InstantSource clock;
    private final Instant startedAt;

    HeadService(
            String cluster,
            String version,
            Journal journal,
            Loop loop,
            LoopRunner runner,
            Admission admission,
            HeadViews views,
            JobLogs logs,
            SiteApi accounts,
            DecisionsApi decisions,
            PolicyApi policies,
            Supplier<Optional<Function<Caller, WebView>>> webLink,
            List<RoutePart> parts,
            ClustersApi clusters,
            StagesApi stages,
            RolloutsApi rollouts,
            BackupsApi backups,
            NodeLogsApi nodeLogs,
            SessionsApi sessions,
            AccountsApi users,
            InstantSource clock) {
        this.cluster = cluster;
        this.version = version;
        this.journal = journal;
        this.foreign = new ForeignNumbers(journal);
        this.loop = loop;
        this.runner = runner;
        this.admission = admission;
        this.views = views;
        this.logs = logs;
        this.accounts = accounts;
        this.decisions = decisions;
        this.policies = policies;
        this.breakers = new BreakerDesk(journal, runner);
        this.recovery = new RecoveryDesk(journal, loop, runner);
        this.byHand = new NodesByHand(loop, runner, views::node);
        this.submissions = new SubmissionDesk(journal, loop, runner, admission, views, clock);
        this.webLink = webLink;
        this.parts = List.copyOf(parts);
        this.clusters = clusters;
        this.stages = stages;
        this.rollouts = rollouts;
        this.backups = backups;
        this.nodeLogs = nodeLogs;
        this.sessions = sessions;
        this.users = users;
        this.clock = clock;
        this.startedAt = clock.instant();
        this.nodePages = new NodePageDesk(
                journal,
                views::node,
                id -> factsOf(id).map(facts -> views.explainNode(facts.withoutGate(), clock.instant())),
                loop::heard,
                nodeLogs);
    }

    @Override
    public Submitted submit(Caller caller, JobSubmission submission, String idempotencyKey) {
        return submissions.submit(caller, submission, idempotencyKey);
    }

    @Override
    public List<ManySubmitted.SubmissionAnswer> submit(
            Caller caller,
            ManySubmissions.Mode mode,
            ManySubmissions.Ahead ahead,
            List<ManySubmissions.KeyedSubmission> submissions) {
        return this.submissions.submit(caller, mode, ahead, submissions);
    }

    @Override
    public List<JobView> array(String id) {
        Instant now = clock.instant();
        return tasks(id).stream().map(job -> views.job(job, now)).toList();
    }

    private List<JobRecord> tasks(String id) {
        List<JobRecord> own = journal.store().tasks(id);
        return own.isEmpty() ? foreign.tasks(id) : own;
    }

    @Override
    public CheckView check(Caller caller, JobSubmission submission) {
        Judgement judgement = admission.judge(caller, submission, "check", clock.instant());
        return runner.ask(
                now -> Checks.view(judgement, loop.wouldPlace(judgement.spec(), judgement.bytesOfOne(), now), now));
    }

    @Override
    public Optional<ExplainView> explain(String id) {
        return runner.ask(now ->
                journal.job(id).flatMap(job -> loop.explain(id, now).map(facts -> views.explain(job, facts, now))));
    }

    @Override
    public LogView log(String id, String stream, int rank, long after) {
        return logs.log(id, stream, rank, after);
    }

    @Override
    public List<NodeView> addNodes(Caller caller, NodeOrder order) {
        return byHand.add(caller.user(), order);
    }

    @Override
    public NodeView changeNode(Caller caller, String id, String action) {
        return byHand.change(id, action);
    }

    @Override
    public NodeView turnNode(Caller caller, String id, String action, NodeTurnOrder order) {
        return byHand.turn(id, action, order);
    }

    @Override
    public List<QueueView> queues() {
        return views.queues();
    }

    @Override
    public List<JobView> jobs(JobFilter filter) {
        Instant now = clock.instant();
        List<JobRecord> jobs = new ArrayList<>(journal.jobs());
        if (filter.ended()) {
            jobs.addAll(journal.store().endedJobs(filter));
        }
        return jobs.stream()
                .filter(job -> filter.uid().isEmpty()
                        || filter.uid().getAsInt() == job.spec().uid())
                .filter(job -> filter.admits(job.spec().queue(), job.jobState()))
                .filter(job ->
                        filter.spans(job.spec().submittedAt(), job.jobState().isTerminal() ? job.since() : null))
                .sorted(Comparator.comparing((JobRecord job) -> job.spec().submittedAt())
                        .thenComparing(JobRecord::id)
                        .reversed())
                .limit(filter.limit())
                .map(job -> views.job(job, now))
                .toList();
    }

    @Override
    public Optional<JobDetail> job(String id) {
        return journal.job(id).or(() -> foreign.job(id)).map(job -> views.detail(job, clock.instant()));
    }

    @Override
    public JobView cancel(Caller caller, String id) {
        return runner.change("job " + id, now -> {
            JobRecord job = journal.job(id)
                    .orElseThrow(() -> new ApiException(
                            Code.NOT_FOUND, "there is no job " + id, "spillway queue lists your jobs"));
            if (!mayBeCancelled(job)) {
                return Change.none(views.job(job, now));
            }
            JobRecord cancelled = cancelled(job, now);
            return new Change<>(List.of(cancelled), views.job(cancelled, now));
        });
    }

    @Override
    public List<JobView> cancelArray(Caller caller, String id) {
        return runner.ask(now -> {
            List<JobRecord> tasks = tasks(id).stream()
                    .map(task -> journal.job(task.id()).orElse(task))
                    .toList();
            if (tasks.isEmpty()) {
                throw new ApiException(Code.NOT_FOUND, "there is no array " + id, "spillway queue lists your jobs");
            }
            List<JobRecord> changed = tasks.stream()
                    .filter(HeadService::mayBeCancelled)
                    .map(task -> cancelled(task, now))
                    .toList();
            if (!changed.isEmpty()) {
                journal.commit(now, changed);
            }
            return tasks.stream()
                    .map(task -> views.job(journal.job(task.id()).orElse(task), now))
                    .toList();
        });
    }

    /** A job that was cancelled while it ran may be cancelled once more while its results are on their way. */
    private static boolean mayBeCancelled(JobRecord job) {
        return job.isLive() && (!job.run().cancelled() || job.jobState() == JobState.STAGING_OUT);
    }

    private static JobRecord cancelled(JobRecord job, Instant now) {
        return job.with(
                job.jobState() == JobState.STAGING_OUT
                        ? job.run().withGivenUp(now)
                        : job.run().withCancelled());
    }

    @Override
    public List<NodeView> nodes() {
        return views.nodes();
    }

    @Override
    public List<SiteView> sites() {
        return views.sites();
    }

    @Override
    public SiteApi accounts() {
        return accounts;
    }

    @Override
    public DecisionsApi decisions() {
        return decisions;
    }

    @Override
    public PolicyApi policies() {
        return policies;
    }

    /** The decision is read here, not on the loop: it lies on disk. */
    @Override
    public Optional<NodeExplainView> explainNode(String id) {
        return factsOf(id).map(facts -> views.explainNode(facts, clock.instant()));
    }

    private Optional<NodeFacts> factsOf(String id) {
        return runner.ask(now -> loop.explainNode(id)).map(facts -> {
            String decision = journal.store()
                    .decisions()
                    .at(facts.bought().at())
                    .filter(found -> found.launches().stream()
                            .anyMatch(launch -> launch.chosen().site().equals(facts.site())))
                    .map(DecisionEntry::id)
                    .orElse("");
            return facts.by(decision);
        });
    }

    @Override
    public BreakersApi breakers() {
        return breakers;
    }

    @Override
    public RecoveryApi recovery() {
        return recovery;
    }

    @Override
    public List<RoutePart> parts() {
        return parts;
    }

    @Override
    public AccountsApi users() {
        return users;
    }

    @Override
    public StagesApi stages() {
        return stages;
    }

    @Override
    public RolloutsApi rollouts() {
        return rollouts;
    }

    @Override
    public BackupsApi backups() {
        return backups;
    }

    @Override
    public NodeLogsApi nodeLogs() {
        return nodeLogs;
    }

    @Override
    public NodePagesApi nodePages() {
        return nodePages;
    }

    @Override
    public SessionsApi sessions() {
        return sessions;
    }

    @Override
    public ClustersApi clusters() {
        return clusters;
    }

    @Override
    public PlanView plan() {
        Scaler.Asked asked = runner.ask(loop::plan);
        Plan plan = asked.await().noted();
        return runner.ask(now -> views.plan(plan, now));
    }

    @Override
    public SpendView spend() {
        return views.spend(clock.instant());
    }

    @Override
    public SpendPartsView spendParts() {
        return views.spendParts(clock.instant());
    }

    @Override
    public HealthView health() {
        return new HealthView(cluster, version, ProcessHandle.current().pid(), startedAt, loop.isReleasing());
    }

    @Override
    public WebView web(Caller caller) {
        return webLink.get()
                .map(link -> link.apply(caller))
                .orElseThrow(() -> new ApiException(
                        Code.UNAVAILABLE, "this head serves no web page", "web.enabled in its configuration is false"));
    }

    @Override
    public void release(Caller caller) {
        runner.ask(now -> {
            loop.beginRelease();
            return true;
        });
    }

    @Override
    public void shutdown(Caller caller) {
        runner.stop();
    }
}
