package org.spillway.localcloud.arm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.FrontRequest;
import org.spillway.localcloud.InstanceMetadata.Notice;
import org.spillway.localcloud.MetadataScene;
import org.spillway.policy.Market;

/** Azure's metadata service as it is published. */
final class ArmMetadataTest {
    private static final Instant WHEN = Instant.parse("2022-08-09T17:07:32Z");
    private static final String EVENTS = "/metadata/scheduledevents";
    private static final String VERSION = "api-version=2020-07-01";
    private static final Map<String, List<String>> ASKED = Map.of("metadata", List.of("true"));

    private static FrontReply ask(
            String path, String query, Map<String, List<String>> headers, Optional<Notice> notice) {
        return new ArmMetadata()
                .answer(
                        MetadataScene.instance(Market.SPOT),
                        notice,
                        new FrontRequest("GET", path, query, headers, new byte[0]));
    }

    @Test
    void headerAndVersionAreMandatory() {
        assertThat(ask(EVENTS, VERSION, Map.of(), Optional.empty()).status()).isEqualTo(400);
        assertThat(ask(EVENTS, "", ASKED, Optional.empty()).status()).isEqualTo(400);
        assertThat(MetadataScene.body(
                        ask("/metadata/instance/compute/priority", VERSION + "&format=text", ASKED, Optional.empty())))
                .isEqualTo("Spot");
    }

    @Test
    void anEvictionIsAScheduledEventOfThisMachine() {
        String none = "{\"DocumentIncarnation\":1,\"Events\":[]}";
        assertThat(MetadataScene.body(ask(EVENTS, VERSION, ASKED, Optional.empty())))
                .isEqualTo(none);
        assertThat(MetadataScene.body(ask(EVENTS, VERSION, ASKED, Optional.of(new Notice(false, WHEN)))))
                .isEqualTo(none);
        assertThat(MetadataScene.body(ask(EVENTS, VERSION, ASKED, Optional.of(new Notice(true, WHEN)))))
                .startsWith("{\"DocumentIncarnation\":2,\"Events\":[{\"EventId\":")
                .contains("\"EventType\":\"Preempt\",\"ResourceType\":\"VirtualMachine\",\"Resources\":[\"node-7\"]")
                .contains("\"NotBefore\":\"Tue, 9 Aug 2022 17:07:32 GMT\"");
    }
}
