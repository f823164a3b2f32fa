package org.spillway.localcloud.ec2;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.InstanceRecord;
import org.spillway.localcloud.InstanceRecord.Ending;
import org.spillway.policy.Market;

/** EC2's code for why an instance does not run follows from how it ended, whatever its words are. */
final class StateReasonTest {
    @ParameterizedTest
    @CsvSource({
        "REQUESTED, SPOT, '', Client.UserInitiatedShutdown",
        "POWERED_OFF, SPOT, '', Client.InstanceInitiatedShutdown",
        "DIED, SPOT, '', Server.SpotInstanceTermination",
        "DIED, ON_DEMAND, '', Client.InstanceInitiatedShutdown",
        "NOT_BOOTED, ON_DEMAND, '', Server.InternalError",
        "NONE, ON_DEMAND, '', Client.InstanceInitiatedShutdown",
        "NONE, ON_DEMAND, CAPACITY, Server.InsufficientInstanceCapacity"
    })
    void theCodeFollowsFromTheEnding(Ending ending, Market market, String failure, String code) {
        assertThat(StateReason.code(ended(ending, market, failure))).isEqualTo(code);
    }

    private static InstanceRecord ended(Ending ending, Market market, String failure) {
        return new InstanceRecord(
                "i-1",
                "a",
                "small",
                market,
                Instance.State.TERMINATED,
                "127.77.1.1",
                2222,
                Instant.EPOCH,
                Instant.EPOCH,
                Map.of(),
                false,
                false,
                -1,
                Instant.EPOCH,
                Instant.EPOCH,
                0,
                "worded anew",
                failure,
                ending);
    }
}
