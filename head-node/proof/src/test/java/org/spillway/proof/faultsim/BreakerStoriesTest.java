package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.BreakerEntry;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.head.loop.money.Spending;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Bound;
import org.spillway.scaler.plan.BreakerSight;
import org.spillway.scaler.plan.Breakers;
import org.spillway.scaler.plan.SickGroups;

/** Launches that would go on for ever without a breaker, and stop. */
final class BreakerStoriesTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static Consumer<Cause> heldBy(Breakers.State breaker) {
        return cause -> assertThat(cause).isInstanceOfSatisfying(WaitCause.PlanHolds.class, holds -> {
            assertThat(holds.by()).isEqualTo(Bound.Kind.BREAKER);
            assertThat(holds.name()).isEqualTo(breaker.id());
        });
    }

    private static List<Breakers.State> open(Story story) {
        return story.journal.breakers().stream().filter(Breakers.State::open).toList();
    }

    @Test
    void aSiteWhoseNodesNeverComeUpIsNotPaidForForEver() {
        Story story = new Story(new SimWorld.Spec("east", 3, 0, "1"));
        story.world.site("east").provider.deafNodes = true;
        story.submit(new Story.Job("1", "east"), new Story.Job("2", "east"), new Story.Job("3", "east"));
        story.until("it is shut", HOUR, () -> !open(story).isEmpty());
        Breakers.State shut = open(story).getFirst();
        assertThat(shut.id()).isEqualTo("pool:east/a/std/ON_DEMAND");
        assertThat(shut.seen()).isInstanceOfSatisfying(BreakerSight.NodesNotUp.class, seen -> {
            assertThat(seen.nodes()).isGreaterThanOrEqualTo(10);
            assertThat(seen.of()).isEqualTo("east/a/std/ON_DEMAND");
            assertThat(seen.wholeSite()).isFalse();
        });
        story.pass(Duration.ofMinutes(5));
        int launched = story.world.site("east").provider.machines.size();
        story.pass(Duration.ofMinutes(20));
        assertThat(story.world.site("east").provider.machines)
                .as("nothing more")
                .hasSize(launched);
        assertThat(launched)
                .as("ten that fail, those on the way meanwhile, and the director")
                .isBetween(11, 14);
        assertThat(story.nodes("east", NodeState.BOOTING)).isEmpty();
        Instant now = story.world.clock.now();
        Money spent = Spending.accrued(
                story.journal.nodes().stream()
                        .filter(node -> !node.isDirector())
                        .toList(),
                BudgetPeriod.MONTH.start(now, java.time.ZoneOffset.UTC),
                now);
        // Each lived for its registration of a minute at a price of 1 for an hour.
        assertThat(spent).isLessThan(Money.parse("0.60"));
        assertThat(story.waits("1")).satisfies(heldBy(shut));

        // A head that starts again knows it.
        assertThat(new Journal(story.world.disk, Instant.MIN).breakers()).isEqualTo(story.journal.breakers());

        story.world.site("east").provider.deafNodes = false;
        story.journal.commit(now, new BreakerEntry(shut.closedBy("ada", now)));
        story.until("it runs", HOUR, () -> story.state("1") == JobState.DONE && story.state("3") == JobState.DONE);
        assertThat(open(story)).isEmpty();
    }

    /** So often that a simulated minute is enough. */
    private static final Breakers.Settings EAGER =
            new Breakers.Settings(10, 45, 3, Duration.ofSeconds(5), 10, 100, SickGroups.Settings.DEFAULTS);

    private static Story eager(int nodes) {
        return new Story(StorySetup.USUAL.breaking(EAGER), new SimWorld.Spec("east", nodes, nodes, "1"));
    }

    private static long machines(Story story) {
        return story.world.site("east").provider.machines.values().stream()
                .filter(machine -> !Faults.isDirector(machine))
                .count();
    }

    @Test
    void aSiteThatLosesItsNodesGetsNoOthersUntilThatIsOver() {
        Story story = eager(6);
        story.until(
                "all are up", HOUR, () -> story.nodes("east", NodeState.READY).size() == 6);
        Instant cut = story.world.clock.now().plusSeconds(60);
        story.world.site("east").nodes.values().stream().limit(4).forEach(node -> node.cutUntil = cut);
        story.until("it is shut", Duration.ofMinutes(1), () -> !open(story).isEmpty());
        Breakers.State shut = open(story).getFirst();
        assertThat(shut.id()).isEqualTo("fleet:east");
        assertThat(shut.seen()).isEqualTo(new BreakerSight.NodesUnready(4, 6, "east", 45));
        assertThat(Breakers.remedy(shut)).isEqualTo("it closes by itself when that is over");
        story.until(
                "they are given up",
                Duration.ofMinutes(2),
                () -> story.nodes("east", NodeState.READY).size() == 2);
        story.submit(new Story.Job("1", "east").nodes(3));
        story.pass(Duration.ofSeconds(20));
        assertThat(open(story)).extracting(Breakers.State::id).containsExactly("fleet:east");
        assertThat(machines(story)).as("nothing is bought meanwhile").isEqualTo(6);
        assertThat(story.waits("1")).satisfies(heldBy(shut));
        story.until(
                "it closes by itself", Duration.ofMinutes(5), () -> open(story).isEmpty());
        story.until("the job runs", HOUR, () -> story.state("1") == JobState.DONE);
        assertThat(machines(story)).isGreaterThan(6);
    }

    @Test
    void whileADirectorIsNotHeardNothingIsBoughtInItsSite() {
        Story story = eager(1);
        story.until("it is up", HOUR, () -> story.nodes("east", NodeState.READY).size() == 1);
        Instant back = story.world.clock.now().plusSeconds(12);
        story.world.site("east").linkCutUntil = back;
        story.until("it is shut", Duration.ofSeconds(12), () -> !open(story).isEmpty());
        Breakers.State shut = open(story).getFirst();
        assertThat(shut.id()).isEqualTo("heartbeat:east");
        assertThat(shut.seen()).isEqualTo(new BreakerSight.DirectorSilent("east", 5));
        story.submit(
                new Story.Job("1", "east").cpus(SimProvider.CPUS), new Story.Job("2", "east").cpus(SimProvider.CPUS));
        story.pass(Duration.ofSeconds(30));
        assertThat(open(story))
                .as("no sooner than its pause, so that it does not flap")
                .hasSize(1);
        assertThat(machines(story)).isEqualTo(1);
        story.until(
                "it closes by itself", Duration.ofMinutes(5), () -> open(story).isEmpty());
        assertThat(story.journal.breakers())
                .singleElement()
                .satisfies(state -> assertThat(state.seen()).isEqualTo(new BreakerSight.DirectorHeard()));
        story.until(
                "both are done", HOUR, () -> story.state("1") == JobState.DONE && story.state("2") == JobState.DONE);
    }

    @Test
    void aLargeLaunchOfWhatNeverComesUpIsBounded() {
        Breakers.Settings bounded =
                new Breakers.Settings(10, 45, 3, Duration.ofMinutes(2), 10, 15, SickGroups.Settings.DEFAULTS);
        Story story = new Story(StorySetup.USUAL.breaking(bounded), new SimWorld.Spec("east", 500, 0, "1"));
        story.world.site("east").provider.deafNodes = true;
        for (int i = 0; i < 200; i++) {
            story.submit(new Story.Job("j" + i, "east").cpus(SimProvider.CPUS));
        }
        story.until("it is shut", HOUR, () -> !open(story).isEmpty());
        story.pass(Duration.ofMinutes(5));
        assertThat(machines(story)).as("not one for each job").isBetween(10L, 25L);

        Story well = new Story(StorySetup.USUAL.breaking(bounded), new SimWorld.Spec("east", 60, 0, "1"));
        for (int i = 0; i < 50; i++) {
            well.submit(new Story.Job("j" + i, "east").cpus(SimProvider.CPUS));
        }
        well.until("one is up", HOUR, () -> !well.nodes("east", NodeState.READY).isEmpty());
        well.until("all are done", HOUR, () -> well.journal.jobs().isEmpty() || well.state("j49") == JobState.DONE);
        assertThat(machines(well))
                .as("the rest comes with the first that joined")
                .isGreaterThan(15);
    }

    @Test
    void whatComesUpAndIsUsedShutsNothing() {
        Story story = new Story(new SimWorld.Spec("east", 3, 0, "1"));
        for (int round = 0; round < 12; round++) {
            String job = "r" + round;
            story.submit(new Story.Job(job, "east"));
            story.until(job + " is done", HOUR, () -> story.state(job) == JobState.DONE);
            story.pass(Duration.ofSeconds(60));
        }
        assertThat(story.journal.breakers()).isEmpty();
        assertThat(story.journal.outcomes())
                .isNotEmpty()
                .allSatisfy(outcome -> assertThat(outcome.stage()).isEqualTo(Breakers.Stage.USED));
    }
}
