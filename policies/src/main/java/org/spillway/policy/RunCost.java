package org.spillway.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Cost of one job on new nodes of one offering, in money and in time, as policies and the planner compare it. An
 * estimate before the fact; what a launch commits is the host's own sum, by the walltime.
 *
 * <p>A node is paid from its launch. It boots, waits where the input takes longer than the boot, and runs the job for its
 * expected time; as many jobs of the shape as fit side by side share its price. On an offering whose nodes are taken back,
 * each loss throws the run away and boots again: with r reclaims an hour over all of the job's nodes, a run of T and a
 * boot of B take (1/r + B) (e^(rT) - 1) until one run was left in peace (J. T. Daly, 2006, without checkpoints). For a
 * small r that is T + r T (T/2 + B): the expected lost work.
 *
 * @param compute price of the nodes for boot, wait and the expected run
 * @param transfer price of moving its input and results
 * @param risk price of the work that is expected to be lost with nodes that are taken back
 * @param untilStart from now to the start: the longer of boot and the rest of moving the input
 * @param untilEnd from now to the expected end, lost work included
 */
public record RunCost(Money compute, Money transfer, Money risk, Duration untilStart, Duration untilEnd) {
    /** From launch to a usable node where nothing has been measured. */
    public static final Duration BOOT_UNKNOWN = Duration.ofSeconds(60);
    /** Longer than this nothing is estimated: a longer walltime is a missing one. */
    public static final Duration LONGEST = Duration.ofDays(366);

    private static final Money MOST = new Money(Long.MAX_VALUE);
    private static final double SECONDS_PER_HOUR = 3600;

    /** The sum; an amount that is too large to count is the largest that can be counted. */
    public Money total() {
        return sum(sum(compute, transfer), risk);
    }

    /**
     * @param offering one that can hold the demand; one that cannot is priced as if a node held one slot
     * @param status of the offering; null for one that was never asked: it boots in {@link #BOOT_UNKNOWN} and is never
     *     taken back
     */
    public static RunCost of(Demand demand, Offering offering, @Nullable OfferingStatus status) {
        String site = offering.id().site();
        Duration boot = status == null ? BOOT_UNKNOWN : status.bootEstimate();
        Duration rest = demand.stageInRest().getOrDefault(site, Duration.ZERO);
        Duration start = bounded(boot.compareTo(rest) > 0 ? boot : rest);
        Duration run = bounded(demand.terms().expected());
        Duration lost = lost(run, bounded(boot), (status == null ? 0 : status.reclaimsPerHour()) * demand.nodes());
        int sideBySide = Math.max(1, demand.perNode().timesIn(offering.resources(), demand.jobs()));
        Money compute = share(offering, start.plus(run), demand.nodes(), sideBySide);
        Money risk = lost.isZero() ? Money.ZERO : share(offering, lost, demand.nodes(), sideBySide);
        Money transfer = demand.terms().transferPrice().getOrDefault(site, Money.ZERO);
        return new RunCost(compute, transfer, risk, start, start.plus(run).plus(lost));
    }

    private static Duration lost(Duration run, Duration boot, double reclaimsPerHour) {
        double hours = run.toMillis() / 1000.0 / SECONDS_PER_HOUR;
        if (reclaimsPerHour <= 0 || hours == 0) {
            return Duration.ZERO;
        }
        double bootHours = boot.toMillis() / 1000.0 / SECONDS_PER_HOUR;
        double lostHours = (1 / reclaimsPerHour + bootHours) * Math.expm1(reclaimsPerHour * hours) - hours;
        double seconds = Math.min(Math.max(0, lostHours * SECONDS_PER_HOUR), (double) LONGEST.toSeconds());
        return Duration.ofSeconds((long) Math.ceil(seconds));
    }

    private static Money share(Offering offering, Duration time, int nodes, int sideBySide) {
        try {
            long micros = offering.pricePerHour().perHourFor(time).times(nodes).micros();
            return new Money(Math.ceilDiv(micros, (long) sideBySide));
        } catch (ArithmeticException tooLarge) {
            return MOST;
        }
    }

    private static Money sum(Money a, Money b) {
        try {
            return a.plus(b);
        } catch (ArithmeticException tooLarge) {
            return MOST;
        }
    }

    private static Duration bounded(Duration time) {
        return time.isNegative() ? Duration.ZERO : time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }
}
