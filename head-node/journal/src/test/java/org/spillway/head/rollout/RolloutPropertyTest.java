package org.spillway.head.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.RolloutCause.RolloutFact;
import org.spillway.head.rollout.Member.Stage;
import org.spillway.head.rollout.NodeSight.Place;
import org.spillway.head.rollout.Rollout.Phase;

/**
 * Whatever nodes do: never more are away than the terms say, none changes before the canary has passed, a bad version comes to
 * no more nodes than canaries and allowed failures, and in the end all nodes have one version.
 */
final class RolloutPropertyTest {
    private static final Version OLD = new Version("compute", "a".repeat(64));
    private static final Version NEW = new Version("compute", "b".repeat(64));
    private static final Cause REFUSED = new NodeCause.GateFailed("root", "jobs cannot live in it");
    private static final Cause SICK = new NodeCause.Sick("scratch: full");
    private static final int SEEDS = Boolean.getBoolean("spillway.seeds.every") ? 4000 : 1000;
    private static final int WILD = 200;
    private static final int STEPS = 3000;

    @Test
    void holdsWhateverNodesDo() {
        int done = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            try {
                done += new Life(seed).live() == Phase.DONE ? 1 : 0;
            } catch (AssertionError broken) {
                throw new AssertionError("seed " + seed + ": " + broken.getMessage(), broken);
            }
        }
        assertThat(done).as("both ends are seen").isBetween(SEEDS / 5, SEEDS * 9 / 10);
    }

    private static final class Machine {
        private Place place = Place.SERVING;
        private Version has = OLD;
        private boolean busy;
        private boolean known = true;
        private boolean wasParked;
        private Cause trouble = Cause.NONE;
        private int takes;
        private int failing;

        @Override
        public String toString() {
            return place + " " + (busy ? "busy " : "") + (known ? "" : "unheard ")
                    + has.digest().charAt(0);
        }
    }

    private static final class Life {
        private final Map<String, Machine> machines = new TreeMap<>();
        private final Set<String> touched = new HashSet<>();
        private final Random random;
        private final boolean bad;
        private final Terms terms;
        private Rollout rollout;
        private int bought;
        private int bound;

        Life(int seed) {
            random = new Random(seed);
            bad = random.nextInt(3) == 0;
            boolean share = random.nextBoolean();
            terms = new Terms(
                    random.nextInt(3),
                    share ? 0 : 1 + random.nextInt(4),
                    share ? 1 + random.nextInt(60) : 0,
                    random.nextInt(50),
                    60 + random.nextInt(200),
                    random.nextInt(3));
            rollout = Rollout.begin(OLD, NEW, terms, RolloutFact.IMAGE_MOVED, Instant.EPOCH);
            int count = random.nextInt(12);
            for (int i = 0; i < count; i++) {
                buy().place = Place.SERVING;
            }
        }

        private boolean chance(int in) {
            return random.nextInt(in) == 0;
        }

        private Machine buy() {
            var machine = new Machine();
            machine.place = Place.COMING;
            machine.takes = random.nextInt(6);
            machines.put("n%03d".formatted(++bought), machine);
            return machine;
        }

        Phase live() {
            for (int step = 1; step <= STEPS; step++) {
                if (step < WILD) {
                    luck();
                } else if (machines.isEmpty()) {
                    buy();
                }
                boolean calm = step >= WILD;
                machines.forEach((name, machine) -> follow(name, machine, calm));
                machines.values().removeIf(machine -> machine.place == Place.ENDED && machine.failing > 60);
                Rollout before = rollout;
                rollout = RolloutPlan.next(rollout, sights(), Instant.EPOCH.plusSeconds(10L * step));
                judge(before);
                if (calm && rollout.isOver() && machines.values().stream().allMatch(this::isSettled)) {
                    return over();
                }
            }
            throw new AssertionError("no end: " + rollout);
        }

        private boolean isSettled(Machine machine) {
            return machine.place == Place.SERVING && machine.has.equals(rollout.wanted(""));
        }

        private Phase over() {
            Version all = rollout.phase() == Phase.DONE ? NEW : OLD;
            assertThat(machines.values())
                    .allSatisfy(machine -> assertThat(machine.has).isEqualTo(all));
            assertThat(rollout.members()).isEmpty();
            if (bad && terms.canary() > 0) {
                assertThat(rollout.phase()).isEqualTo(Phase.UNDONE);
            }
            return rollout.phase();
        }

        /** Machines come and go, and administrators drain them; not while a bad version is counted. */
        private void luck() {
            if (chance(15)) {
                buy();
            }
            for (Machine machine : machines.values()) {
                machine.known = !chance(12);
                if (!bad && machine.place == Place.SERVING && chance(150)) {
                    machine.place = Place.PARKED;
                    machine.wasParked = true;
                } else if (machine.place == Place.PARKED && chance(15)) {
                    machine.place = Place.SERVING;
                } else if (!bad && machine.place == Place.SERVING && chance(600)) {
                    machine.place = Place.GOING;
                    machine.trouble = chance(2) ? SICK : Cause.NONE;
                }
            }
        }

        /** The loop's part with a node that is told, and the node's own. */
        private void follow(String name, Machine machine, boolean calm) {
            if (calm) {
                machine.known = true;
                machine.place = machine.place == Place.PARKED ? Place.SERVING : machine.place;
            }
            Version wanted = rollout.wanted(name);
            boolean told = !machine.has.equals(wanted);
            machine.busy = machine.busy ? !chance(calm ? 3 : 20) : machine.place == Place.SERVING && chance(4);
            switch (machine.place) {
                case SERVING -> {
                    if (told) {
                        machine.place = machine.busy ? Place.DRAINED : change(machine);
                    }
                }
                case DRAINED -> machine.place = !told ? Place.SERVING : machine.busy ? Place.DRAINED : change(machine);
                case CHANGING, COMING -> arrive(machine, wanted);
                case GOING, ENDED -> {
                    machine.failing++;
                    machine.place = machine.failing > 30 ? Place.ENDED : machine.place;
                }
                case PARKED, AWAY -> {}
            }
        }

        private Place change(Machine machine) {
            machine.takes = random.nextInt(6);
            return Place.CHANGING;
        }

        private void arrive(Machine machine, Version wanted) {
            boolean refused = bad && wanted.equals(NEW);
            if (machine.takes-- > 0) {
                return;
            }
            machine.trouble = refused ? REFUSED : Cause.NONE;
            machine.failing = refused ? machine.failing + 1 : 0;
            if (!refused) {
                machine.has = wanted;
                machine.place = Place.SERVING;
            } else if (machine.failing > 25) {
                machine.place = Place.GOING;
            }
        }

        private List<NodeSight> sights() {
            return machines.entrySet().stream()
                    .map(one -> {
                        Machine machine = one.getValue();
                        boolean known =
                                machine.known && machine.place != Place.CHANGING && machine.place != Place.COMING;
                        return new NodeSight(
                                one.getKey(),
                                machine.place,
                                machine.busy,
                                known,
                                known ? machine.has.digest() : "",
                                true,
                                machine.trouble);
                    })
                    .toList();
        }

        private void judge(Rollout before) {
            rollout.members().stream().filter(one -> one.stage() != Stage.BACK).forEach(one -> touched.add(one.node()));
            bound = Math.max(bound, Math.max(terms.canary(), terms.most(machines.size())));
            assertThat(machines.entrySet().stream()
                            .filter(one -> !one.getValue().wasParked)
                            .filter(one -> isAway(one.getKey(), one.getValue()))
                            .count())
                    .as("away of " + machines + " in " + rollout)
                    .isLessThanOrEqualTo(bound);
            if (rollout.phase() == Phase.CANARY) {
                assertThat(rollout.members().stream()
                                .filter(one -> one.batch() > 0 && one.stage() != Stage.FAILED)
                                .count())
                        .as("canaries")
                        .isLessThanOrEqualTo(terms.canary());
            }
            if (before.phase() == Phase.CANARY && rollout.phase() == Phase.BATCHES && terms.canary() > 0) {
                assertThat(rollout.members()).extracting(Member::stage).contains(Stage.PASSED);
            }
            if (bad && terms.canary() > 0) {
                assertThat(touched.size())
                        .as("nodes with a bad version")
                        .isLessThanOrEqualTo(terms.canary() + terms.maxFailures());
            }
        }

        private boolean isAway(String name, Machine machine) {
            return switch (machine.place) {
                case CHANGING -> true;
                // Whoever is to stay as it is serves again at once.
                case SERVING, DRAINED -> !machine.has.equals(rollout.wanted(name));
                case COMING, PARKED, AWAY, GOING, ENDED -> false;
            };
        }
    }
}
