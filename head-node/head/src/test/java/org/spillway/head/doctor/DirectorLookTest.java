package org.spillway.head.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.journal.NodeRecord;

final class DirectorLookTest {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

    private static NodeRecord director(String id, NodeState state, Cause why) {
        return NodeRecord.of(draft -> {
            draft.id = id;
            draft.site = "east";
            draft.role = NodeRecord.Role.DIRECTOR;
            draft.nodeState = state;
            draft.cause = why;
            draft.since = NOW;
        });
    }

    private static NodeRecord failed(String id) {
        return director(
                id,
                NodeState.FAILED,
                new NodeCause.DirectorFailed(
                        NodeFact.NOT_READY_IN_TIME, new SiteCause.DirectorNotInstalled("no Java 25 in the image")));
    }

    @Test
    void theReasonOfTheLastIsSaidWithTheirNumber() {
        var found = DirectorLook.at("east", List.of(failed("east-director-9"), failed("east-director-5")))
                .orElseThrow();
        assertThat(found.verdict()).isEqualTo(Verdict.WARNING);
        assertThat(found.detail())
                .contains("2 in a row did not come up, the last was east-director-9")
                .contains("no Java 25 in the image");
        assertThat(found.repair()).contains("spillway breaker close director:east");
    }

    @Test
    void oneThatServesOrWasEndedByOrderIsNoTrouble() {
        var ready = director("east-director-9", NodeState.READY, Cause.NONE).to(NodeState.READY, Cause.NONE, NOW);
        assertThat(DirectorLook.at("east", List.of(ready, failed("east-director-5"))))
                .isEmpty();
        assertThat(DirectorLook.at(
                        "east", List.of(director("east-director-9", NodeState.TERMINATED, NodeFact.RELEASED))))
                .isEmpty();
    }

    @Test
    void oneThatIsOnItsWayDoesNotHideTheFailureBefore() {
        var coming = director("east-director-9", NodeState.PROVISIONING, Cause.NONE);
        assertThat(DirectorLook.at("east", List.of(coming, failed("east-director-5")))
                        .orElseThrow()
                        .detail())
                .startsWith("east-director-5: ");
    }
}
