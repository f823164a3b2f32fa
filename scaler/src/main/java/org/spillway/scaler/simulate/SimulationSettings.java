package org.spillway.scaler.simulate;

import java.time.Duration;
import org.spillway.policy.Money;

/**
 * @param seed of all chance
 * @param tick time between two decisions, 1 s to 1 h; default 60 s
 * @param defaultLimit how long a job may run that asks for no time, until enough jobs have ended; default 24 h
 * @param shutdown from a release to the end of the bill; default 30 s
 * @param monthlyBudget that may be committed in each 30 days from the start of the log; negative for no budget
 * @param everyTick whether to ask the policy also when nothing can have changed; for comparison, slow
 * @param samples points of the charts
 */
public record SimulationSettings(
        long seed,
        Duration tick,
        Duration defaultLimit,
        Duration shutdown,
        Money monthlyBudget,
        boolean everyTick,
        int samples) {
    public static final Money NO_BUDGET = new Money(-1);
    public static final SimulationSettings DEFAULTS = new SimulationSettings(
            1, Duration.ofSeconds(60), Duration.ofHours(24), Duration.ofSeconds(30), NO_BUDGET, false, 600);

    public SimulationSettings {
        if (tick.compareTo(Duration.ofSeconds(1)) < 0 || tick.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("tick is " + tick + "; allowed: 1 s to 1 h");
        }
        if (defaultLimit.isNegative() || defaultLimit.isZero() || shutdown.isNegative()) {
            throw new IllegalArgumentException("a time is negative");
        }
        if (samples < 2) {
            throw new IllegalArgumentException("samples is " + samples + "; allowed: 2 or more");
        }
    }
}
