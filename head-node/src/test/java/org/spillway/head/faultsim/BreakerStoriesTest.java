package org.spillway.head.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.head.journal.BreakerEntry;
import org.spillway.head.journal.Journal;
import org.spillway.head.lifecycle.JobState;
import org.spillway.head.lifecycle.NodeState;
import org.spillway.head.loop.BudgetPeriod;
import org.spillway.head.loop.Spending;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Breakers;

/** What would go on for ever without a breaker, and stops. */
final class BreakerStoriesTest {
    private static final Duration HOUR = Duration.ofHours(1);

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
        assertThat(shut.reason()).startsWith("1").contains(" nodes in a row of east/a/std/ON_DEMAND did not come up");
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
        assertThat(story.loop.waitReason("1")).contains("did not come up").contains("spillway breaker close pool:");

        // A head that starts again knows it.
        assertThat(new Journal(story.world.disk, Instant.MIN).breakers()).isEqualTo(story.journal.breakers());

        story.world.site("east").provider.deafNodes = false;
        story.journal.commit(now, new BreakerEntry(shut.closedBy("ada", now)));
        story.until("it runs", HOUR, () -> story.state("1") == JobState.DONE && story.state("3") == JobState.DONE);
        assertThat(open(story)).isEmpty();
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
