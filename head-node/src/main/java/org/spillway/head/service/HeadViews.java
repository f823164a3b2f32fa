package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.lifecycle.JobState;
import org.spillway.head.lifecycle.NodeState;
import org.spillway.head.lifecycle.TransferState;
import org.spillway.head.loop.BudgetPeriod;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.Spending;
import org.spillway.head.rest.JobDetail;
import org.spillway.head.rest.JobView;
import org.spillway.head.rest.NodeView;
import org.spillway.head.rest.PlanView;
import org.spillway.head.rest.SiteView;
import org.spillway.head.rest.SpendView;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;
import org.spillway.stage.Checksum;

/** The journal as REST shows it. Any thread; each answer is of one moment, nearly. */
final class HeadViews {
    private final HeadConfig config;
    private final Journal journal;
    private final Loop loop;

    HeadViews(HeadConfig config, Journal journal, Loop loop) {
        this.config = config;
        this.journal = journal;
        this.loop = loop;
    }

    JobView job(JobRecord job, Instant now) {
        JobSpec spec = job.spec();
        JobRun run = job.run();
        boolean waits = job.isLive() && job.jobState() != JobState.RUNNING;
        String known = waits ? loop.waitReason(job.id()) : "";
        return new JobView(
                job.id(),
                spec.name(),
                spec.queue(),
                spec.site(),
                spec.user(),
                spec.uid(),
                job.jobState(),
                known.isEmpty() ? job.reason() : known,
                run.attempt(),
                run.node() == null ? "" : run.node(),
                spec.resources().cpus(),
                spec.resources().memoryBytes(),
                spec.resources().gpus(),
                spec.resources().gpuModel(),
                spec.walltime().toSeconds(),
                spec.priority(),
                spec.submittedAt(),
                startedAt(job),
                job.isLive() ? run.endedAt() : endedAt(job),
                run.exitCode(),
                cost(job, now));
    }

    private static @Nullable Instant startedAt(JobRecord job) {
        Instant told = job.run().startedAt();
        return told == null && job.jobState() == JobState.RUNNING ? job.since() : told;
    }

    private static Instant endedAt(JobRecord job) {
        Instant told = job.run().endedAt();
        return told == null ? job.since() : told;
    }

    /** The share of its node's price that its CPUs or GPUs are, whichever is larger, for as long as it ran. */
    private Money cost(JobRecord job, Instant now) {
        String id = job.run().node();
        Instant from = startedAt(job);
        NodeRecord node = id == null ? null : journal.node(id).orElse(null);
        if (node == null || from == null) {
            return Money.ZERO;
        }
        Instant to = job.jobState() == JobState.RUNNING ? now : endedAt(job);
        Money whole = node.pricePerHour().perHourFor(to.isAfter(from) ? Duration.between(from, to) : Duration.ZERO);
        long cpuShare = share(job.spec().resources().cpus(), node.resources().cpus());
        long gpuShare = share(job.spec().resources().gpus(), node.resources().gpus());
        return new Money(whole.micros() * Math.max(cpuShare, gpuShare) / 1000);
    }

    private static long share(int part, int whole) {
        return whole == 0 ? 0 : Math.min(1000, 1000L * part / whole);
    }

    JobDetail detail(JobRecord job, Instant now) {
        List<JobDetail.Moment> timeline = journal.store().timeline("job", job.id()).stream()
                .map(line -> new JobDetail.Moment(JobState.valueOf(line.to()), line.at(), line.reason()))
                .toList();
        List<JobDetail.TransferView> transfers = new ArrayList<>();
        List<JobDetail.OutputView> outputs = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        if (job.spec().input() != null) {
            transfers.add(input(job, job.spec().input()));
        }
        for (JobSpec.Output output : job.spec().outputs()) {
            Optional<JobRun.Result> result = job.run().results().stream()
                    .filter(one -> one.path().equals(output.path()))
                    .findFirst();
            String state = state(job, result);
            outputs.add(new JobDetail.OutputView(output.path(), output.destination(), state));
            if (state.equals("missing")) {
                warnings.add("OUTPUT_MISSING: the job did not make " + output.path());
            }
            result.map(JobRun.Result::checksum)
                    .ifPresent(sum -> transfers.add(output(output.destination(), sum, state)));
        }
        if (job.run().attempt() > 0
                && job.run().exitCode() != null
                && !job.run().ranAsUser()) {
            warnings.add("RAN_AS_ANOTHER: it did not run with the uid of "
                    + job.spec().user());
        }
        return new JobDetail(job(job, now), timeline, transfers, outputs, warnings);
    }

    private static JobDetail.TransferView input(JobRecord job, String path) {
        Checksum staged = job.run().staged();
        TransferState state = staged != null
                ? TransferState.VERIFIED
                : job.jobState() == JobState.STAGING_IN
                        ? TransferState.RUNNING
                        : job.isLive() ? TransferState.PLANNED : TransferState.FAILED;
        long bytes = staged == null ? 0 : staged.bytes();
        return new JobDetail.TransferView("in", path, state, bytes, bytes, staged == null ? "" : staged.sha256());
    }

    private static JobDetail.TransferView output(String path, Checksum sum, String state) {
        boolean home = state.equals("published");
        return new JobDetail.TransferView(
                "out",
                path,
                home ? TransferState.VERIFIED : state.equals("failed") ? TransferState.FAILED : TransferState.RUNNING,
                home ? sum.bytes() : 0,
                sum.bytes(),
                home ? sum.sha256() : "");
    }

    private static String state(JobRecord job, Optional<JobRun.Result> result) {
        if (result.isEmpty()) {
            return job.isLive() ? "expected" : "failed";
        }
        if (result.get().checksum() == null) {
            return "missing";
        }
        if (job.run().published().contains(result.get().path())) {
            return "published";
        }
        return job.isLive() ? "expected" : "failed";
    }

    List<NodeView> nodes() {
        return journal.nodes().stream()
                .sorted(Comparator.comparing(NodeRecord::isLive)
                        .reversed()
                        .thenComparing(NodeRecord::site)
                        .thenComparing(NodeRecord::id))
                .map(this::node)
                .toList();
    }

    private NodeView node(NodeRecord node) {
        String jobs = String.join(
                ",", journal.runningOn(node.id()).stream().map(JobRecord::id).toList());
        return new NodeView(
                node.id(),
                node.site(),
                node.isDirector() ? "director" : "node",
                node.nodeState(),
                node.offering().zone() + "/" + node.offering().instanceType() + "/"
                        + node.offering().market(),
                node.instance() == null ? "" : node.instance(),
                node.address(),
                node.since(),
                node.pricePerHour(),
                node.reason(),
                jobs);
    }

    List<SiteView> sites() {
        return config.sites().values().stream().map(this::site).toList();
    }

    private SiteView site(HeadConfig.Site site) {
        Collection<NodeRecord> live = journal.liveNodes(site.name());
        Optional<NodeRecord> director =
                journal.liveDirectors(site.name()).stream().findFirst();
        int nodes = (int) live.stream()
                .filter(node -> !node.isDirector() && node.nodeState().mayCost())
                .count();
        int jobs = journal.jobsOf(site.name()).size();
        return new SiteView(
                site.name(),
                site.driver(),
                director.map(NodeRecord::nodeState).map(HeadViews::siteState).orElse("idle"),
                director.map(NodeRecord::id).orElse(""),
                nodes,
                site.maxNodes(),
                jobs,
                loop.trouble(site.name()));
    }

    private static String siteState(NodeState director) {
        return switch (director) {
            case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING -> "starting";
            case READY -> "up";
            case UNREACHABLE -> "away";
            case DRAINING, STOPPING, STOPPED, TERMINATING, TERMINATED, RECLAIMING, REPURPOSING, FAILED -> "ending";
        };
    }

    PlanView plan(Plan plan, Instant now) {
        List<PlanView.StepView> steps = plan.steps().stream()
                .map(step -> switch (step) {
                    case Step.Launch launch ->
                        new PlanView.StepView(
                                "launch",
                                launch.offering().toString(),
                                launch.count(),
                                launch.committed(),
                                launch.reason());
                    case Step.Release release ->
                        new PlanView.StepView("release", release.node(), 1, Money.ZERO, release.reason());
                    case Step.Hold hold -> new PlanView.StepView("hold", hold.shape(), 0, Money.ZERO, hold.reason());
                })
                .toList();
        return new PlanView(plan.at(), plan.policy(), steps, spend(now));
    }

    SpendView spend(Instant now) {
        BudgetPeriod period = BudgetPeriod.valueOf(config.budget().period().name());
        Instant since = period.start(now, config.timeZone());
        Money all = Spending.of(journal.nodes(), since, now);
        Money accrued = Spending.accrued(journal.nodes(), since, now);
        Money limit = config.budget().limit();
        return new SpendView(
                config.currency(),
                period.name().toLowerCase(java.util.Locale.ROOT),
                since,
                limit,
                accrued,
                all.minus(accrued),
                limit.minus(all));
    }
}
