package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.head.journal.BreakerEntry;
import org.spillway.head.journal.Journal;
import org.spillway.scaler.plan.BreakerSight;
import org.spillway.scaler.plan.Breakers;

/** A zone whose nodes are sick, with the production loop. */
final class SickZoneStoriesTest {
    private static final Duration SOON = Duration.ofMinutes(30);

    private Story story = new Story(StorySetup.USUAL, new SimWorld.Spec("east", 8, 0, "1"));
    private int jobs;

    private SimProvider provider() {
        return story.world.site("east").provider;
    }

    private List<String> open() {
        return story.journal.breakers().stream()
                .filter(Breakers.State::open)
                .map(Breakers.State::id)
                .toList();
    }

    private long nodesIn(String zone) {
        return provider().machines.values().stream()
                .filter(machine ->
                        !Faults.isDirector(machine) && machine.offering.zone().equals(zone))
                .count();
    }

    private void runs(int count) {
        for (int i = 0; i < count; i++) {
            String job = "j" + jobs++;
            story.submit(new Story.Job(job, "east"));
            story.until(job + " is over", SOON, () -> story.state(job).isTerminal());
        }
    }

    /** Nodes of zone b have worked, and those of zone a are bought first. */
    private void planted() {
        provider().fabrics = true;
        provider().roomIn.put("a", 0);
        for (int i = 0; i < 3; i++) {
            runs(1);
            story.pass(Duration.ofMinutes(2));
        }
        assertThat(nodesIn("b")).isEqualTo(3);
        provider().roomIn.clear();
        provider().sickZones.add("a");
        story.pass(Duration.ofMinutes(15));
    }

    @Test
    void theZoneIsShutJobsGoToTheOtherOneAndTheNextHeadKnowsIt() {
        planted();
        runs(12);
        assertThat(open()).containsExactly("zone:east/a");
        assertThat(nodesIn("a")).as("bought there").isEqualTo(4);
        assertThat(story.journal.breakers().getFirst().seen())
                .isInstanceOfSatisfying(BreakerSight.NodesSick.class, seen -> {
                    assertThat(seen.sick()).isEqualTo(4);
                    assertThat(seen.which()).hasSize(4);
                    assertThat(seen.checks()).containsExactly("health");
                    assertThat(seen.last()).isEqualTo(SimNode.SICK);
                });

        List<Breakers.State> shut = story.journal.breakers();
        story = story.restarted();
        runs(3);
        assertThat(story.journal.breakers()).as("the next head knows it").isEqualTo(shut);
        assertThat(nodesIn("a")).isEqualTo(4);
    }

    @Test
    void anAdministratorClosesItBeforeThat() {
        planted();
        runs(6);
        assertThat(open()).containsExactly("zone:east/a");
        provider().sickZones.clear();
        Instant now = story.world.clock.now();
        story.journal.commit(
                now, new BreakerEntry(story.journal.breakers().getFirst().closedBy("ada", now)));
        story.pass(Duration.ofMinutes(2));
        runs(1);
        assertThat(nodesIn("a")).isEqualTo(5);
        assertThat(open()).isEmpty();
    }

    /** Killed behind each of them: what the next head makes of the journal is what this one would have. */
    @Test
    void aHeadThatDiesBetweenTwoSickNodesCountsOn() {
        planted();
        for (int i = 0; i < 6; i++) {
            runs(1);
            assertThat(new Journal(story.world.disk, Instant.MIN).outcomes())
                    .as("on disk")
                    .containsExactlyInAnyOrderElementsOf(story.journal.outcomes());
            story = story.restarted();
        }
        assertThat(open()).containsExactly("zone:east/a");
        assertThat(nodesIn("a")).isEqualTo(4);
    }
}
