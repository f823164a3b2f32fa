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
import org.spillway.api.ErrandView;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;

/** Errands end, are one at a time for a site, and are bounded in time and number. */
final class ErrandsTest {
    private volatile Instant now = Instant.parse("2026-11-21T12:00:00Z");
    private final Errands errands = new Errands(() -> now);
    private final CountDownLatch hold = new CountDownLatch(1);

    @AfterEach
    void end() {
        hold.countDown();
        errands.close();
    }

    private ErrandView ended(ErrandView begun) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        ErrandView view = errands.get(begun.id());
        while (view.isRunning()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
            view = errands.get(begun.id());
        }
        return view;
    }

    @Test
    void theEndIsKeptWithItsReason() {
        assertThat(ended(errands.begin("audit", "east", errand -> List.of())).state())
                .isEqualTo("DONE");
        ErrandView failed = ended(errands.begin("audit", "east", errand -> {
            errand.note("one thing was odd");
            throw new CloudException(Reason.CREDENTIALS, "the key is not accepted");
        }));
        assertThat(failed.state()).isEqualTo("FAILED");
        assertThat(failed.message()).isEqualTo("the key is not accepted");
        assertThat(failed.notes()).containsExactly("one thing was odd");
        ErrandView fault = ended(errands.begin("audit", "east", errand -> {
            throw new IllegalStateException("a secret detail");
        }));
        assertThat(fault.message()).isEqualTo("the head failed to do it; its log says why");
    }

    @Test
    void aSiteIsChangedByOneAtATime() {
        ErrandView running = errands.begin("create-network", "east", errand -> {
            errand.progress("2 of 7");
            hold.await();
            return List.of();
        });
        assertThatThrownBy(() -> errands.begin("delete", "east", errand -> List.of()))
                .hasMessageContaining("'create-network' is under way for site east");
        assertThatThrownBy(() -> errands.begin("audit", "east", errand -> List.of()))
                .hasMessageContaining("under way");
        assertThat(ended(errands.begin("delete", "west", errand -> List.of())).state())
                .isEqualTo("DONE");
        hold.countDown();
        assertThat(ended(running).state()).isEqualTo("DONE");
        assertThat(ended(errands.begin("delete", "east", errand -> List.of())).state())
                .isEqualTo("DONE");
    }

    @Test
    void whatTakesTooLongIsGivenUpAndInterrupted() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        CountDownLatch gone = new CountDownLatch(1);
        ErrandView late = errands.begin("delete-network", "east", errand -> {
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
        assertThat(errands.get(late.id()).message()).contains("not done within 30 minutes");
        assertThat(gone.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(interrupted).isTrue();
        assertThat(errands.get(late.id()).state()).isEqualTo("FAILED");
    }

    @Test
    void whatHasEndedIsForgottenInTheEnd() {
        ErrandView old = ended(errands.begin("audit", "east", errand -> List.of()));
        now = now.plus(Duration.ofHours(1));
        assertThatThrownBy(() -> errands.get(old.id())).hasMessageContaining("there is no errand");
    }

    @Test
    void thereAreNeverManyAtOnce() {
        for (int i = 0; i < 64; i++) {
            errands.begin("audit", "s" + i, errand -> {
                hold.await();
                return List.of();
            });
        }
        assertThatThrownBy(() -> errands.begin("audit", "one-more", errand -> List.of()))
                .hasMessageContaining("64 errands");
        hold.countDown();
    }
}
