package org.spillway.localcloud;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.spillway.cloud.Instance;
import org.spillway.policy.Market;

/** An instance that asks its metadata service, and the words of an answer. */
public final class MetadataScene {
    private MetadataScene() {}

    public static InstanceRecord instance(Market market) {
        return new InstanceRecord(
                "node-7",
                "a",
                "small",
                market,
                Instance.State.RUNNING,
                "127.77.1.1",
                2222,
                Instant.EPOCH,
                Instant.EPOCH,
                Map.of(),
                true,
                true,
                -1,
                Instant.EPOCH,
                Instant.EPOCH,
                0,
                "",
                "",
                InstanceRecord.Ending.NONE);
    }

    public static String body(FrontReply reply) {
        return new String(reply.body(), StandardCharsets.UTF_8);
    }
}
