package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.director.wire.Directive;

/** Nodes that are likely to get a job are told of its input while that is on its way, with the production loop. */
final class ComingInputsStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(10);

    private Story story = new Story(new SimWorld.Spec("east", 4, 0, "1"));

    /** Jobs whose input a node of the region is to fetch ahead, as its director was told last. */
    private List<String> told() {
        return story.world.site("east").directors.values().stream()
                .map(director -> director.directive)
                .filter(Objects::nonNull)
                .flatMap(directive -> directive.nodes().stream())
                .map(Directive.NodeGrant::ahead)
                .flatMap(ahead -> ahead == null ? Stream.of() : ahead.inputs().stream())
                .map(Directive.Coming::job)
                .toList();
    }

    /** @return whether a node was told of its input before it had it */
    private boolean runs(String job) {
        boolean[] wasTold = {false};
        story.submit(new Story.Job(job, "east"));
        story.until(job + " is over", LATER, () -> {
            boolean isComing = told().contains(job);
            wasTold[0] |= isComing;
            return !story.journal.job(job).orElseThrow().isLive();
        });
        return wasTold[0];
    }

    /** Copies of this world take less than a second, so that not every one is under way when its director is told. */
    private long toldOf(int from, int to) {
        return IntStream.range(from, to)
                .filter(job -> runs(Integer.toString(job)))
                .count();
    }

    @Test
    void aNodeThatIsUpIsToldOfTheNextJobsInput() {
        assertThat(runs("1")).as("no node was there").isFalse();
        assertThat(toldOf(2, 10)).isPositive();
        story.until("nothing is on its way", LATER, () -> told().isEmpty());
    }

    @Test
    void aHeadThatIsKilledMeanwhileTellsItAgainOrNever() {
        runs("1");
        story.submit(new Story.Job("2", "east"));
        story.until("its input is on its way", LATER, () -> story.state("2") == JobState.STAGING_IN);
        story = story.restarted();
        story.until("2 is done", LATER, () -> story.state("2") == JobState.DONE);
        assertThat(toldOf(3, 10)).isPositive();
        story.until("nothing is on its way", LATER, () -> told().isEmpty());
    }
}
