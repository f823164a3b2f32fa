package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.JobOrder;

final class OrderCheckTest {
    private static String problem(Consumer<OrderDraft> change) {
        OrderDraft draft = new OrderDraft("j", "n", 1000, "exit 0\n");
        change.accept(draft);
        return OrderCheck.problem(draft.order()).orElse("none");
    }

    private static void input(OrderDraft draft, String key, long bytes, String sha256) {
        draft.inputs = List.of(new JobOrder.Input(key, bytes, sha256));
    }

    @Test
    void anOrderMayUseAllThatItsLimitsLeave() {
        assertThat(problem(draft -> {
                    draft.peers = Collections.nCopies(OrderCheck.MAX_PEERS, "fd00::1");
                    draft.rank = OrderCheck.MAX_PEERS - 1;
                    draft.collect =
                            Collections.nCopies(OrderCheck.MAX_COLLECTED, "x".repeat(OrderCheck.MAX_EXPRESSION));
                    input(draft, "jobs/j/in/0", 0, "0".repeat(64));
                }))
                .isEqualTo("none");
    }

    @Test
    void whatIsOutsideTheJobsPlaceIsRefused() {
        assertThat(problem(draft -> draft.outputKey = "jobs/j/2/out/0")).contains("key of the results");
        assertThat(problem(draft -> draft.outputKey = "jobs/j/1/../../k/1/0")).contains("key of the results");
        assertThat(problem(draft -> input(draft, "jobs/k/in/0", 1, "0".repeat(64))))
                .contains("input's key");
        assertThat(problem(draft -> input(draft, "jobs/j/in/0", -1, "0".repeat(64))))
                .contains("input's checksum");
        assertThat(problem(draft -> input(draft, "jobs/j/in/0", 1, "0"))).contains("input's checksum");
        assertThat(problem(draft ->
                        draft.inputs = Collections.nCopies(2, new JobOrder.Input("jobs/j/in/0", 1, "0".repeat(64)))))
                .contains("more than one input");
    }

    @Test
    void aRankIsOneOfThePeers() {
        assertThat(problem(draft -> draft.rank = 1)).contains("rank");
        assertThat(problem(draft -> draft.rank = -1)).contains("rank");
        assertThat(problem(draft -> draft.peers = List.of("10.0.0.1", "host.example")))
                .contains("numeric");
        assertThat(problem(draft -> draft.peers = List.of("10.0.0.1,10.0.0.2"))).contains("numeric");
        assertThat(problem(draft -> draft.peers = Collections.nCopies(OrderCheck.MAX_PEERS + 1, "10.0.0.1")))
                .contains("peers");
    }

    @Test
    void expressionsAreBounded() {
        assertThat(problem(draft -> draft.collect = Collections.nCopies(OrderCheck.MAX_COLLECTED + 1, "x")))
                .contains("expressions");
        for (String expression : List.of("", "a\0b", "a\nb", "x".repeat(OrderCheck.MAX_EXPRESSION + 1))) {
            assertThat(problem(draft -> draft.collect = List.of("fine", expression)))
                    .contains("expression");
        }
    }
}
