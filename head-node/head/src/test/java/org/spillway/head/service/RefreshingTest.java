package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RefreshingTest {
    private static final Duration SHORT = Duration.ofMillis(20);

    @Test
    void aTurnThatFailsOrHangsStopsNoOther() throws InterruptedException {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch failing = new CountDownLatch(3);
        CountDownLatch good = new CountDownLatch(3);
        Map<String, Runnable> turns = new LinkedHashMap<>();
        turns.put("hanging", () -> {
            hanging.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException closed) {
                interrupted.countDown();
                Thread.currentThread().interrupt();
            }
        });
        turns.put("failing", () -> {
            failing.countDown();
            throw new IllegalStateException("planted");
        });
        turns.put("good", good::countDown);
        try (Refreshing refreshing = new Refreshing(turns, SHORT, SHORT, SHORT)) {
            assertThat(refreshing).isNotNull();
            assertThat(hanging.await(180, TimeUnit.SECONDS)).isTrue();
            assertThat(failing.await(180, TimeUnit.SECONDS)).isTrue();
            assertThat(good.await(180, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(interrupted.await(180, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whatIsClosedBeforeItsFirstTurnNeverHasOne() throws InterruptedException {
        CountDownLatch turn = new CountDownLatch(1);
        new Refreshing(Map.of("later", turn::countDown), Duration.ofHours(1), SHORT, SHORT).close();
        assertThat(turn.getCount()).isEqualTo(1);
    }
}
