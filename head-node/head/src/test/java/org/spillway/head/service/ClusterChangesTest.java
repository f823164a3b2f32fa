package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.ClusterState;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.ClusterSpec;
import org.spillway.head.ondemand.Kids;
import org.spillway.policy.Money;

final class ClusterChangesTest {
    private static Optional<ApiException> refusal(String budget, String head, String node) {
        ClusterSpec spec = Kids.made(Duration.ofHours(8), budget).spec();
        return ClusterChanges.tooSmall(spec, Money.parse(head), Money.parse(node));
    }

    @Test
    void aBudgetHasToPayForAMinuteOfHeadAndNodes() {
        assertThat(refusal("0.029999", "0.6", "0.6")).get().satisfies(refused -> {
            assertThat(refused.code()).isEqualTo(Code.LIMIT_EXCEEDED);
            assertThat(refused)
                    .hasMessage("budget: found 0.029999, too little for a minute of its head (0.01)"
                            + " and of 2 x small (0.02)");
            assertThat(refused.hint())
                    .isEqualTo("at least 0.03, or fewer or cheaper nodes; an hour of all of them costs 1.8");
        });
        assertThat(refusal("0.03", "0.6", "0.6")).isEmpty();
        assertThat(refusal("0", "0.6", "0")).isPresent();
        assertThat(refusal("0", "0", "0")).as("where nothing costs anything").isEmpty();
    }

    @Test
    void whatIsStoppedStartsUnlessItsMachineIsGone() {
        ClusterRecord stopped = Kids.made(Duration.ofHours(8), "5")
                .stopping(new Told("stopped"), "", Kids.MADE)
                .stopped(null, Kids.MADE);
        assertThat(ClusterChanges.starting(stopped, "alice", Kids.MADE).clusterState())
                .isEqualTo(ClusterState.STARTING);
        ClusterRecord gone = stopped.withHead(stopped.head().gone(Kids.MADE));
        assertThatThrownBy(() -> ClusterChanges.starting(gone, "alice", Kids.MADE))
                .isInstanceOfSatisfying(ApiException.class, refused -> {
                    assertThat(refused.code()).isEqualTo(Code.CONFLICT);
                    assertThat(refused).hasMessageContaining("head is gone").hasMessageContaining("cannot be started");
                    assertThat(refused.hint()).startsWith("'spillway cluster delete demo1'");
                });
    }
}
