package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterState.Stage;
import org.spillway.cloud.Instance;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.cause.ClusterCause.ClusterFact;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.ClusterMachine;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.ClusterSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.policy.Money;

/**
 * A parent that is killed between any two of decision, effect and its end, a child whose head and machine die, that is
 * switched off by others, or that cannot be reached for long. Hundreds of stories for each seed, by the real loop part.
 */
final class ClusterKillsTest {
    private static final Instant BEGIN = Instant.parse("2026-11-22T08:00:00Z");
    private static final Duration TTL = Duration.ofHours(3);
    private static final Cause NO = new ClusterCause.RejectedBy("carol", "no");
    private static final Duration WITHIN = Duration.ofMinutes(20);
    private static final Money BUDGET = Money.parse("2");
    private static final int STORIES = 150;
    private static final int STEPS = 250;

    private static final class Story {
        final Random random;
        final ChildWorld world;
        final MemoryJournalStore store = new MemoryJournalStore();
        final Set<ClusterState> been = EnumSet.noneOf(ClusterState.class);
        final List<String> told = new ArrayList<>();
        Journal journal;
        DrawnEffects wire;
        Clusters clusters;
        boolean calm;

        Story(long seed) {
            random = new Random(seed);
            world = new ChildWorld(random, BEGIN);
            life();
            var spec = new ClusterSpec(
                    "demo",
                    "east",
                    List.of(new ClusterRecord.User("ada", 1001, 100, "/home/ada", List.of())),
                    new ClusterSpec.Fleet(ChildWorld.nodes(), "small", "", ""),
                    TTL,
                    BUDGET,
                    BEGIN,
                    "");
            journal.commit(
                    BEGIN,
                    new ClusterRecord(
                                    "mai-c1",
                                    spec,
                                    ClusterState.REQUESTED,
                                    Stage.HEAD_INSTANCE,
                                    Cause.NONE,
                                    BEGIN,
                                    Cause.NONE,
                                    "",
                                    List.of(),
                                    ClusterMachine.NONE,
                                    null,
                                    null)
                            .waiting(new Told("nodes: found 3; at most 1"), BEGIN.plus(WITHIN), BEGIN));
        }

        /** A head begins: it knows what is in the journal. */
        private void life() {
            journal = new Journal(store, Instant.EPOCH);
            wire = new DrawnEffects(random);
            clusters = world.clusters(journal, wire, Optional.of(ChildWorld.PRICE_OFF));
        }

        ClusterRecord record() {
            return journal.cluster("mai-c1").orElseThrow();
        }

        void step() throws Exception {
            if (!calm) {
                befall();
            }
            wire.step(calm ? 1 : 2);
            wire.handBack();
            ClusterState before = record().clusterState();
            clusters.advance(world.now, false);
            judge(before);
            world.pass(
                    calm ? 2 : 1 + random.nextInt(15),
                    JournalAllowances.mayBuy(record()) && record().clusterState() != ClusterState.STOPPING);
        }

        private void befall() throws Exception {
            switch (random.nextInt(120)) {
                case 0, 1, 2, 3, 4, 5 -> {
                    // Calls that were under way when it was killed may take hold all the same; nobody hears of it.
                    wire.step(2);
                    told.add("killed " + record().state());
                    life();
                }
                case 6, 7 -> world.killHead();
                case 8 -> world.cutPower();
                case 9 -> world.reachable = false;
                case 10, 11, 12 -> world.reachable = true;
                case 13, 14, 15, 16 -> verb(ClusterState.RUNNING, record()::stopping);
                case 17, 18, 19, 20, 21, 22 -> start();
                case 23 -> change(record().withSpec(record().spec().withNodes(1 + random.nextInt(4))));
                case 26, 27, 28 -> {
                    if (record().clusterState() == ClusterState.WAITING_FOR_APPROVAL) {
                        change(
                                random.nextInt(8) == 0
                                        ? record().rejected(NO, "carol", world.now)
                                        : record().approved("carol", world.now));
                    }
                }
                case 24 -> {
                    if (random.nextInt(8) == 0) {
                        world.loseMachine();
                    }
                }
                case 25 -> {
                    if (random.nextInt(4) == 0 && record().isLive()) {
                        change(
                                record().isMade()
                                        ? record().deleting(new Told("deleted"), world.now)
                                        : record().withdrawn(new Told("withdrawn"), world.now));
                    }
                }
                default -> {}
            }
        }

        private interface Stopping {
            ClusterRecord of(Cause why, String said, Instant now);
        }

        private void verb(ClusterState from, Stopping next) {
            if (record().clusterState() == from) {
                change(next.of(new Told("stopped"), "", world.now));
            }
        }

        private void start() {
            if (record().clusterState() == ClusterState.STOPPED) {
                change(record().starting(new Told("started"), world.now));
            }
        }

        private void change(ClusterRecord next) {
            boolean waits = record().clusterState() == ClusterState.WAITING_FOR_APPROVAL;
            if ((next.isLive() || waits) && record().isLive() && record().clusterState() != ClusterState.DELETING) {
                journal.commit(world.now, next);
            }
        }

        /** Judges the cluster's own words at the moment in which it begins to say so. */
        private void judge(ClusterState before) {
            ClusterRecord now = record();
            if (!now.isMade()) {
                assertThat(world.isEmpty()).as("nobody agreed: " + told).isTrue();
                assertThat(now.head()).isEqualTo(ClusterMachine.NONE);
            }
            been.add(before);
            been.add(now.clusterState());
            if (now.clusterState() == before) {
                return;
            }
            told.add(now.state());
            String story = String.join(", ", told);
            switch (now.clusterState()) {
                case STOPPED -> {
                    assertThat(world.nodes)
                            .as("nodes of what is stopped: " + story)
                            .isZero();
                    assertThat(world.headRuns)
                            .as("the head of what is stopped: " + story)
                            .isFalse();
                }
                case DELETED, FAILED -> {
                    assertThat(world.isEmpty())
                            .as("what has ended left something: " + story)
                            .isTrue();
                    assertThat(now.spent())
                            .as("its books against its bill: " + story)
                            .isNotNull()
                            .isGreaterThanOrEqualTo(world.cost());
                }
                case RUNNING ->
                    assertThat(now.steps())
                            .as(story)
                            .hasSize(Stage.values().length)
                            .allMatch(step -> step.ended() != null);
                case REJECTED ->
                    assertThat(now.cause()).as(story).isIn(NO, new ClusterCause.Unanswered(WITHIN.toSeconds()));
                case WAITING_FOR_APPROVAL, REQUESTED, CREATING, STOPPING, STARTING, DELETING -> {}
            }
        }

        /** Nothing befalls it any more: what it says of itself becomes true. */
        void settle() throws Exception {
            calm = true;
            world.reachable = true;
            // Longer than any stage may take.
            for (int i = 0; i < 900; i++) {
                step();
            }
            ClusterRecord now = record();
            String story = String.join(", ", told) + "; now " + now.state() + " "
                    + clusters.remark(now.id()).text();
            switch (now.clusterState()) {
                case RUNNING -> {
                    assertThat(world.headRuns)
                            .as("the head of what runs: " + story)
                            .isTrue();
                    assertThat(world.nodes)
                            .as("its nodes: " + story)
                            .isEqualTo(now.spec().nodes());
                }
                case STOPPED -> {
                    assertThat(world.nodes).as(story).isZero();
                    assertThat(world.headRuns).as(story).isFalse();
                    assertThat(world.machine()
                                    .filter(one -> world.switchesOff)
                                    .filter(one -> one.state() != Instance.State.STOPPED))
                            .as("the machine of what is stopped: " + story)
                            .isEmpty();
                }
                case DELETED, FAILED, REJECTED ->
                    assertThat(world.isEmpty()).as(story).isTrue();
                case WAITING_FOR_APPROVAL, REQUESTED, CREATING, STOPPING, STARTING, DELETING ->
                    throw new AssertionError("it rests nowhere: " + story);
            }
        }

        /** The cluster's end comes, whoever answers. */
        void end(boolean reachable) throws Exception {
            world.reachable = reachable;
            if (world.now.isBefore(record().spec().expires())) {
                world.pass(
                        (int) Duration.between(world.now, record().spec().expires())
                                .toSeconds(),
                        true);
            }
            goes();
        }

        void goes() throws Exception {
            for (int i = 0; i < 200 && record().isLive(); i++) {
                step();
            }
            assertThat(record().isLive())
                    .as(String.join(", ", told) + "; now " + record().state())
                    .isFalse();
            assertThat(world.isEmpty()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whatItSaysOfItselfIsTrueAndItsEndLeavesNothing(long seed) throws Exception {
        var been = EnumSet.noneOf(ClusterState.class);
        for (int i = 0; i < STORIES; i++) {
            long each = seed * 1_000_003 + i;
            Story story = new Story(each);
            try {
                for (int step = 0; step < STEPS && story.record().isLive(); step++) {
                    story.step();
                }
                story.settle();
                story.end(i % 2 == 0);
            } catch (AssertionError wrong) {
                throw new AssertionError("seed " + each, wrong);
            }
            been.addAll(story.been);
        }
        assertThat(been).as("what these stories came through").isEqualTo(EnumSet.allOf(ClusterState.class));
    }

    private static Story running() throws Exception {
        for (long seed = 1; ; seed++) {
            Story story = new Story(seed);
            story.journal.commit(BEGIN, story.record().approved("carol", BEGIN));
            story.settle();
            if (story.record().clusterState() == ClusterState.RUNNING && story.world.switchesOff) {
                return story;
            }
        }
    }

    @Test
    void oneThatCannotBeReachedForADayEndsAtItsTime() throws Exception {
        Story story = running();
        story.journal.commit(
                story.world.now,
                story.record().withSpec(story.record().spec().extended(Duration.ofDays(1), Money.parse("100"))));
        story.world.reachable = false;
        Instant end = story.record().spec().expires();
        while (story.world.now.isBefore(end.minusSeconds(60))) {
            story.step();
            assertThat(story.record().clusterState()).isEqualTo(ClusterState.RUNNING);
        }
        assertThat(story.clusters.remark("mai-c1")).isInstanceOf(ClusterCause.HeadAway.class);
        story.end(false);
        assertThat(story.record().cause()).isEqualTo(ClusterFact.TIME_OVER);
    }

    @Test
    void oneThatIsStoppedEndsAtItsTimeAndWhenItsBudgetIsSpent() throws Exception {
        for (boolean ofTime : List.of(true, false)) {
            Story story = running();
            story.journal.commit(story.world.now, story.record().stopping(new Told("stopped"), "", story.world.now));
            story.settle();
            assertThat(story.record().clusterState()).isEqualTo(ClusterState.STOPPED);
            if (!ofTime) {
                story.journal.commit(
                        story.world.now,
                        story.record().withSpec(story.record().spec().extended(Duration.ofDays(10), Money.ZERO)));
                // Of two, at a tenth an hour.
                for (int hour = 0; hour < 21; hour++) {
                    story.world.pass(3600, false);
                }
                story.goes();
            } else {
                story.end(true);
            }
            assertThat(story.record().cause()).isEqualTo(ofTime ? ClusterFact.TIME_OVER : ClusterFact.BUDGET_SPENT);
            assertThat(story.record().clusterState()).isEqualTo(ClusterState.DELETED);
        }
    }

    @Test
    void oneThatDoesNotAnswerIsStoppedAllTheSame() throws Exception {
        Story story = running();
        story.world.reachable = false;
        story.journal.commit(story.world.now, story.record().stopping(new Told("stopped"), "", story.world.now));
        for (int i = 0; i < 200; i++) {
            story.step();
        }
        assertThat(story.record().clusterState()).isEqualTo(ClusterState.STOPPED);
        assertThat(story.world.nodes).isZero();
    }

    /** The cluster's disk is worth more than its machine. */
    @Test
    void oneThatCannotBeStartedIsStoppedAgainAndStartsLater() throws Exception {
        Story story = running();
        story.journal.commit(story.world.now, story.record().stopping(new Told("stopped"), "", story.world.now));
        story.settle();
        story.journal.commit(story.world.now, story.record().starting(new Told("started"), story.world.now));
        story.world.reachable = false;
        for (int i = 0; i < 600 && story.record().clusterState() != ClusterState.STOPPED; i++) {
            story.step();
        }
        assertThat(story.record().cause())
                .isInstanceOfSatisfying(
                        ClusterCause.StartFailed.class,
                        failed -> assertThat(failed.why())
                                .isInstanceOfSatisfying(
                                        ClusterCause.StageLate.class,
                                        stage -> assertThat(stage.stage()).isEqualTo(ClusterState.Stage.HEAD_INSTALL)));
        story.journal.commit(story.world.now, story.record().starting(new Told("started"), story.world.now));
        story.settle();
        assertThat(story.record().clusterState()).isEqualTo(ClusterState.RUNNING);
    }

    @Test
    void oneWhoseMachineIsGoneDoesNotSayThatItIsWhole() throws Exception {
        Story story = running();
        story.world.loseMachine();
        story.settle();
        assertThat(story.record().clusterState()).isEqualTo(ClusterState.STOPPED);
        assertThat(story.record().cause()).isEqualTo(ClusterFact.HEAD_GONE);
        for (int i = 0; i < 500 && story.clusters.remark("mai-c1") != ClusterFact.HEAD_LOST; i++) {
            story.step();
        }
        assertThat(story.clusters.remark("mai-c1")).isEqualTo(ClusterFact.HEAD_LOST);
        // The cost until it was proven is all that the cluster costs, however long its owner thinks about it.
        assertThat(story.record().head().priceNow()).isEqualTo(Money.ZERO);
        Money then = story.clusters.spent(story.record(), story.world.now);
        assertThat(then).isGreaterThanOrEqualTo(story.world.cost());
        assertThat(story.clusters.spent(story.record(), story.world.now.plusSeconds(3600)))
                .isEqualTo(then);
        story.journal.commit(story.world.now, story.record().deleting(new Told("deleted"), story.world.now));
        story.goes();
        assertThat(story.record().spent()).isEqualTo(then);
    }

    /** A machine that went while it was off is found out by looking, and one that no listing shows for a while by the next. */
    @Test
    void whatIsStoppedCostsForAsLongAsItsMachineIsListed() throws Exception {
        Story story = running();
        story.journal.commit(story.world.now, story.record().stopping(new Told("stopped"), "", story.world.now));
        story.settle();
        story.world.hidden = true;
        while (story.record().head().goneAt() == null) {
            assertThat(story.record().head().priceNow()).isEqualTo(ChildWorld.PRICE_OFF);
            story.step();
        }
        assertThat(story.record().head().priceNow()).isEqualTo(Money.ZERO);
        story.world.hidden = false;
        while (story.record().head().goneAt() != null) {
            story.step();
        }
        assertThat(story.record().clusterState()).isEqualTo(ClusterState.STOPPED);
        assertThat(story.record().head().priceNow()).isEqualTo(ChildWorld.PRICE_OFF);
        assertThat(story.clusters.spent(story.record(), story.world.now)).isGreaterThanOrEqualTo(story.world.cost());
    }

    @Test
    void aMachineThatOnlyListingsLackIsNotGone() throws Exception {
        Story story = running();
        story.journal.commit(story.world.now, story.record().stopping(new Told("stopped"), "", story.world.now));
        story.settle();
        story.world.overlooked = true;
        for (int i = 0; i < 300; i++) {
            story.step();
            assertThat(story.record().head().goneAt()).isNull();
        }
        assertThat(story.record().clusterState()).isEqualTo(ClusterState.STOPPED);
    }
}
