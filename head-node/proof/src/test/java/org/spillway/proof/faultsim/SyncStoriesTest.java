package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.loop.jobs.Orders;

/** Outputs that come home while their jobs run, with the production loop. */
final class SyncStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(10);

    private Story story = story();

    private static Story story() {
        Story story = new Story(new SimWorld.Spec("east", 4, 0, "1"));
        story.world.site("east").runsLong = true;
        return story;
    }

    private void runs(String job, int nodes) {
        story.submit(new Story.Job(job, "east").nodes(nodes).syncing(60).lasting(Duration.ofHours(2)));
        story.until(job + " runs", LATER, () -> story.state(job) == JobState.RUNNING);
    }

    private int round(String job, int rank) {
        JobRun.Synced last = story.job(job).run().ranks().get(rank).synced();
        return last == null ? 0 : last.round();
    }

    private boolean isSealed(String job, int round) {
        return story.world.site("east").directors.values().stream()
                .anyMatch(director -> director.sealed.contains(Orders.syncKey(job, 1, 0, round)));
    }

    @Test
    void roundsComeHomeOneAfterTheOther() {
        runs("1", 2);
        story.until("three rounds", LATER, () -> round("1", 0) == 3 && round("1", 1) == 3);
        JobRun.Synced last = story.job("1").run().ranks().getFirst().synced();
        assertThat(last.files()).isEqualTo(1);
        assertThat(last.allBytes()).isEqualTo(3);
        assertThat(last.said()).isEmpty();
        story.until("it ends", Duration.ofHours(3), () -> story.state("1").isTerminal());
        assertThat(story.state("1")).isEqualTo(JobState.DONE);
    }

    /** The journal knows which rounds were dealt with, and the region which was not. */
    @Test
    void aHeadThatIsKilledInARoundBringsItOnceMoreAndGoesOn() {
        runs("1", 1);
        story.until("a round", LATER, () -> round("1", 0) == 1);
        story.until("another is on its way", LATER, () -> isSealed("1", 2));
        assertThat(round("1", 0)).as("as the journal has it").isEqualTo(1);
        story = story.restarted();
        story.until("it is dealt with", LATER, () -> round("1", 0) == 2);
        story.until("and the next", LATER, () -> round("1", 0) == 3);
        assertThat(story.job("1").run().attempt()).isEqualTo(1);
    }

    /** The machine goes without a word, and there is no other in its region. */
    @Test
    void theNextAttemptBeginsFromWhatHadComeHome() {
        Story two = new Story(new SimWorld.Spec("east", 4, 0, "1"), new SimWorld.Spec("west", 4, 0, "2"));
        two.world.sites.values().forEach(site -> site.runsLong = true);
        two.submit(new Story.Job("1", "east", "west").nodes(2).syncing(60).lasting(Duration.ofHours(2)));
        two.until("it runs", LATER, () -> two.state("1") == JobState.RUNNING);
        SimSite lost = two.world.site(two.job("1").run().site());
        two.until(
                "two rounds of each",
                LATER,
                () -> two.job("1").run().ranks().stream()
                        .allMatch(rank -> rank.synced() != null && rank.synced().round() >= 2));
        String node = two.job("1").run().nodes().getLast();
        lost.provider.roomIn.put("a", 0);
        lost.provider.end(lost.nodes.values().stream()
                .filter(each -> node.equals(each.id))
                .findFirst()
                .orElseThrow()
                .machine);
        two.until("it waits again", Duration.ofMinutes(30), () -> two.state("1") != JobState.RUNNING);
        Reclaimed left = two.job("1").run().reclaimed();
        assertThat(left.way()).isEqualTo(Reclaimed.Way.ROUNDS);
        assertThat(left.times()).as("nobody gave notice").isZero();
        assertThat(left.savedMillis()).isPositive();
        two.world.sites.values().forEach(site -> site.runsLong = false);
        SimSite other = two.world.site(lost == two.world.site("east") ? "west" : "east");
        two.until(
                "it runs elsewhere",
                Duration.ofMinutes(60),
                () -> two.state("1") == JobState.RUNNING
                        && two.job("1").run().site().equals(other.name));
        two.until(
                "its orders are there",
                LATER,
                () -> other.directors.values().stream()
                                .mapToLong(director -> director.orders.size())
                                .sum()
                        == 2);
        assertThat(other.directors.values().stream()
                        .flatMap(director -> director.orders.stream())
                        .map(order -> order.checkpoint() == null
                                ? ""
                                : order.checkpoint().key()))
                .containsExactlyInAnyOrder("jobs/1/1/out/0", "jobs/1/1/out/1");
        two.until("it ends", Duration.ofHours(3), () -> two.state("1").isTerminal());
        assertThat(two.state("1")).isEqualTo(JobState.DONE);
        two.until("nothing is hidden at home", LATER, two.world.home.checkpoints::isEmpty);
    }

    @Test
    void aJobThatIsCancelledWhileABundleIsMadeLeavesNothingHiddenAtHome() {
        runs("1", 1);
        story.until("a round", LATER, () -> round("1", 0) >= 1);
        SimSite east = story.world.site("east");
        east.provider.roomIn.put("a", 0);
        east.provider.end(east.nodes.values().iterator().next().machine);
        story.until("a bundle is made", Duration.ofMinutes(30), () -> story.isUnderWay("checkpoint:1"));
        assertThat(story.job("1").run().reclaimed().way()).isEqualTo(Reclaimed.Way.ROUNDS);
        story.cancel("1");
        story.until("it is cancelled", LATER, () -> story.state("1") == JobState.CANCELLED);
        story.pass(Duration.ofMinutes(2));
        assertThat(story.world.home.checkpoints).isEmpty();
    }

    /** A user may have two bytes there, and each input has one. */
    @Test
    void aCheckpointTakesItsRoomOfWhatAUserMayHaveThere() {
        Story full = new Story(2, new SimWorld.Spec("east", 4, 0, "1"));
        SimSite east = full.world.site("east");
        east.runsLong = true;
        full.submit(new Story.Job("1", "east").syncing(60).lasting(Duration.ofHours(2)));
        full.until(
                "a round",
                LATER,
                () -> full.state("1") == JobState.RUNNING
                        && full.job("1").run().ranks().getFirst().synced() != null);
        east.provider.roomIn.put("a", 0);
        east.provider.end(east.nodes.values().iterator().next().machine);
        full.until(
                "what it left is there",
                Duration.ofMinutes(30),
                () -> full.job("1").run().reclaimed() instanceof Reclaimed left
                        && left.isLeft()
                        && !left.store().isEmpty());
        east.runsLong = false;
        full.submit(new Story.Job("2", "east").lasting(Duration.ofHours(2)));
        full.pass(Duration.ofMinutes(2));
        assertThat(full.job("2").run().staged()).isNull();
        east.provider.roomIn.remove("a");
        full.until("the first ends", Duration.ofHours(3), () -> full.state("1").isTerminal());
        full.until("the second ends", Duration.ofHours(3), () -> full.state("2") == JobState.DONE);
    }

    @Test
    void aJobThatAsksForNoneHasNone() {
        story.submit(new Story.Job("1", "east").lasting(Duration.ofHours(2)));
        story.until("1 runs", LATER, () -> story.state("1") == JobState.RUNNING);
        story.pass(Duration.ofMinutes(5));
        assertThat(story.job("1").run().ranks().getFirst().synced()).isNull();
    }
}
