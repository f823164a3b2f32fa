package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.api.ApiException;
import org.spillway.api.JobSubmission;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.limits.Lifetime;

/** H4: a walltime is cut to what the cluster's life and money allow, and that is said. */
final class WalltimeTest {
    private static final HeadConfig.Queue WEST =
            HeadConfig.Queue.plain("west", List.of("west"), Duration.ofDays(1), true);
    private static final Lifetime.Bounds SHORT = new Lifetime.Bounds(Duration.ofMinutes(29), Duration.ofMinutes(50));

    private static JobSubmission asked(long seconds) {
        return JobSubmission.of(draft -> {
            draft.script = "true";
            draft.walltimeSeconds = seconds;
        });
    }

    @Test
    void withoutAnEndTheQueuesLimitStands() {
        assertThat(Walltime.of(WEST, asked(0), Optional.empty()))
                .isEqualTo(new Walltime(Duration.ofDays(1), Duration.ofDays(1), ""));
    }

    @Test
    void oneThatNobodyAskedForIsCutAndSaidSo() {
        Walltime cut = Walltime.of(WEST, asked(0), Optional.of(SHORT));
        assertThat(cut.length()).isEqualTo(Duration.ofMinutes(29));
        assertThat(cut.usual()).isEqualTo(Duration.ofDays(1));
        assertThat(cut.note())
                .isEqualTo("its walltime is 29m and not 1d, the queue's: its cluster has time and money for no more");
    }

    @Test
    void oneThatIsLongerThanTheClusterLivesIsRefusedWithBothFigures() {
        assertThatThrownBy(() -> Walltime.of(WEST, asked(7200), Optional.of(SHORT)))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("walltime 2h is longer than its cluster lives: it has time for 29m");
        assertThat(Walltime.of(WEST, asked(600), Optional.of(SHORT)))
                .isEqualTo(new Walltime(Duration.ofMinutes(10), null, ""));
    }

    @Test
    void oneThatIsLongerThanTheMoneyLastsIsTakenWithANote() {
        var poor = new Lifetime.Bounds(Duration.ofMinutes(29), Duration.ofMinutes(5));
        assertThat(Walltime.of(WEST, asked(600), Optional.of(poor)).note())
                .contains("walltime of 10m is longer than the cluster's money lasts")
                .contains("5m");
    }

    @Test
    void overTheQueuesLimitIsRefusedAsBefore() {
        assertThatThrownBy(() -> Walltime.of(WEST, asked(100_000), Optional.empty()))
                .hasMessageContaining("walltime 100000s is over the limit of queue west");
    }
}
