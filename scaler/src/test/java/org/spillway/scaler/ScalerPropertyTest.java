package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.SnapshotGenerator;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** Seeds are printed with a failure; {@code SPILLWAY_SEED} repeats one. */
class ScalerPropertyTest {
    private static final int CASES = 2_000;

    private static Plan plan(ClusterSnapshot now) {
        return new Scaler<>(
                        at -> now.demands(),
                        new NoFleet(),
                        at -> Money.ZERO,
                        new QueueDepthPolicy(),
                        QueueDepthSettings.DEFAULTS,
                        ZoneOffset.UTC)
                .plan(now);
    }

    private static long[] seeds() {
        String one = System.getenv("SPILLWAY_SEED");
        return one == null ? java.util.stream.LongStream.range(0, CASES).toArray() : new long[] {Long.parseLong(one)};
    }

    @Test
    void limitsHoldAndEveryShapeIsAnsweredOnce() {
        for (long seed : seeds()) {
            ClusterSnapshot now = new SnapshotGenerator(seed).snapshot();
            Plan plan = plan(now);
            long committed = 0;
            Map<String, Integer> nodes =
                    now.nodes().stream().collect(Collectors.toMap(NodeView::site, node -> 1, Integer::sum));
            for (Step step : plan.steps()) {
                if (step instanceof Step.Launch launch) {
                    committed += launch.committed().micros();
                    String site = launch.offering().site();
                    assertThat(nodes.merge(site, launch.count(), Integer::sum))
                            .as("seed %d", seed)
                            .isLessThanOrEqualTo(now.limits().maxNodesBySite().get(site));
                } else if (step instanceof Step.Release release) {
                    NodeView node = now.nodes().stream()
                            .filter(n -> n.id().equals(release.node()))
                            .findAny()
                            .orElseThrow();
                    assertThat(node.phase()).as("seed %d", seed).isEqualTo(NodeView.Phase.IDLE);
                    assertThat(node.keep()).as("seed %d", seed).isFalse();
                }
            }
            assertThat(committed)
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(Math.max(0, now.limits().budgetLeft().micros()));
            List<String> held = plan.steps().stream()
                    .filter(Step.Hold.class::isInstance)
                    .map(step -> ((Step.Hold) step).shape())
                    .toList();
            assertThat(held).as("seed %d", seed).doesNotHaveDuplicates();
            assertThat(plan.steps())
                    .as("seed %d", seed)
                    .noneMatch(step -> step.reason().equals("the policy asked for nothing"));
        }
    }

    @Test
    void orderOfInputChangesNothing() {
        for (long seed : seeds()) {
            ClusterSnapshot now = new SnapshotGenerator(seed).snapshot();
            Random random = new Random(seed);
            ClusterSnapshot other = new ClusterSnapshot(
                    now.schema(),
                    now.now(),
                    shuffled(now.demands(), random),
                    shuffled(now.nodes(), random),
                    shuffled(now.offerings(), random),
                    shuffled(now.statuses(), random),
                    now.limits(),
                    now.windows());
            assertThat(plan(other)).as("seed %d", seed).isEqualTo(plan(now));
        }
    }

    private static <T> List<T> shuffled(List<T> list, Random random) {
        List<T> copy = new ArrayList<>(list);
        Collections.shuffle(copy, random);
        return copy;
    }

    private static final class NoFleet implements Fleet {
        @Override
        public List<NodeView> nodes() {
            return List.of();
        }

        @Override
        public List<org.spillway.policy.Offering> offerings() {
            return List.of();
        }

        @Override
        public List<org.spillway.policy.LaunchRecord> launches() {
            return List.of();
        }

        @Override
        public Map<String, Integer> maxNodes() {
            return Map.of();
        }
    }
}
