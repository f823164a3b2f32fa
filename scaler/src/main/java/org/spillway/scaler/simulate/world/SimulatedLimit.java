package org.spillway.scaler.simulate.world;

import org.spillway.policy.Limits;

/**
 * A limit that holds beside those of sites and the budget, as in {@link Limits.Limit}.
 *
 * @param name {@link #EACH} for each queue, user or account by itself that has no such limit of its own
 * @param span for which money is counted, in UTC; {@link Span#NOW} for all else
 */
public record SimulatedLimit(Limits.Scope scope, String name, Limits.Unit unit, long most, Span span) {
    public static final String EACH = "*";

    public SimulatedLimit {
        if (scope == Limits.Scope.LICENCE || (unit == Limits.Unit.MONEY_MICROS) == (span == Span.NOW) || most < 0) {
            throw new IllegalArgumentException("no such limit: " + scope + " " + name + " " + unit + " " + span);
        }
    }

    /** Of what time. */
    public enum Span {
        NOW,
        DAY,
        MONTH
    }
}
