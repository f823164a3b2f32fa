package org.spillway.head.loop.state;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.head.journal.EgressRecord;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.limits.Charge;
import org.spillway.head.loop.money.History;
import org.spillway.head.loop.money.Spending;
import org.spillway.policy.Money;
import org.spillway.stage.Checksum;

/**
 * Prices of sites for letting results out. Before a job starts it is expected to leave as much as jobs alike did, else
 * as much as its input is; while it runs and until all is at home that much is reserved, at the end what its results
 * weigh; from then on it is spent. Loop thread only, but for {@link #committed}.
 */
public final class Egress {
    private final World world;
    private final Sites sites;
    private final History history;
    private final Transfers transfers;
    /** By job: what those that run now, or whose results are on their way, are expected to cost. */
    private volatile Map<String, Charge> expected = new ConcurrentHashMap<>();

    private @Nullable Instant summedFrom;
    private Money summed = Money.ZERO;

    Egress(World world, Sites sites, History history, Transfers transfers) {
        this.world = world;
        this.sites = sites;
        this.history = history;
        this.transfers = transfers;
    }

    /** A job's expected results, and their price in the site that it is looked at for. */
    public record Expected(long bytes, Money price) {}

    /** Whether any site takes money for it; where none does nothing is worth looking at. */
    public boolean isPriced() {
        return sites.all().stream()
                .anyMatch(site -> site.plan.egressPerGigabyte().isMoreThan(Money.ZERO));
    }

    private Money perGigabyte(String site) {
        SiteState known = sites.find(site);
        return known == null ? Money.ZERO : known.plan.egressPerGigabyte();
    }

    /** Of a job that has not ended yet, in all of its nodes. @param inputBytes of its input, 0 when not known */
    public long bytes(JobSpec spec, long inputBytes) {
        OptionalLong alike = history.resultBytes(spec);
        return alike.orElse(spec.outputs().isEmpty() ? 0 : inputBytes);
    }

    /** In the site that it is bound to. */
    public Expected of(JobRecord job) {
        long left = History.left(job.run());
        long bytes = job.run().isOver() ? left : Math.max(left, bytes(job.spec(), inputBytes(job)));
        return new Expected(bytes, perGigabyte(job.run().site()).perGigabyteFor(bytes));
    }

    private long inputBytes(JobRecord job) {
        JobRun.Staged staged = job.run().staged();
        Checksum bundle = staged == null ? null : staged.bundle();
        return bundle == null ? transfers.inputBytes(job.id()) : bundle.bytes();
    }

    /** The most of one of these jobs. */
    public Money ofOne(List<String> jobs) {
        return jobs.stream()
                .flatMap(job -> world.journal().liveJob(job).stream())
                .map(job -> of(job).price())
                .max(Comparator.naturalOrder())
                .orElse(Money.ZERO);
    }

    /** At the beginning of each tick. */
    public void advance(Instant now) {
        Map<String, Charge> all = new ConcurrentHashMap<>();
        if (!isPriced()) {
            return;
        }
        Stream.of(JobState.RUNNING, JobState.STAGING_OUT)
                .flatMap(state -> world.journal().jobs(state).stream())
                .filter(job ->
                        !job.run().home() && perGigabyte(job.run().site()).isMoreThan(Money.ZERO))
                .forEach(job -> all.put(job.id(), charge(job, now)));
        expected = all;
    }

    /** A job that has just begun. */
    public void begun(JobRecord job, Instant now) {
        if (perGigabyte(job.run().site()).isMoreThan(Money.ZERO)) {
            expected.put(job.id(), charge(job, now));
        }
    }

    public Charge charge(JobRecord job, Instant now) {
        JobSpec spec = job.spec();
        return new Charge(
                job.run().site(), spec.queue(), spec.user(), spec.terms().account(), now, of(job).price());
    }

    /** The job whose results are at home, with what that has cost; only the first time. */
    public List<Entry> brought(JobRecord job, Instant now) {
        List<Entry> batch = new ArrayList<>();
        batch.add(job.with(job.run().atHome()));
        if (!job.run().home()) {
            batch.addAll(carried(job, History.left(job.run()), now));
        }
        expected.remove(job.id());
        return batch;
    }

    /** The cost of so many bytes of a job that have come home just now. */
    public List<Entry> carried(JobRecord job, long bytes, Instant now) {
        List<Entry> batch = new ArrayList<>();
        Money perGigabyte = perGigabyte(job.run().site());
        if (bytes > 0 && perGigabyte.isMoreThan(Money.ZERO)) {
            EgressRecord one = EgressRecord.of(job, bytes, perGigabyte.perGigabyteFor(bytes), now);
            batch.add(world.journal()
                    .egress(one.id())
                    .map(before -> before.plus(one))
                    .orElse(one));
            summedFrom = null;
        }
        return batch;
    }

    /** Money reserved for what runs and what is on its way, as of the last tick. Any thread. */
    public Money committed() {
        return expected.values().stream().map(Charge::price).reduce(Money.ZERO, Money::plus);
    }

    /** The amount that counts against the budget of the period that began then. */
    public Money of(Instant periodStart) {
        if (!periodStart.equals(summedFrom)) {
            summed = Spending.ofEgress(world.journal().egress(), periodStart);
            summedFrom = periodStart;
        }
        return summed.plus(committed());
    }

    /** For limits: what was spent, and what is reserved. */
    Collection<Charge> charges() {
        List<Charge> all = new ArrayList<>();
        world.journal().egress().forEach(brought -> all.add(Charge.of(brought)));
        all.addAll(expected.values());
        return all;
    }
}
