package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
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

    @Test
    void aNodeThatIsUpIsToldOfTheNextJobsInput() {
        story.submit(new Story.Job("1", "east"));
        story.until("1 is done", LATER, () -> story.state("1") == JobState.DONE);
        story.submit(new Story.Job("2", "east"));
        story.until("its input is on its way", LATER, () -> told().equals(List.of("2")));
        assertThat(story.state("2")).isEqualTo(JobState.STAGING_IN);
        story.until("2 is done", LATER, () -> story.state("2") == JobState.DONE);
        story.until("nothing is on its way", LATER, () -> told().isEmpty());
    }

    @Test
    void aHeadThatIsKilledTellsItAgainOrNeverAndTheJobEndsAllTheSame() {
        story.submit(new Story.Job("1", "east"));
        story.until("1 is done", LATER, () -> story.state("1") == JobState.DONE);
        story.submit(new Story.Job("2", "east"));
        story.until("its input is on its way", LATER, () -> told().equals(List.of("2")));
        story = story.restarted();
        story.until("2 is done", LATER, () -> story.state("2") == JobState.DONE);
        story.until("nothing is on its way", LATER, () -> told().isEmpty());
    }
}
