package org.spillway.localcloud.ec2;

import java.util.Locale;
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
        String why = instance.reason().toLowerCase(Locale.ROOT);
        if (why.contains("by request")) {
            return "Client.UserInitiatedShutdown";
        }
        if (why.contains("powered itself off")) {
            return "Client.InstanceInitiatedShutdown";
        }
        if (why.contains("died") && instance.market() == Market.SPOT) {
            return "Server.SpotInstanceTermination";
        }
        return why.contains("did not boot") ? "Server.InternalError" : "Client.InstanceInitiatedShutdown";
    }
}
