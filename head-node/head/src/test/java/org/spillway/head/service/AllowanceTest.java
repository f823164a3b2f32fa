package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobSubmission.ArrayRange;
import org.spillway.head.journal.UserLoads.Load;
import org.spillway.head.limits.QueueLimits;
import org.spillway.head.rest.Caller;

/** M7: what one user and all of them may have in the queue. On 7b3e1e2 only a user's 20,000 jobs were looked at. */
final class AllowanceTest {
    private static final Caller ADA = new Caller("ada", 1001, 1001, false);
    private final Allowance allowance = new Allowance(new QueueLimits(100, 10, 5, 2 << 20));

    private static ArrayRange array(int tasks) {
        return new ArrayRange(0, tasks - 1, 1, 0);
    }

    private ApiException refused(Load own, int all) {
        return catchThrowableOfType(ApiException.class, () -> allowance.check(ADA, own, all));
    }

    @Test
    void whatIsWithinIsTaken() {
        assertThatCode(() -> {
                    allowance.check(array(5));
                    allowance.check(ArrayRange.NONE);
                    allowance.check(ADA, new Load(10, 2 << 20), 100);
                })
                .doesNotThrowAnyException();
    }

    @Test
    void aFullHeapTakesNoMore() {
        assertThat(MemoryRoom.isFull(84, 100)).isFalse();
        assertThat(MemoryRoom.isFull(86, 100)).isTrue();
        assertThat(MemoryRoom.isFull(86, -1)).isFalse();
        assertThatCode(new MemoryRoom()::need).doesNotThrowAnyException();
    }

    @Test
    void whatIsBeyondIsSaidInASentence() {
        ApiException array = catchThrowableOfType(ApiException.class, () -> allowance.check(array(6)));
        assertThat(array).hasMessage("the array has 6 tasks");
        assertThat(array.hint()).isEqualTo("allowed in one array: 5; submit it in parts");

        ApiException own = refused(new Load(11, 0), 11);
        assertThat(own.code()).isEqualTo(Code.LIMIT_EXCEEDED);
        assertThat(own).hasMessage("user ada would have 11 jobs in the queue");
        assertThat(own.hint()).isEqualTo("allowed: 10 of one user; wait until some have ended");

        assertThat(refused(new Load(3, (2 << 20) + 1), 3))
                .hasMessage("the 3 jobs that user ada would have in the queue hold 3 MiB in scripts, arguments,"
                        + " environments and paths");
        assertThat(refused(new Load(1, 0), 101)).hasMessage("there would be 101 jobs in the queue, of all users");
    }
}
