package org.spillway.head.loop.settings;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.head.limits.Cap;
import org.spillway.head.limits.Shares;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.policy.Money;
import org.spillway.policy.ScheduleWindow;
import org.spillway.scaler.plan.Breakers;

/**
 * The loop's own settings.
 *
 * @param lease how long a node lives without hearing of the head
 * @param margin added to a lease before anything is concluded from its end: the longest that a directive may be under
 *     way, and clock drift
 * @param maxAttempts after which a job that loses its node each time is failed
 * @param endingAllowance how long ending a node may take; its price is reserved for that long too
 * @param idleTime how long the policy lets a node idle; reserved as well
 * @param breakers when launches are stopped
 * @param caps limits besides those of sites and the budget
 * @param shares who is entitled to what; null where nothing is shared
 * @param stagedPerUserBytes the most that the inputs of one user's jobs may take in the staging space of one site
 * @param roles what nodes can be
 * @param dryRun plans are made and journalled, and nothing of them is done
 */
public record LoopSettings(
        String cluster,
        Duration lease,
        Duration margin,
        Money budget,
        BudgetPeriod period,
        ZoneId zone,
        int maxAttempts,
        Duration idleTime,
        Duration endingAllowance,
        Map<String, SitePlan> sites,
        Schedule schedule,
        Breakers.Settings breakers,
        List<Cap> caps,
        @Nullable Shares shares,
        long stagedPerUserBytes,
        boolean dryRun,
        Roles roles) {
    /** Windows that open and close by the clock. */
    @FunctionalInterface
    public interface Schedule {
        Schedule NONE = now -> List.of();

        /** Pure; the windows that are open at this time. */
        List<ScheduleWindow> open(Instant now);
    }

    /** Without a schedule and a limit for users, and with the usual breakers. */
    public LoopSettings(
            String cluster,
            Duration lease,
            Duration margin,
            Money budget,
            BudgetPeriod period,
            ZoneId zone,
            int maxAttempts,
            Duration idleTime,
            Duration endingAllowance,
            Map<String, SitePlan> sites) {
        this(
                cluster,
                lease,
                margin,
                budget,
                period,
                zone,
                maxAttempts,
                idleTime,
                endingAllowance,
                sites,
                Schedule.NONE,
                Breakers.Settings.DEFAULTS);
    }

    /** Without further limits and shares. */
    public LoopSettings(
            String cluster,
            Duration lease,
            Duration margin,
            Money budget,
            BudgetPeriod period,
            ZoneId zone,
            int maxAttempts,
            Duration idleTime,
            Duration endingAllowance,
            Map<String, SitePlan> sites,
            Schedule schedule,
            Breakers.Settings breakers) {
        this(
                cluster,
                lease,
                margin,
                budget,
                period,
                zone,
                maxAttempts,
                idleTime,
                endingAllowance,
                sites,
                schedule,
                breakers,
                List.of(),
                null,
                Long.MAX_VALUE,
                false,
                Roles.NONE);
    }

    /** The same with these. */
    public LoopSettings with(Roles others) {
        return new LoopSettings(
                cluster,
                lease,
                margin,
                budget,
                period,
                zone,
                maxAttempts,
                idleTime,
                endingAllowance,
                sites,
                schedule,
                breakers,
                caps,
                shares,
                stagedPerUserBytes,
                dryRun,
                others);
    }

    public LoopSettings {
        caps = List.copyOf(caps);
        sites = Map.copyOf(sites);
    }
}
