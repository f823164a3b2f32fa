package org.spillway.head.loop.settings;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.head.limits.Cap;
import org.spillway.head.limits.QueueLimits;
import org.spillway.head.limits.Shares;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.policy.Money;
import org.spillway.policy.ScheduleWindow;
import org.spillway.scaler.plan.Breakers;

/**
 * The loop's own settings.
 *
 * @param maxAttempts after which a job that loses its node each time is failed
 * @param roles what nodes can be
 * @param markets in which machines may be bought for whom
 */
public record LoopSettings(
        String cluster,
        Lease lease,
        Spending spending,
        int maxAttempts,
        Map<String, SitePlan> sites,
        Planning planning,
        Limits limits,
        Roles roles,
        Markets markets) {
    public LoopSettings {
        sites = Map.copyOf(sites);
    }

    /**
     * @param length how long a node lives without hearing of the head
     * @param margin added to it before anything is concluded from its end: the longest that a directive may be under way,
     *     and clock drift
     */
    public record Lease(Duration length, Duration margin) {}

    /**
     * The budget, and the time for which a node's price is reserved besides its jobs' walltime.
     *
     * @param idleTime how long the policy lets a node idle
     * @param endingAllowance how long ending a node may take
     */
    public record Spending(
            Money budget, BudgetPeriod period, ZoneId zone, Duration idleTime, Duration endingAllowance) {
        public Instant periodStart(Instant now) {
            return period.start(now, zone);
        }

        public Instant periodEnd(Instant now) {
            return period.end(now, zone);
        }
    }

    /**
     * @param breakers when launches are stopped
     * @param dryRun plans are made and journalled, and nothing of them is done
     */
    public record Planning(Schedule schedule, Breakers.Settings breakers, boolean dryRun) {
        /** Without windows, with the usual breakers. */
        public static final Planning USUAL = new Planning(Schedule.NONE, Breakers.Settings.DEFAULTS, false);
    }

    /** Windows that open and close by the clock. */
    @FunctionalInterface
    public interface Schedule {
        Schedule NONE = now -> List.of();

        /** Pure; the windows that are open at this time. */
        List<ScheduleWindow> open(Instant now);
    }

    /**
     * @param caps limits besides those of sites and the budget
     * @param shares who is entitled to what; null where nothing is shared
     * @param stagedPerUserBytes the most that the inputs of one user's jobs may take in the staging space of one site
     * @param queue of jobs that have not ended
     */
    public record Limits(List<Cap> caps, @Nullable Shares shares, long stagedPerUserBytes, QueueLimits queue) {
        public static final Limits NONE = new Limits(List.of(), null, Long.MAX_VALUE, QueueLimits.NONE);

        public Limits {
            caps = List.copyOf(caps);
        }
    }

    /** The same with these. */
    public LoopSettings with(Roles others) {
        return new LoopSettings(cluster, lease, spending, maxAttempts, sites, planning, limits, others, markets);
    }

    /** The same with these limits. */
    public LoopSettings with(Limits others) {
        return new LoopSettings(cluster, lease, spending, maxAttempts, sites, planning, others, roles, markets);
    }

    /** The same with this lease. */
    public LoopSettings with(Lease other) {
        return new LoopSettings(cluster, other, spending, maxAttempts, sites, planning, limits, roles, markets);
    }

    /** The same with these markets. */
    public LoopSettings with(Markets others) {
        return new LoopSettings(cluster, lease, spending, maxAttempts, sites, planning, limits, roles, others);
    }
}
