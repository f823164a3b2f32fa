package org.spillway.head.web;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.spillway.api.ExplainView;
import org.spillway.api.HealthView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobFilter;
import org.spillway.api.JobView;
import org.spillway.api.NodeExplainView;
import org.spillway.api.NodeView;
import org.spillway.api.PlanView;
import org.spillway.api.QueueView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendPartsView;
import org.spillway.api.SpendView;
import org.spillway.head.service.Answers;

/** The page of a head that lives in a simulated world. */
public final class ShownPage extends PageHead {
    private static final Templates TEMPLATES = new Templates();

    private final Answers answers;
    private final Supplier<Instant> clock;
    private long nanos;

    public ShownPage(Answers answers, Supplier<Instant> clock) {
        this.answers = answers;
        this.clock = clock;
    }

    private Feed feed() {
        return new Feed(this, TEMPLATES, clock::get, () -> nanos++);
    }

    /** The main page's parts by name, as HTML. */
    public Map<String, String> main() {
        return feed().mainParts();
    }

    /** A job's page as HTML. */
    public String page(String id) {
        return feed().jobParts(id).values().iterator().next();
    }

    @Override
    public List<JobView> jobs(JobFilter filter) {
        return answers.live();
    }

    @Override
    public Optional<JobDetail> job(String id) {
        return Optional.of(answers.detail(id));
    }

    @Override
    public Optional<ExplainView> explain(String id) {
        return Optional.of(answers.explain(id));
    }

    @Override
    public List<JobView> array(String id) {
        return List.of();
    }

    @Override
    public List<NodeView> nodes() {
        return answers.nodes();
    }

    @Override
    public List<SiteView> sites() {
        return answers.sites();
    }

    @Override
    public List<QueueView> queues() {
        return answers.queues();
    }

    @Override
    public PlanView plan() {
        return answers.plan();
    }

    @Override
    public SpendView spend() {
        return answers.spend();
    }

    @Override
    public SpendPartsView spendParts() {
        throw new AssertionError("nobody asks");
    }

    @Override
    public Optional<NodeExplainView> explainNode(String id) {
        throw new AssertionError("nobody asks");
    }

    @Override
    public HealthView health() {
        throw new AssertionError("nobody asks");
    }
}
