package org.spillway.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.spillway.policy.check.PolicyCheck;
import org.spillway.policy.check.SnapshotGenerator;

/** Rules that every policy keeps. A policy's test is a subclass that supplies it and a planner. */
public abstract class ScalingPolicyContract<S extends Record> {
    protected abstract ScalingPolicy<S> policy();

    protected abstract Planner planner(ClusterSnapshot snapshot);

    private List<Wish> decide(ClusterSnapshot now) {
        return policy().decide(now, policy().defaults(), planner(now));
    }

    @Nested
    class Answers {
        @Test
        void areTheSameTwiceAndNameOnlyWhatExists() {
            for (long seed = 0; seed < 300; seed++) {
                ClusterSnapshot now = new SnapshotGenerator(seed).snapshot();
                List<Wish> wishes = decide(now);
                assertThat(decide(now)).as("seed %d", seed).isEqualTo(wishes);
                Set<OfferingId> offered =
                        now.offerings().stream().map(Offering::id).collect(Collectors.toSet());
                Set<String> nodes = now.nodes().stream().map(NodeView::id).collect(Collectors.toSet());
                for (Wish wish : wishes) {
                    assertThat(wish.reason()).as("seed %d", seed).isNotBlank();
                    if (wish instanceof Wish.Provision provision) {
                        assertThat(offered).as("seed %d", seed).containsAll(provision.offerings());
                    } else if (wish instanceof Wish.Release release) {
                        assertThat(nodes).as("seed %d", seed).containsAll(release.nodes());
                    }
                }
            }
        }
    }

    @Nested
    class AsAPlugin {
        @Test
        void itWouldBeLetIn() {
            PolicyCheck<S> check = new PolicyCheck<>(
                    policy(),
                    policy().defaults(),
                    ScalingPolicyContract.this::planner,
                    System::nanoTime,
                    Duration.ofMinutes(1),
                    PolicyCheck.UNWATCHED);
            assertThat(PolicyCheck.wrongName(policy().name())).isEmpty();
            assertThat(check.run(300)).isEmpty();
        }
    }

    @Nested
    class BadWeather {
        @Test
        void anEmptyClusterWishesForNothing() {
            ClusterSnapshot empty = ClusterSnapshot.of(draft -> {
                draft.now = SnapshotGenerator.NOW;
            });
            assertThat(decide(empty)).isEmpty();
        }

        @Test
        void withoutOfferingsNothingIsProvided() {
            for (long seed = 0; seed < 100; seed++) {
                ClusterSnapshot now = new SnapshotGenerator(seed).snapshot();
                ClusterSnapshot none = now.with(draft -> {
                    draft.offerings = List.of();
                    draft.statuses = List.of();
                    draft.windows = List.of();
                });
                assertThat(decide(none)).as("seed %d", seed).noneMatch(Wish.Provision.class::isInstance);
            }
        }
    }
}
