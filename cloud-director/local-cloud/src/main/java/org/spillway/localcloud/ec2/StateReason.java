package org.spillway.localcloud.ec2;

import org.spillway.localcloud.InstanceRecord;
import org.spillway.policy.Market;

/** Why an instance is not running, in EC2's words. */
final class StateReason {
    private StateReason() {}

    static String code(InstanceRecord instance) {
        if (!instance.failure().isEmpty()) {
            return switch (instance.failure()) {
                case "CAPACITY" -> "Server.InsufficientInstanceCapacity";
                case "QUOTA" -> "Client.VolumeLimitExceeded";
                default -> "Client.InternalError";
            };
        }
        return switch (instance.ending()) {
            case REQUESTED -> "Client.UserInitiatedShutdown";
            case DIED ->
                instance.market() == Market.SPOT
                        ? "Server.SpotInstanceTermination"
                        : "Client.InstanceInitiatedShutdown";
            case NOT_BOOTED -> "Server.InternalError";
            case NONE, POWERED_OFF -> "Client.InstanceInitiatedShutdown";
        };
    }
}
