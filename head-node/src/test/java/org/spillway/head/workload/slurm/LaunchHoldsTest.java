package org.spillway.head.workload.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Slurm holds by itself after its slurmctld was killed is released, and what a user holds is not. */
final class LaunchHoldsTest {
    private static final Instant STARTED = Instant.parse("2026-01-05T08:00:00Z");

    private final LaunchHolds holds = new LaunchHolds();
    private final List<String> asked = new ArrayList<>();

    private List<SlurmOrder.Release> look(SlurmJob row, Instant started, Duration later, boolean byLaunch)
            throws Exception {
        return holds.look(JobBook.items(List.of(row)), started, started.plus(later), target -> {
            asked.add(target);
            return byLaunch;
        });
    }

    @Test
    void aJobThatCouldNotBeLaunchedIsReleasedOnce() throws Exception {
        SlurmJob held = JobBookTest.row("PD", "JobHeldUser", 1, 0, "");
        assertThat(look(held, STARTED, Duration.ofSeconds(5), true)).containsExactly(new SlurmOrder.Release("12"));
        assertThat(look(held, STARTED, Duration.ofSeconds(6), true)).isEmpty();
        assertThat(look(held, STARTED.plusSeconds(60), Duration.ofSeconds(5), true))
                .containsExactly(new SlurmOrder.Release("12"));
        assertThat(new SlurmOrder.Release("12").arguments()).containsExactly("scontrol", "release", "12");
    }

    @Test
    void aUsersHoldStays() throws Exception {
        assertThat(look(JobBookTest.row("PD", "JobHeldUser", 1, 0, ""), STARTED, Duration.ofSeconds(5), false))
                .isEmpty();
        assertThat(asked).containsExactly("12");
    }

    @Test
    void anAnswerThatIsNoneYetIsAskedForAgainAndNotForEver() throws Exception {
        SlurmJob held = JobBookTest.row("PD", "JobHeldUser", 1, 0, "");
        assertThat(look(held, STARTED, Duration.ofSeconds(5), false)).isEmpty();
        assertThat(look(held, STARTED, Duration.ofSeconds(6), true)).containsExactly(new SlurmOrder.Release("12"));
        for (int i = 0; i < 100; i++) {
            look(held, STARTED.plusSeconds(60), Duration.ofSeconds(5), false);
        }
        assertThat(asked).hasSizeLessThan(50);
    }

    @Test
    void whatCannotBeOfThatIsNotAskedFor() throws Exception {
        assertThat(look(JobBookTest.row("PD", "JobHeldUser", 0, 0, ""), STARTED, Duration.ofSeconds(5), true))
                .isEmpty();
        assertThat(look(JobBookTest.row("PD", "Resources", 1, 0, ""), STARTED, Duration.ofSeconds(5), true))
                .isEmpty();
        assertThat(look(JobBookTest.row("PD", "JobHeldUser", 1, 0, ""), STARTED, Duration.ofHours(1), true))
                .isEmpty();
        assertThat(asked).isEmpty();
    }
}
