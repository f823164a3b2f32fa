package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.api.JobState;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Quota;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.port.SiteCheck;
import org.spillway.policy.Limits;

/** A provider's quota is known before a launch meets it: nothing is asked for in vain, and a job says which it waits for. */
final class QuotaStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(10);
    private static final String RAISE = "ask for more";

    private volatile long used;
    private volatile long most;

    private Story story(SimWorld.Spec... sites) {
        return new Story(
                name -> Optional.of(new SiteCheck() {
                    @Override
                    public List<Finding> findings() {
                        return List.of();
                    }

                    @Override
                    public Optional<Callable<List<Quota>>> quotas() {
                        return name.equals("east")
                                ? Optional.of(() -> List.of(new Quota(
                                        "Q-1",
                                        SimProvider.QUOTA,
                                        "usual machines",
                                        Quota.Unit.CPUS,
                                        used,
                                        most,
                                        RAISE)))
                                : Optional.empty();
                    }
                }),
                sites);
    }

    private static SimWorld.Spec region(String name, String price) {
        return new SimWorld.Spec(name, 3, 0, price);
    }

    private WaitCause.QuotaFull full(long of) {
        return new WaitCause.QuotaFull("east", "Q-1", "usual machines", Limits.Unit.CPUS, of, most, RAISE);
    }

    @Test
    void aJobWaitsForTheQuotaAndSaysHowToRaiseIt() {
        // The director has it.
        most = SimProvider.CPUS;
        Story story = story(region("east", "1"));
        story.submit(new Story.Job("1", "east"));
        story.until("it says so", LATER, () -> story.waits("1").all().anyMatch(full(most)::equals));
        story.pass(Duration.ofMinutes(2));
        assertThat(story.journal.nodes()).allMatch(NodeRecord::isDirector);
        most = 100;
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
    }

    /** Not one call is made for a director that would be refused. */
    @Test
    void aDirectorWaitsForTheQuotaToo() {
        most = SimProvider.CPUS - 1;
        Story story = story(region("east", "1"));
        story.pass(Duration.ofSeconds(5));
        story.submit(new Story.Job("1", "east"));
        story.until("it says so", LATER, () -> story.waits("1").all().anyMatch(full(0)::equals));
        story.pass(Duration.ofMinutes(2));
        assertThat(story.journal.nodes()).isEmpty();
        assertThat(story.journal.launches()).isEmpty();
        most = 100;
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
    }

    /** A director goes where it may, and its job with it. */
    @Test
    void aJobGoesWhereADirectorMayBe() {
        most = 1;
        Story story = story(region("east", "1"), region("west", "9"));
        story.pass(Duration.ofSeconds(5));
        story.submit(new Story.Job("1", "east", "west"));
        // The run's end is drawn.
        story.until("it has run", LATER, () -> !story.state("1").waitsToStart());
        assertThat(story.job("1").run().site()).isEqualTo("west");
        assertThat(story.journal.nodes()).noneMatch(node -> node.site().equals("east"));
    }

    @Test
    void jobsGoWhereThereIsRoom() {
        used = 96;
        most = 96;
        Story story = story(region("east", "1"), region("west", "9"));
        story.submit(new Story.Job("1", "east", "west"));
        // The run's end is drawn.
        story.until("it has run", LATER, () -> !story.state("1").waitsToStart());
        assertThat(story.job("1").run().site()).isEqualTo("west");
        assertThat(story.journal.nodes())
                .filteredOn(node -> node.site().equals("east"))
                .allMatch(NodeRecord::isDirector);
    }

    /** The director and a node take all that there is: the second job waits for the first. */
    @ParameterizedTest
    @CsvSource({"2, 1", "25, 2"})
    void whatThisHeadHasCountsBeforeTheProviderTellsIt(int machines, int bought) {
        most = (long) machines * SimProvider.CPUS;
        Story story = story(region("east", "1"));
        story.submit(new Story.Job("1", "east").cpus(SimProvider.CPUS));
        story.submit(new Story.Job("2", "east").cpus(SimProvider.CPUS));
        story.until(
                "both are done", LATER, () -> story.state("1") == JobState.DONE && story.state("2") == JobState.DONE);
        assertThat(story.journal.nodes()).filteredOn(node -> !node.isDirector()).hasSize(bought);
    }
}
