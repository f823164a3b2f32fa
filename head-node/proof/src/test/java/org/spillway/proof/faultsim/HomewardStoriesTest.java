package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRun;
import org.spillway.proof.faultsim.Story.Job;

/** H2: an output that cannot be written at home, tried again, given up and cancelled. */
final class HomewardStoriesTest {
    private static final Duration SOON = Duration.ofMinutes(3);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("org.spillway.head.loop.jobs");
    private Story story = new Story(new SimWorld.Spec("east", 1, 0, "1"));

    @BeforeEach
    void listen() {
        log.start();
        logger.setLevel(Level.WARN);
        logger.addAppender(log);
        story.submit(new Job("1", "east"));
    }

    @AfterEach
    void quiet() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }

    private void lock(Duration time) {
        story.world.home.lock("1", "out", story.world.clock.now().plus(time));
    }

    private void untilItWaits() {
        story.until("it says why", SOON, () -> story.waits("1") instanceof WaitCause.OutputsNotInPlace);
    }

    @Test
    void triesGrowApartAndAreLoggedOnce() {
        lock(Duration.ofMinutes(40));
        untilItWaits();
        assertThat(story.waits("1").parts())
                .containsExactly(new JobCause.OutputUnplaced("out", "/home/u/out-1", "permission denied"));
        story.until("it is done", Duration.ofHours(1), () -> story.state("1") == JobState.DONE);
        assertThat(story.world.home.tries("1")).as("not one every two seconds").isBetween(8, 20);
        String here = Thread.currentThread().getName();
        assertThat(log.list)
                .as("other simulations log beside it")
                .filteredOn(event -> event.getLevel().equals(Level.WARN)
                        && event.getThreadName().equals(here))
                .hasSize(1);
        assertThat(story.job("1").run().homeward()).isNull();
    }

    @Test
    void cancelEndsItAtOnceAndKeepsWhatIsHome() {
        lock(Duration.ofDays(9));
        untilItWaits();
        story.giveUp("1");
        story.pass(Duration.ofSeconds(1));
        assertThat(story.state("1")).isEqualTo(JobState.CANCELLED);
        assertThat(story.job("1").cause()).isEqualTo(new JobCause.ResultsGivenUp("/home/u"));
    }

    @Test
    void afterADayItEndsAsItsScriptDidAndARestartDoesNotBeginTheDayAnew() {
        lock(Duration.ofDays(9));
        untilItWaits();
        Instant since = story.job("1").run().homeward().failingSince();
        story.world.clock.advanceMillis(Duration.ofHours(23).toMillis());
        story = story.restarted();
        story.pass(Duration.ofMinutes(5));
        assertThat(story.job("1").run().homeward().failingSince()).isEqualTo(since);
        assertThat(story.state("1")).isEqualTo(JobState.STAGING_OUT);
        story.until("the day is over", Duration.ofMinutes(90), () -> story.state("1") == JobState.DONE);
        JobRun.Published published = story.job("1").run().published();
        assertThat(published.unplaced())
                .containsExactly(new JobRun.Unplaced("out", "/home/u/out-1", "permission denied"));
        assertThat(story.job("1").cause())
                .isEqualTo(new JobCause.OutputsUnplaced(
                        List.of(new JobCause.OutputUnplaced("out", "/home/u/out-1", "permission denied")),
                        List.of("/home/u/.bundle-1")));
    }

    @Test
    void aHeadThatWasOffForTheDayStillTries() {
        lock(Duration.ofHours(30));
        untilItWaits();
        story.world.clock.advanceMillis(Duration.ofHours(29).toMillis());
        story = story.restarted();
        story.world.home.unlock();
        story.until("it is done", SOON, () -> story.state("1") == JobState.DONE);
        assertThat(story.job("1").run().published().unplaced()).isEmpty();
    }
}
