package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Directive;
import org.spillway.head.loop.LoopPart;

/** When directors are told what has been decided, with the production loop. */
final class WordsToSitesTest {
    private static final Duration LATER = Duration.ofMinutes(10);

    private final Story story = new Story(new SimWorld.Spec("east", 4, 0, "1"));

    private Directive told() {
        return story.world.site("east").directors.values().stream()
                .map(director -> director.directive)
                .filter(Objects::nonNull)
                .max(Comparator.comparing(Directive::sequence))
                .orElseThrow();
    }

    /** @return whether the next word to come after the tick in which the job began has its order */
    private boolean beginsAtOnce(String job) {
        story.submit(new Story.Job(job, "east"));
        story.until(job + " begins", LATER, () -> story.state(job) == JobState.RUNNING);
        long last = told().sequence();
        story.until("a word comes", LATER, () -> told().sequence() > last);
        boolean isOrdered = told().jobs().stream().anyMatch(order -> order.job().equals(job));
        story.until(job + " is over", LATER, () -> story.state(job) == JobState.DONE);
        return isOrdered;
    }

    /** Before, the word of that tick was written before the job was begun, and the order waited for the next one. */
    @Test
    void anOrderGoesWithTheTickThatBeginsItsJob() {
        assertThat(IntStream.range(1, 12)
                        .filter(job -> beginsAtOnce(Integer.toString(job)))
                        .count())
                .as("but for one, while whose word was on its way already")
                .isGreaterThanOrEqualTo(8);
    }

    @Test
    void leasesAreRenewedThoughAPartOfTheLoopFailsInEachTick() {
        Story story = new Story(new SimWorld.Spec("east", 1, 1, "1"));
        story.until(
                "its node is up", LATER, () -> story.nodes("east", NodeState.READY).size() == 1);
        story.loop.add(new LoopPart() {
            @Override
            public void advance(Instant now, boolean releasing) {
                throw new IllegalArgumentException("this part fails");
            }

            @Override
            public boolean isBusy() {
                return false;
            }
        });
        Instant end = story.world.clock.now().plus(SimWorld.LEASE.multipliedBy(3));
        while (story.world.clock.now().isBefore(end)) {
            assertThatThrownBy(() -> story.passClosely(Duration.ofMillis(1))).hasMessage("this part fails");
        }
        assertThat(story.world.site("east").nodes.values())
                .anyMatch(node -> node.leaseUntil != null && node.leaseUntil.isAfter(end));
    }
}
