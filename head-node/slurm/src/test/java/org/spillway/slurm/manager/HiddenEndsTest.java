package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class HiddenEndsTest {
    /** As 22.05.8 says it: one that was cancelled, one whose script killed itself, one that failed and left, one that runs. */
    @Test
    void aJobWithoutAReasonWasCancelled() throws Exception {
        assertThat(HiddenEnds.cancelled("""
                        {"meta":{"jobs":[1]},"errors":[],"jobs":[
                        {"account":"","job_id":1,"job_state":"STAGE_OUT","job_resources":{"job_id":9},"state_reason":"None"},
                        {"job_id":3,"job_state":"STAGE_OUT","state_reason":"JobLaunchFailure","exit_code":15},
                        {"job_id":4,"job_state":"FAILED","state_reason":"NonZeroExitCode"},
                        {"job_id":5,"job_state":"CANCELLED","state_reason":"None"}]}""")).isEqualTo(Map.of(1L, true, 3L, false, 4L, false, 5L, true));
    }

    /** As 23.11 and later say it. */
    @Test
    void allStatesOfAJobMayBeNamed() throws Exception {
        assertThat(HiddenEnds.cancelled("""
                        {"jobs":[{"job_id":1,"job_state":["CANCELLED","STAGE_OUT"],"state_reason":"None"},
                        {"job_id":2,"job_state":["FAILED","STAGE_OUT"],"state_reason":"None"}]}""")).isEqualTo(Map.of(1L, true, 2L, false));
    }

    @Test
    void whatIsNotSaidIsMissing() throws Exception {
        assertThat(HiddenEnds.cancelled("{\"jobs\":[{\"job_id\":1,\"job_state\":\"STAGE_OUT\"}]}"))
                .isEmpty();
        assertThatThrownBy(() -> HiddenEnds.cancelled("squeue: error: no JSON")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> HiddenEnds.cancelled("{}")).isInstanceOf(IOException.class);
    }
}
