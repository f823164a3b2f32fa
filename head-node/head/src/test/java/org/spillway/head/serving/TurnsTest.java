package org.spillway.head.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.spillway.head.serving.RequestShares.Verdict;

/** Who comes next, and what one user may hold. */
final class TurnsTest {
    private static final Duration LONG = Duration.ofMinutes(3);

    @Test
    void usersComeByTurns() throws InterruptedException {
        Turns turns = new Turns(1, 1);
        assertThat(turns.begin(1, LONG)).isTrue();
        List<Integer> order = new CopyOnWriteArrayList<>();
        List<Thread> waiting = new CopyOnWriteArrayList<>();
        for (int uid : new int[] {1, 1, 1, 2, 3}) {
            Thread one = Thread.ofVirtual().start(() -> {
                try {
                    if (turns.begin(uid, LONG)) {
                        order.add(uid);
                        turns.end(uid);
                    }
                } catch (InterruptedException stop) {
                    Thread.currentThread().interrupt();
                }
            });
            waiting.add(one);
            await().until(() -> one.getState() == Thread.State.TIMED_WAITING);
        }
        turns.end(1);
        for (Thread one : waiting) {
            one.join();
        }
        assertThat(order).containsExactly(1, 2, 3, 1, 1);
    }

    @Test
    void oneUserDoesNotHaveAllTurns() throws InterruptedException {
        Turns turns = new Turns(3, 2);
        assertThat(turns.begin(1, LONG)).isTrue();
        assertThat(turns.begin(1, LONG)).isTrue();
        assertThat(turns.begin(1, Duration.ofMillis(1))).isFalse();
        assertThat(turns.begin(2, LONG)).isTrue();
        assertThat(turns.begin(3, Duration.ofMillis(1))).isFalse();
        turns.end(1);
        assertThat(turns.begin(3, LONG)).isTrue();
        turns.end(2);
        assertThat(turns.begin(1, LONG)).isTrue();
    }

    @Test
    void requestsAndBytesAreCountedUntilTheyAreOver() {
        var shares = new RequestShares(new RequestShares.Bounds(3, 100, 150));
        assertThat(shares.begin(1, 60)).isEqualTo(Verdict.BEGUN);
        assertThat(shares.begin(1, 60)).isEqualTo(Verdict.TOO_LARGE);
        assertThat(shares.begin(2, 60)).isEqualTo(Verdict.BEGUN);
        shares.add(2, 40);
        assertThat(shares.begin(3, 1)).as("all hold 160").isEqualTo(Verdict.FULL);
        shares.end(2, 100);
        assertThat(shares.begin(1, 0)).isEqualTo(Verdict.BEGUN);
        assertThat(shares.begin(1, 0)).isEqualTo(Verdict.BEGUN);
        assertThat(shares.begin(1, 0)).isEqualTo(Verdict.TOO_MANY);
        shares.end(1, 60);
        assertThat(shares.begin(1, 100)).isEqualTo(Verdict.BEGUN);
    }
}
