package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.spillway.api.OperationView;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;

/** Operations end, are one at a time for a site, and are bounded in time and number. */
final class OperationsTest {
    private volatile Instant now = Instant.parse("2026-11-21T12:00:00Z");
    private final Operations operations = new Operations(() -> now);
    private final CountDownLatch hold = new CountDownLatch(1);

    @AfterEach
    void end() {
        hold.countDown();
        operations.close();
    }

    private OperationView ended(OperationView begun) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        OperationView view = operations.get(begun.id());
        while (view.isRunning()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
            view = operations.get(begun.id());
        }
        return view;
    }

    @Test
    void theEndIsKeptWithItsReason() {
        assertThat(ended(operations.begin("audit", "east", operation -> List.of()))
                        .state())
                .isEqualTo("DONE");
        OperationView failed = ended(operations.begin("audit", "east", operation -> {
            operation.note("one thing was odd");
            throw new CloudException(Reason.CREDENTIALS, "the key is not accepted");
        }));
        assertThat(failed.state()).isEqualTo("FAILED");
        assertThat(failed.message()).isEqualTo("the key is not accepted");
        assertThat(failed.notes()).containsExactly("one thing was odd");
        OperationView fault = ended(operations.begin("audit", "east", operation -> {
            throw new IllegalStateException("a secret detail");
        }));
        assertThat(fault.message()).isEqualTo("the head failed to do it; its log says why");
    }

    @Test
    void aSiteIsChangedByOneAtATime() {
        OperationView running = operations.begin("create-network", "east", operation -> {
            operation.progress("2 of 7");
            hold.await();
            return List.of();
        });
        assertThatThrownBy(() -> operations.begin("delete", "east", operation -> List.of()))
                .hasMessageContaining("'create-network' is under way for site east");
        assertThatThrownBy(() -> operations.begin("audit", "east", operation -> List.of()))
                .hasMessageContaining("under way");
        assertThat(ended(operations.begin("delete", "west", operation -> List.of()))
                        .state())
                .isEqualTo("DONE");
        hold.countDown();
        assertThat(ended(running).state()).isEqualTo("DONE");
        assertThat(ended(operations.begin("delete", "east", operation -> List.of()))
                        .state())
                .isEqualTo("DONE");
    }

    @Test
    void whatTakesTooLongIsGivenUpAndInterrupted() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        CountDownLatch gone = new CountDownLatch(1);
        OperationView late = operations.begin("delete-network", "east", operation -> {
            try {
                hold.await();
                return List.of();
            } catch (InterruptedException stop) {
                interrupted.set(true);
                throw stop;
            } finally {
                gone.countDown();
            }
        });
        now = now.plus(Duration.ofMinutes(31));
        assertThat(operations.get(late.id()).message()).contains("not done within 30 minutes");
        assertThat(gone.await(180, TimeUnit.SECONDS)).isTrue();
        assertThat(interrupted).isTrue();
        assertThat(operations.get(late.id()).state()).isEqualTo("FAILED");
    }

    @Test
    void whatHasEndedIsForgottenInTheEnd() {
        OperationView old = ended(operations.begin("audit", "east", operation -> List.of()));
        now = now.plus(Duration.ofHours(1));
        assertThatThrownBy(() -> operations.get(old.id())).hasMessageContaining("there is no operation");
    }

    @Test
    void thereAreNeverManyAtOnce() {
        for (int i = 0; i < 64; i++) {
            operations.begin("audit", "s" + i, operation -> {
                hold.await();
                return List.of();
            });
        }
        assertThatThrownBy(() -> operations.begin("audit", "one-more", operation -> List.of()))
                .hasMessageContaining("64 operations");
        hold.countDown();
    }
}
