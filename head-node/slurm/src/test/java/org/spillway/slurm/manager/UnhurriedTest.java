package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Jobs that were taken off living nodes are not hurried. */
final class UnhurriedTest {
    private static final List<SlurmOrder> HURRY = List.of(new SlurmOrder.StartAgain("12"));

    private final Unhurried unhurried = new Unhurried();

    private List<SlurmOrder> said(SlurmJob row, Set<String> agains, Set<String> released) {
        return unhurried.without(HURRY, List.of(new JobPlan.Listed("k", "12", "12", row)), agains, released);
    }

    @Test
    void oneThatTheHeadTookOffWaitsUntilItRuns() {
        SlurmJob waits = JobBookScene.row("PD", "BeginTime", 1, 0, "");
        SlurmJob runs = JobBookScene.row("R", "None", 1, 0, "west-a-1");
        assertThat(said(waits, Set.of(), Set.of())).isEqualTo(HURRY);
        said(runs, Set.of("k"), Set.of());
        assertThat(said(waits, Set.of(), Set.of())).isEmpty();
        said(runs, Set.of(), Set.of());
        assertThat(said(waits, Set.of(), Set.of())).isEqualTo(HURRY);
    }

    @Test
    void oneThatSlurmHeldWaitsToo() {
        SlurmJob waits = JobBookScene.row("PD", "JobHeldUser", 1, 0, "");
        assertThat(said(waits, Set.of(), Set.of("12"))).isEmpty();
        assertThat(said(JobBookScene.row("PD", "BeginTime", 1, 0, ""), Set.of(), Set.of()))
                .isEmpty();
    }
}
