package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A job that Slurm holds by itself after its slurmctld was killed is released, and one that a user holds is not. */
final class LaunchHoldsTest {
    private static final Instant STARTED = Instant.parse("2026-01-05T08:00:00Z");

    private final LaunchHolds holds = new LaunchHolds();
    private final List<String> asked = new ArrayList<>();

    private List<SlurmOrder.Release> look(SlurmJob row, Instant started, Duration later, boolean byLaunch)
            throws Exception {
        return look(row, "", started, later, byLaunch);
    }

    private List<SlurmOrder.Release> look(
            SlurmJob row, String drained, Instant started, Duration later, boolean byLaunch) throws Exception {
        var node = new SlurmNode(
                "west-a-1",
                Set.of("idle"),
                8,
                8L << 30,
                0,
                0,
                List.of(),
                Set.of(),
                Set.of("west"),
                Set.of(),
                "10.0.0.1",
                drained);
        return holds.look(JobBook.items(List.of(row)), List.of(node), started, started.plus(later), target -> {
            asked.add(target);
            return byLaunch;
        });
    }

    private static final SlurmJob HELD = JobBookScene.row("PD", "JobHeldUser", 1, 0, "");
    private static final String DRAINED = "Duplicate jobid";

    /** The job's stage-out overwrites the reason before anybody can ask for it. */
    @Test
    void oneWhoseReasonIsOverwrittenIsKnownByTheDrainOfItsNode() throws Exception {
        look(JobBookScene.row("R", "None", 0, 0, "west-a-1"), STARTED, Duration.ofSeconds(4), false);
        assertThat(look(HELD, DRAINED, STARTED, Duration.ofSeconds(5), false))
                .containsExactly(new SlurmOrder.Release("12"));
        assertThat(look(HELD, "", STARTED, Duration.ofSeconds(6), false)).isEmpty();
    }

    @Test
    void theDrainMayBeSeenAfterTheHold() throws Exception {
        look(JobBookScene.row("PD", "BeginTime", 0, 0, ""), STARTED, Duration.ofSeconds(4), false);
        assertThat(look(HELD, "", STARTED, Duration.ofSeconds(5), false)).isEmpty();
        assertThat(look(HELD, DRAINED, STARTED, Duration.ofSeconds(6), false))
                .containsExactly(new SlurmOrder.Release("12"));
    }

    /** Seen in the lab: of a gang it took three seconds, in which the job completed and was counted up already. */
    @Test
    void itsEpilogsMayLieBetween() throws Exception {
        look(JobBookScene.row("R", "None", 0, 0, "west-a-[1-2]"), STARTED, Duration.ofSeconds(4), false);
        look(JobBookScene.row("CG", "None", 1, 0, "west-a-[1-2]"), DRAINED, STARTED, Duration.ofSeconds(5), false);
        look(JobBookScene.row("CG", "None", 1, 0, "west-a-[1-2]"), STARTED, Duration.ofSeconds(7), false);
        assertThat(look(HELD, "", STARTED, Duration.ofSeconds(8), false)).containsExactly(new SlurmOrder.Release("12"));
    }

    @Test
    void aHoldWithoutAFurtherRunIsItsUsers() throws Exception {
        look(JobBookScene.row("PD", "Resources", 1, 0, ""), STARTED, Duration.ofSeconds(4), false);
        assertThat(look(HELD, DRAINED, STARTED, Duration.ofSeconds(5), false)).isEmpty();
        assertThat(look(HELD, DRAINED, STARTED, Duration.ofSeconds(6), false)).isEmpty();
    }

    @Test
    void aHoldLongAfterADrainIsItsUsers() throws Exception {
        look(JobBookScene.row("R", "None", 0, 0, "west-a-1"), DRAINED, STARTED, Duration.ofSeconds(4), false);
        look(JobBookScene.row("R", "None", 0, 0, "west-a-1"), STARTED, Duration.ofSeconds(90), false);
        assertThat(look(HELD, "", STARTED, Duration.ofSeconds(91), false)).isEmpty();
    }

    @Test
    void oneThatWasHeldWhenItWasFirstSeenIsAskedFor() throws Exception {
        assertThat(look(HELD, DRAINED, STARTED, Duration.ofSeconds(5), false)).isEmpty();
        assertThat(asked).containsExactly("12");
    }

    @Test
    void aJobThatCouldNotBeLaunchedIsReleasedOnce() throws Exception {
        SlurmJob held = JobBookScene.row("PD", "JobHeldUser", 1, 0, "");
        assertThat(look(held, STARTED, Duration.ofSeconds(5), true)).containsExactly(new SlurmOrder.Release("12"));
        assertThat(look(held, STARTED, Duration.ofSeconds(6), true)).isEmpty();
        assertThat(look(held, STARTED.plusSeconds(60), Duration.ofSeconds(5), true))
                .containsExactly(new SlurmOrder.Release("12"));
        assertThat(new SlurmOrder.Release("12").arguments()).containsExactly("scontrol", "release", "12");
    }

    @Test
    void aUsersHoldStays() throws Exception {
        assertThat(look(JobBookScene.row("PD", "JobHeldUser", 1, 0, ""), STARTED, Duration.ofSeconds(5), false))
                .isEmpty();
        assertThat(asked).containsExactly("12");
    }

    @Test
    void anAnswerThatIsNoneYetIsAskedForAgainAndNotForEver() throws Exception {
        SlurmJob held = JobBookScene.row("PD", "JobHeldUser", 1, 0, "");
        assertThat(look(held, STARTED, Duration.ofSeconds(5), false)).isEmpty();
        assertThat(look(held, STARTED, Duration.ofSeconds(6), true)).containsExactly(new SlurmOrder.Release("12"));
        for (int i = 0; i < 100; i++) {
            look(held, STARTED.plusSeconds(60), Duration.ofSeconds(5), false);
        }
        assertThat(asked).hasSizeLessThan(50);
    }

    @Test
    void whatCannotBeOfThatIsNotAskedFor() throws Exception {
        assertThat(look(JobBookScene.row("PD", "JobHeldUser", 0, 0, ""), STARTED, Duration.ofSeconds(5), true))
                .isEmpty();
        assertThat(look(JobBookScene.row("PD", "Resources", 1, 0, ""), STARTED, Duration.ofSeconds(5), true))
                .isEmpty();
        assertThat(look(JobBookScene.row("PD", "JobHeldUser", 1, 0, ""), STARTED, Duration.ofHours(1), true))
                .isEmpty();
        assertThat(asked).isEmpty();
    }
}
