package org.spillway.head.loop.state;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.limits.Lifetime;
import org.spillway.head.loop.settings.LoopSettings;
import org.spillway.policy.Money;

/**
 * The time and the money that the jobs of a cluster on demand have. Walltimes that nobody asked for are cut to them: when a
 * job is submitted, again when there is more of either, and when it starts. Other heads live without end.
 */
public final class Lifespan {
    private final World world;
    private volatile @Nullable Lifetime life;
    private volatile Means means = new Means(Money.ZERO, Money.ZERO);
    private boolean changed;

    private record Means(Money left, Money nodesPerHour) {}

    Lifespan(World world) {
        this.world = world;
    }

    /** Before the first tick. */
    public void begin(Lifetime known) {
        life = known;
    }

    /** The cluster's end is another. Loop thread only. */
    public void endsAt(Instant end) {
        Lifetime known = life;
        if (known != null && !known.ends().equals(end)) {
            life = known.endingAt(end);
            changed = true;
        }
    }

    /** There is another amount of money. Loop thread only. */
    void paid() {
        changed = true;
    }

    /** Each tick. @param purse what is left in it */
    public void advance(Purse purse, Instant now) {
        if (life == null) {
            return;
        }
        Money perHour = Money.ZERO;
        for (NodeRecord node : world.journal().liveNodes()) {
            if (!node.isDirector()) {
                perHour = perHour.plus(node.pricePerHour());
            }
        }
        means = new Means(purse.left(now), perHour);
        if (changed) {
            changed = false;
            recut(now);
        }
    }

    private void recut(Instant now) {
        List<Entry> recut = new ArrayList<>();
        for (JobRecord job : world.journal().jobs()) {
            boolean waits = switch (job.jobState()) {
                case SUBMITTED, HELD, STAGING_IN, QUEUED -> true;
                case RUNNING, STAGING_OUT, DONE, FAILED, CANCELLED -> false;
            };
            JobRecord next = waits ? cut(job, now) : job;
            if (!next.equals(job)) {
                recut.add(next);
            }
        }
        if (!recut.isEmpty()) {
            world.journal().commit(now, recut);
        }
    }

    /** How long a job may run that begins now; empty for a head without an end. Any thread. */
    public Optional<Lifetime.Bounds> bounds(Instant now) {
        Lifetime known = life;
        if (known == null) {
            return Optional.empty();
        }
        LoopSettings.Spending spending = world.settings().spending();
        Duration reserved = spending.idleTime().plus(spending.endingAllowance());
        Means there = means;
        return Optional.of(known.bounds(now, there.left, there.nodesPerHour, reserved));
    }

    /** The same job with as much of a walltime that nobody asked for as there is time and money for now. */
    public JobRecord cut(JobRecord job, Instant now) {
        Duration usual = job.spec().need().usual();
        if (usual == null || job.spec().walltime().isZero()) {
            return job;
        }
        Duration length =
                bounds(now).map(most -> most.cut(usual)).orElse(job.spec().walltime());
        return length.equals(job.spec().walltime()) ? job : job.with(job.spec().lasting(length));
    }
}
