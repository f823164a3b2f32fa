package org.spillway.scaler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.Offering;
import org.spillway.policy.Seeds;
import org.spillway.policy.check.SnapshotGenerator;

/** A launch's grant: the least over all limits, each taken by itself; and never less for a larger limit. */
class LaunchGatePropertyTest {
    private static final int CASES = Seeds.some(10_000);
    private static final int WANTED = 12;

    @Test
    void isTheLeastOverTheHierarchy() {
        int cut = 0;
        for (long seed : Seeds.of("least over the hierarchy", CASES)) {
            ClusterSnapshot now = new SnapshotGenerator(seed).whole();
            List<Demand> waiting = some(now, new Random(seed));
            for (Offering offering : now.offerings()) {
                int all = allowed(now, now.limits().scoped(), offering, waiting);
                int least = allowed(now, List.of(), offering, waiting);
                for (Limits.Limit limit : now.limits().scoped()) {
                    least = Math.min(least, allowed(now, List.of(limit), offering, waiting));
                }
                assertThat(all)
                        .as("seed %d, %s for %s", seed, offering.id(), waiting)
                        .isEqualTo(least);
                cut += all < WANTED ? 1 : 0;
            }
        }
        assertThat(cut).isPositive();
    }

    @Test
    void aLargerLimitNeverPermitsLess() {
        for (long seed : Seeds.of("larger limits", CASES)) {
            ClusterSnapshot now = new SnapshotGenerator(seed).whole();
            Random random = new Random(seed);
            List<Demand> waiting = some(now, random);
            List<Limits.Limit> larger = new ArrayList<>();
            for (Limits.Limit limit : now.limits().scoped()) {
                long more = limit.unit() == Limits.Unit.MONEY_MICROS ? random.nextInt(3) * 700_000L : random.nextInt(3);
                larger.add(
                        new Limits.Limit(limit.scope(), limit.name(), limit.unit(), limit.most() + more, limit.used()));
            }
            for (Offering offering : now.offerings()) {
                assertThat(allowed(now, larger, offering, waiting))
                        .as("seed %d, %s", seed, offering.id())
                        .isGreaterThanOrEqualTo(allowed(now, now.limits().scoped(), offering, waiting));
            }
        }
    }

    /** Taking what was granted, one at a time, gives as many in all as were granted at once. */
    @Test
    void oneAtATimeGetsAsManyAsAllAtOnce() {
        for (long seed : Seeds.of("one at a time", CASES)) {
            ClusterSnapshot now = new SnapshotGenerator(seed).whole();
            List<Demand> waiting = some(now, new Random(seed));
            for (Offering offering : now.offerings()) {
                LaunchGate gate = new LaunchGate(now, ZoneOffset.UTC);
                int got = 0;
                for (int i = 0; i < WANTED; i++) {
                    LaunchGate.Allowance one = gate.allow(offering.id(), waiting, Duration.ofHours(1), 1, 1);
                    if (one.count() == 0) {
                        assertThat(one.limit()).isNotEqualTo(Bound.NONE);
                        break;
                    }
                    gate.take(offering.id(), waiting, one);
                    got++;
                }
                assertThat(got)
                        .as("seed %d, %s", seed, offering.id())
                        .isEqualTo(allowed(now, now.limits().scoped(), offering, waiting));
            }
        }
    }

    private static List<Demand> some(ClusterSnapshot now, Random random) {
        return now.demands().stream().filter(one -> random.nextBoolean()).toList();
    }

    private static int allowed(
            ClusterSnapshot now, List<Limits.Limit> scoped, Offering offering, List<Demand> waiting) {
        ClusterSnapshot limited = now.with(draft -> draft.limits =
                new Limits(now.limits().maxNodesBySite(), now.limits().budgetLeft(), scoped));
        return new LaunchGate(limited, ZoneOffset.UTC)
                .allow(offering.id(), waiting, Duration.ofHours(1), WANTED, 1)
                .count();
    }
}
