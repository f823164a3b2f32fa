package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.EgressRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.limits.Cap;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.head.loop.money.Spending;
import org.spillway.policy.Limits;
import org.spillway.policy.Limits.Scope;
import org.spillway.policy.Limits.Unit;
import org.spillway.policy.Money;

/** Prices of sites for letting results out, in the loop. Each node's results, and each input, are one byte. */
final class EgressStoriesTest {
    private static final Duration HOUR = Duration.ofHours(1);
    /** A unit of money for each byte. */
    private static final Money DEAR = Money.parse("1000000000");

    private static Story dear(Cap... caps) {
        return new Story(
                StorySetup.USUAL.limited(List.of(caps), null).takingForBytes(DEAR),
                new SimWorld.Spec("east", 6, 0, "1"));
    }

    private static Money egress(Journal journal, Instant now) {
        return Spending.ofEgress(journal.egress(), BudgetPeriod.MONTH.start(now, ZoneOffset.UTC));
    }

    @Test
    void resultsAreReservedForWhileTheJobRunsAndSpentOnceTheyAreAtHome() {
        Story story = dear();
        story.submit(new Story.Job("1", "east").of("ada", "lab"), new Story.Job("2", "east").nodes(3));
        List<Money> reserved = new ArrayList<>();
        List<String> told = new ArrayList<>();
        story.until("both are done", HOUR, () -> {
            if (story.journal.jobs(JobState.RUNNING).size() == 2) {
                reserved.add(story.loop.egressCommitted());
                story.loop
                        .explain("1", story.world.clock.now())
                        .ifPresent(
                                facts -> told.add(String.valueOf(facts.moved().results())));
            }
            return story.journal.jobs().isEmpty();
        });
        // As large as the input, as long as nothing is known: one byte each.
        assertThat(reserved).contains(Money.parse("2"));
        assertThat(told).anyMatch(text -> text.contains("1.00"));
        Instant now = story.world.clock.now();
        assertThat(egress(story.journal, now)).as("one and three nodes").isEqualTo(Money.parse("4"));
        assertThat(story.loop.egressCommitted()).isEqualTo(Money.ZERO);
        Journal read = new Journal(story.world.disk, Instant.MIN);
        assertThat(egress(read, now)).isEqualTo(Money.parse("4"));
        assertThat(read.egress()).map(EgressRecord::user).contains("ada");
        Money left = story.loop.budgetLeft(now);
        Money nodes = Spending.of(story.journal.nodes(), BudgetPeriod.MONTH.start(now, ZoneOffset.UTC), now);
        assertThat(left).isEqualTo(Money.parse("1000").minus(nodes).minus(Money.parse("4")));
    }

    @Test
    void whatJobsAlikeHaveLeftIsExpectedOfTheNext() {
        Story story = dear();
        story.submit(new Story.Job("1", "east").nodes(3));
        story.until("it is done", HOUR, () -> story.journal.jobs().isEmpty());
        story.submit(new Story.Job("2", "east").nodes(3));
        List<Money> reserved = new ArrayList<>();
        story.until("the next is done", HOUR, () -> {
            if (!story.journal.jobs(JobState.RUNNING).isEmpty()) {
                reserved.add(story.loop.egressCommitted());
            }
            return story.journal.jobs().isEmpty();
        });
        assertThat(reserved).contains(Money.parse("3"));
    }

    @Test
    void aLimitInMoneyCountsResultsToo() {
        Story story = dear(new Cap(Scope.USER, "ada", List.of(), Unit.MONEY_MICROS, 2_900_000, Cap.Span.MONTH));
        story.submit(
                new Story.Job("1", "east").of("ada", "lab"),
                new Story.Job("2", "east").of("ada", "lab"),
                new Story.Job("3", "east").of("ada", "lab"),
                new Story.Job("4", "east").of("bob", "lab"));
        List<Cause> told = new ArrayList<>();
        story.until("all are done that may", HOUR, () -> {
            List.of("1", "2", "3").forEach(id -> told.add(story.waits(id)));
            return story.journal.jobs().size() == 1;
        });
        assertThat(told)
                .anyMatch(cause -> cause instanceof WaitCause.LimitReached limit
                        && limit.scope() == Limits.Scope.USER
                        && limit.name().equals("ada")
                        && limit.unit() == Unit.MONEY_MICROS);
        assertThat(story.journal.jobs()).allMatch(job -> job.spec().user().equals("ada"));
        assertThat(egress(story.journal, story.world.clock.now())).isEqualTo(Money.parse("3"));
    }
}
