package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.NodeView;
import org.spillway.policy.Resources;
import org.spillway.policy.Seeds;
import org.spillway.policy.Wish;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** Gangs are launched whole or not at all: what is bought makes more of them whole than there would have been. */
class GangPropertyTest {
    private static final int CASES = Seeds.some(3_000);
    private static final int CPUS_PER_SLOT = 2;

    /** A gang shape, partly on nodes that exist, and any of the limits in its way. */
    private record Case(ClusterSnapshot now, int gang, int jobs, int newCapacity, List<Integer> oldCapacities) {
        static Case of(long seed) {
            Random random = new Random(seed);
            int gang = 2 + random.nextInt(5);
            int jobs = 1 + random.nextInt(6);
            int newCapacity = 1 + random.nextInt(3);
            List<Integer> old = new ArrayList<>();
            Scene scene = new Scene()
                    .offers(Scene.SMALL, cpus(newCapacity), "1.00")
                    .waits("mpi", cpus(1), gang, jobs, Duration.ZERO)
                    .limit("east", random.nextInt(2) == 0 ? 100 : random.nextInt(20))
                    .budget(random.nextInt(2) == 0 ? "1000" : random.nextInt(25) + ".50");
            for (int i = random.nextInt(gang + 2); i > 0; i--) {
                int capacity = 1 + random.nextInt(3);
                NodeView.Phase phase = random.nextBoolean() ? NodeView.Phase.IDLE : NodeView.Phase.IN_FLIGHT;
                scene.node(Scene.node("n" + i, Scene.SMALL, phase, cpus(capacity), false));
                old.add(capacity);
            }
            if (random.nextInt(3) == 0) {
                scene.health(Scene.folded(new LaunchRecord(
                        Scene.NOW.minusSeconds(700),
                        Scene.SMALL,
                        1,
                        new LaunchOutcome.Refused(LaunchOutcome.Reason.CAPACITY, ""))));
            }
            return new Case(scene.snapshot(), gang, jobs, newCapacity, old);
        }

        private static Resources cpus(int slots) {
            return Resources.of(slots * CPUS_PER_SLOT, slots * Scene.GIB, 0);
        }

        /** By trying one number of gangs after the other: a node takes one slot of each gang. */
        int wholeWith(int bought) {
            int whole = 0;
            for (int gangs = 1; gangs <= jobs; gangs++) {
                int most = gangs;
                int slots = oldCapacities.stream()
                                .mapToInt(capacity -> Math.min(capacity, most))
                                .sum()
                        + bought * Math.min(newCapacity, most);
                if (slots >= gangs * gang) {
                    whole = gangs;
                }
            }
            return whole;
        }

        void check(long seed, Plan plan) {
            int bought = launched(plan);
            if (bought > 0) {
                assertThat(wholeWith(bought) - wholeWith(0))
                        .as("seed %d: %s more nodes\n%s\n%s", seed, bought, now, plan)
                        .isGreaterThanOrEqualTo(Math.max(1, bought / gang));
                assertThat(plan.steps()).as("seed %d", seed).noneMatch(Step.Hold.class::isInstance);
            }
        }
    }

    private static int launched(Plan plan) {
        return plan.steps().stream()
                .mapToInt(step -> step instanceof Step.Launch launch ? launch.count() : 0)
                .sum();
    }

    @Test
    void whateverLimitIsInTheWay() {
        int wholeSeen = 0;
        for (long seed : Seeds.of("gangs", CASES)) {
            Case one = Case.of(seed);
            Plan plan = Scene.plan(one.now(), new QueueDepthPolicy(), QueueDepthSettings.DEFAULTS);
            one.check(seed, plan);
            wholeSeen += launched(plan);
        }
        assertThat(wholeSeen).as("the cases launch something").isPositive();
    }

    @Test
    void whateverMayBeWishedForInOneTick() {
        for (long seed : Seeds.of("gangs, few per tick", CASES)) {
            Case one = Case.of(seed);
            QueueDepthSettings few = new QueueDepthSettings(Duration.ofSeconds(300), 1 + (int) (seed % 9));
            one.check(seed, Scene.plan(one.now(), new QueueDepthPolicy(), few));
        }
    }

    /** The host does not believe a policy: one that wishes for any number gets whole gangs as well. */
    @Test
    void whateverThePolicyWishes() {
        for (long seed : Seeds.of("gangs, any wish", CASES)) {
            Case one = Case.of(seed);
            Random random = new Random(seed);
            List<Wish> wishes = new ArrayList<>();
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                wishes.add(new Wish.Provision(List.of("mpi"), List.of(Scene.SMALL), 1 + random.nextInt(8), "why not"));
            }
            int bought = launched(Scene.plan(one.now(), new Scene.Fixed(wishes), QueueDepthSettings.DEFAULTS));
            int partners = one.oldCapacities().size();
            if (bought > 0) {
                assertThat(bought + partners).as("seed %d", seed).isGreaterThanOrEqualTo(one.gang());
            }
        }
    }
}
