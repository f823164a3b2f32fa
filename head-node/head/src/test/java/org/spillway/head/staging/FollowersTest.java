package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;

final class FollowersTest {
    private static JobRecord job(String id, int uid, JobState state, String input, String output) {
        JobSpec spec = JobSpec.of(draft -> {
            draft.sites = List.of("east");
            draft.owner = new JobSpec.Owner("u" + uid, uid, uid);
            draft.data = new JobSpec.Data(
                    input.isEmpty() ? List.of() : List.of(new JobSpec.Input(input, "")),
                    output.isEmpty() ? List.of() : List.of(new JobSpec.Output("x", output, true, false)),
                    "/home/u");
        });
        return new JobRecord(id, spec, state, Cause.NONE, Instant.EPOCH, JobRun.NONE);
    }

    private static boolean follows(String input) {
        return Followers.has(
                job("1", 1, JobState.STAGING_OUT, "", "/home/u/out"), List.of(job("2", 1, JobState.HELD, input, "")));
    }

    @Test
    void whatNamesAPlaceOfItsOutputsFollows() {
        assertThat(follows("/home/u/out")).isTrue();
        assertThat(follows("/home/u/out/part/*.csv")).isTrue();
        assertThat(follows("/home/u")).isTrue();
        assertThat(follows("/home/u/other")).isFalse();
        assertThat(follows("/home/u/out2")).isFalse();
        assertThat(follows("https://example.org/home/u/out")).isFalse();
        assertThat(follows("")).isFalse();
    }

    @Test
    void anothersJobOneThatHasEndedAndItselfDoNot() {
        JobRecord job = job("1", 1, JobState.STAGING_OUT, "/home/u/out", "/home/u/out");
        assertThat(Followers.has(job, List.of(job, job("2", 2, JobState.HELD, "/home/u/out", ""))))
                .isFalse();
        assertThat(Followers.has(job, List.of(job("2", 1, JobState.DONE, "/home/u/out", ""))))
                .isFalse();
    }
}
