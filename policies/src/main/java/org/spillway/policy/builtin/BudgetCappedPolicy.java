package org.spillway.policy.builtin;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Planner;
import org.spillway.policy.RunCost;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;

/**
 * As {@code queue-depth}, but a budget lasts as long as its period: each slice of the period gets an equal part of it when
 * it begins, and what was not used stays for later. In a chain it cuts what the others wish for. A node counts as what the
 * host commits for it: its price for the longest walltime of its jobs and the boot; an hour where it is for no job. Where
 * a snapshot does not say when the budget's period began, nothing is cut.
 */
public final class BudgetCappedPolicy implements ScalingPolicy<BudgetCappedSettings>, Gate<BudgetCappedSettings> {
    private static final Duration PRE_WARMED = Duration.ofHours(1);

    @Override
    public String name() {
        return "budget-capped";
    }

    @Override
    public BudgetCappedSettings defaults() {
        return BudgetCappedSettings.DEFAULTS;
    }

    @Override
    public Optional<Instant> nextChange(ClusterSnapshot now, BudgetCappedSettings settings) {
        Limits.Period period = now.limits().period();
        Stream<Instant> slice = period == null
                ? Stream.of()
                : Stream.of(period.from()
                        .plusMillis(begun(now, period, settings)
                                * settings.slice().length().toMillis()));
        return Waking.first(now, Stream.concat(Waking.idle(now, settings.idleTime()), slice));
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, BudgetCappedSettings settings, Planner planner) {
        Growth growth = new Growth(now, planner, settings.maxNodesPerTick());
        growth.buy(growth.due());
        return cut(now, settings, growth.releasing(settings.idleTime()));
    }

    @Override
    public List<Wish> cut(ClusterSnapshot now, BudgetCappedSettings settings, List<Wish> wishes) {
        Limits.Period period = now.limits().period();
        return period == null ? wishes : new Cutting(now, allowance(now, period, settings), settings).cut(wishes);
    }

    /** Money that may be committed more by now; negative when too much is. */
    private static Money allowance(ClusterSnapshot now, Limits.Period period, BudgetCappedSettings settings) {
        long whole = Math.max(1, Duration.between(period.from(), period.until()).toMillis());
        long slice = settings.slice().length().toMillis();
        long open = Math.min(whole, Math.multiplyExact(begun(now, period, settings), slice));
        BigInteger limit = BigInteger.valueOf(period.limit().micros());
        BigInteger byNow = limit.multiply(BigInteger.valueOf(open)).divide(BigInteger.valueOf(whole));
        BigInteger ahead =
                limit.multiply(BigInteger.valueOf(settings.headStartPercent())).divide(BigInteger.valueOf(100));
        BigInteger spent =
                limit.subtract(BigInteger.valueOf(now.limits().budgetLeft().micros()));
        return new Money(byNow.add(ahead).min(limit).subtract(spent).longValueExact());
    }

    /** Slices that have begun, 1 or more. */
    private static long begun(ClusterSnapshot now, Limits.Period period, BudgetCappedSettings settings) {
        long into = Math.max(0, Duration.between(period.from(), now.now()).toMillis());
        return into / settings.slice().length().toMillis() + 1;
    }

    /** An answer while it is cut. */
    private static final class Cutting {
        private final Map<String, Demand> demands = new HashMap<>();
        private final Map<OfferingId, Money> prices = new HashMap<>();
        private final Map<OfferingId, Duration> boots = new HashMap<>();
        private final Set<String> broken = new HashSet<>();
        private final String reason;
        private Money left;

        Cutting(ClusterSnapshot now, Money allowance, BudgetCappedSettings settings) {
            now.demands().forEach(demand -> demands.put(demand.shape(), demand));
            now.offerings().forEach(offering -> prices.put(offering.id(), offering.pricePerHour()));
            now.statuses().forEach(status -> boots.put(status.id(), status.bootEstimate()));
            left = allowance;
            reason = "the budget is to last: " + allowance + " may be committed before the next "
                    + settings.slice().name().toLowerCase(Locale.ROOT) + " begins (budget-capped)";
        }

        List<Wish> cut(List<Wish> wishes) {
            List<Wish> kept = new ArrayList<>();
            for (Wish wish : wishes) {
                if (wish instanceof Wish.Provision provision) {
                    cut(provision, kept);
                } else {
                    kept.add(wish);
                }
            }
            return kept;
        }

        private void cut(Wish.Provision wish, List<Wish> kept) {
            List<OfferingId> affordable = wish.offerings().stream()
                    .filter(id -> !price(wish, id).isMoreThan(left))
                    .toList();
            Money dearest = affordable.stream()
                    .map(id -> price(wish, id))
                    .max(Comparator.naturalOrder())
                    .orElse(Money.ZERO);
            int gang = wish.shapes().stream()
                    .map(demands::get)
                    .mapToInt(demand -> demand == null ? 1 : demand.nodes())
                    .min()
                    .orElse(1);
            boolean after = wish.shapes().stream().anyMatch(broken::contains);
            long count = affordable.isEmpty() || (after && gang > 1) ? 0 : wish.count();
            if (count > 0 && dearest.micros() > 0) {
                count = Math.min(count, left.micros() / dearest.micros());
            }
            if (count < wish.count()) {
                broken.addAll(wish.shapes());
                // Less than all is of use in whole gangs only.
                count -= count % gang;
            }
            if (count == 0) {
                wish.shapes().forEach(shape -> kept.add(new Wish.Hold(shape, reason)));
                return;
            }
            left = left.minus(dearest.times(count));
            kept.add(new Wish.Provision(wish.shapes(), affordable, (int) count, wish.reason()));
        }

        private Money price(Wish.Provision wish, OfferingId id) {
            Duration time = wish.shapes().stream()
                    .map(demands::get)
                    .map(demand -> demand == null ? PRE_WARMED : demand.walltime())
                    .max(Comparator.naturalOrder())
                    .orElse(PRE_WARMED);
            try {
                return prices.getOrDefault(id, Money.ZERO)
                        .perHourFor(time.plus(boots.getOrDefault(id, RunCost.BOOT_UNKNOWN)));
            } catch (ArithmeticException tooLarge) {
                return new Money(Long.MAX_VALUE);
            }
        }
    }
}
