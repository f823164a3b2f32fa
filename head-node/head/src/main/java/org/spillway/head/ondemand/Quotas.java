package org.spillway.head.ondemand;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.spillway.head.cause.ClusterCause.AboveLimit;
import org.spillway.head.cause.ClusterCause.Amount;
import org.spillway.head.config.ClusterSettings;
import org.spillway.head.config.ClusterSettings.Quota.Holder;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.ClusterSpec;
import org.spillway.policy.Money;

/**
 * Quotas of users and groups for clusters on demand. Pure. All quotas hold at once; what stands for each user or group
 * does not hold for one who has an amount of the same kind of their own.
 */
public final class Quotas {
    private Quotas() {}

    /**
     * @param key of the configuration, as sentences name it
     * @param wanted of the cluster as it shall be
     * @param others of all clusters that live besides it
     * @param gpus of one node of a cluster
     * @return the first quota that would be exceeded; empty when none would
     */
    public static Optional<AboveLimit> exceeded(
            String key,
            List<ClusterSettings.Quota> quotas,
            ClusterSpec wanted,
            Collection<ClusterSpec> others,
            ToIntFunction<ClusterSpec> gpus) {
        for (ClusterSettings.Quota quota : quotas) {
            for (String name : names(quota, wanted)) {
                List<ClusterSpec> its = others.stream()
                        .filter(one -> isOf(quota.holder(), name, one))
                        .toList();
                Optional<AboveLimit> exceeded = exceeded(key, quotas, quota, name, wanted, its, gpus);
                if (exceeded.isPresent()) {
                    return exceeded;
                }
            }
        }
        return Optional.empty();
    }

    /** Whom of those that the cluster counts for the quota is about. */
    private static List<String> names(ClusterSettings.Quota quota, ClusterSpec wanted) {
        List<String> all = switch (quota.holder()) {
            case USER -> List.of(wanted.owner().name());
            case GROUP ->
                wanted.owner().groups().stream().map(ClusterRecord.Group::name).toList();
        };
        return quota.isForEach()
                ? all
                : all.stream().filter(quota.name()::equals).toList();
    }

    private static boolean isOf(Holder holder, String name, ClusterSpec spec) {
        return switch (holder) {
            case USER -> spec.owner().name().equals(name);
            case GROUP ->
                spec.owner().groups().stream().anyMatch(group -> group.name().equals(name));
        };
    }

    private static Optional<AboveLimit> exceeded(
            String key,
            List<ClusterSettings.Quota> quotas,
            ClusterSettings.Quota quota,
            String name,
            ClusterSpec wanted,
            List<ClusterSpec> others,
            ToIntFunction<ClusterSpec> gpus) {
        String whose = quota.holder().text() + " " + name;
        if (holds(quotas, quota, name, ClusterSettings.Quota::clusters)) {
            int most = quota.clusters().orElseThrow();
            if (others.size() + 1 > most) {
                return Optional.of(new AboveLimit(Amount.CLUSTERS, others.size(), 0, most, key, whose));
            }
        }
        if (holds(quotas, quota, name, ClusterSettings.Quota::nodes)) {
            int most = quota.nodes().orElseThrow();
            int before = others.stream().mapToInt(ClusterSpec::nodes).sum();
            if (wanted.nodes() > most - before) {
                return Optional.of(new AboveLimit(Amount.NODES, wanted.nodes(), before, most, key, whose));
            }
        }
        if (holds(quotas, quota, name, ClusterSettings.Quota::gpus)) {
            int most = quota.gpus().orElseThrow();
            int found = wanted.nodes() * gpus.applyAsInt(wanted);
            int before = others.stream()
                    .mapToInt(one -> one.nodes() * gpus.applyAsInt(one))
                    .sum();
            if (found > most - before) {
                return Optional.of(new AboveLimit(Amount.GPUS, found, before, most, key, whose));
            }
        }
        if (holds(quotas, quota, name, ClusterSettings.Quota::budget)) {
            Money most = quota.budget().orElseThrow();
            Money before = others.stream().map(ClusterSpec::budget).reduce(Money.ZERO, Money::plus);
            if (wanted.budget().isMoreThan(most.minus(before))) {
                return Optional.of(new AboveLimit(
                        Amount.BUDGET, wanted.budget().micros(), before.micros(), most.micros(), key, whose));
            }
        }
        if (holds(quotas, quota, name, ClusterSettings.Quota::ttl)) {
            Duration most = quota.ttl().orElseThrow();
            if (wanted.ttl().compareTo(most) > 0) {
                return Optional.of(
                        new AboveLimit(Amount.TTL, wanted.ttl().toSeconds(), 0, most.toSeconds(), key, whose));
            }
        }
        return Optional.empty();
    }

    /** Whether it has such an amount, and nobody of that name has one of their own that stands for it. */
    private static boolean holds(
            List<ClusterSettings.Quota> quotas,
            ClusterSettings.Quota quota,
            String name,
            Function<ClusterSettings.Quota, Optional<?>> amount) {
        return amount.apply(quota).isPresent()
                && (!quota.isForEach()
                        || quotas.stream()
                                .noneMatch(one -> one.holder() == quota.holder()
                                        && one.name().equals(name)
                                        && amount.apply(one).isPresent()));
    }
}
