package org.spillway.head.service;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.spillway.api.CheckView;
import org.spillway.api.ExplainView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobView;
import org.spillway.api.NodeView;
import org.spillway.api.PlanView;
import org.spillway.api.QueueView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendView;
import org.spillway.head.cause.Cause;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Loop;
import org.spillway.head.staging.HomeReads;

/** REST's answers of a head that lives in a simulated world. */
public final class Answers {
    private final HeadViews views;
    private final Journal journal;
    private final Loop loop;
    private final Supplier<Instant> clock;

    public Answers(HeadConfig config, Journal journal, Loop loop, Supplier<Instant> clock) {
        this.views = new HeadViews(config, journal, loop, new HomeReads(), () -> Cause.NONE);
        this.journal = journal;
        this.loop = loop;
        this.clock = clock;
    }

    public List<JobView> live() {
        return journal.jobs().stream()
                .sorted(Comparator.comparing((JobRecord job) -> job.spec().submittedAt())
                        .thenComparing(JobRecord::id)
                        .reversed())
                .map(job -> views.job(job, clock.get()))
                .toList();
    }

    public JobDetail detail(String id) {
        return views.detail(journal.job(id).orElseThrow(), clock.get());
    }

    public ExplainView explain(String id) {
        return views.explain(
                journal.job(id).orElseThrow(), loop.explain(id, clock.get()).orElseThrow(), clock.get());
    }

    /** Of a job that was not submitted. */
    public CheckView check(JobSpec spec) {
        Judgement judgement = new Judgement(spec, 1, List.of(), List.of());
        return Checks.view(judgement, loop.wouldPlace(spec, 1, clock.get()), clock.get());
    }

    public List<NodeView> nodes() {
        return views.nodes();
    }

    public List<SiteView> sites() {
        return views.sites();
    }

    public List<QueueView> queues() {
        return views.queues();
    }

    public PlanView plan() {
        return views.plan(loop.plan(clock.get()).await().plan(), clock.get());
    }

    public SpendView spend() {
        return views.spend(clock.get());
    }
}
