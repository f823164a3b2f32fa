package org.spillway.localcloud.ec2;

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

/** IMDSv2 as it is published. */
final class Ec2MetadataTest {
    private static final Instant WHEN = Instant.parse("2017-09-18T08:22:00Z");
    private static final String ACTION = "/latest/meta-data/spot/instance-action";
    private static final String HINT = "/latest/meta-data/events/recommendations/rebalance";

    private final Ec2Metadata metadata = new Ec2Metadata();

    private FrontReply ask(String method, String path, Map<String, List<String>> headers, Optional<Notice> notice) {
        return metadata.answer(
                MetadataScene.instance(Market.SPOT), notice, new FrontRequest(method, path, "", headers, new byte[0]));
    }

    private Map<String, List<String>> token() {
        String token = MetadataScene.body(ask(
                "PUT",
                "/latest/api/token",
                Map.of("x-aws-ec2-metadata-token-ttl-seconds", List.of("21600")),
                Optional.empty()));
        return Map.of("x-aws-ec2-metadata-token", List.of(token));
    }

    private String get(String path, Optional<Notice> notice) {
        FrontReply reply = ask("GET", path, token(), notice);
        return reply.status() == 200 ? MetadataScene.body(reply) : Integer.toString(reply.status());
    }

    @Test
    void nothingIsSaidWithoutAToken() {
        assertThat(ask("GET", ACTION, Map.of(), Optional.empty()).status()).isEqualTo(401);
        assertThat(ask("GET", "/latest/api/token", Map.of(), Optional.empty()).status())
                .isEqualTo(405);
        for (String ttl : List.of("", "0", "21601", "x")) {
            assertThat(ask(
                                    "PUT",
                                    "/latest/api/token",
                                    Map.of("x-aws-ec2-metadata-token-ttl-seconds", List.of(ttl)),
                                    Optional.empty())
                            .status())
                    .as(ttl)
                    .isEqualTo(400);
        }
        assertThat(get("/latest/meta-data/instance-life-cycle", Optional.empty()))
                .isEqualTo("spot");
    }

    @Test
    void aNoticeIsThereWhenItIsGiven() {
        assertThat(get(ACTION, Optional.empty())).isEqualTo("404");
        Optional<Notice> hint = Optional.of(new Notice(false, WHEN));
        assertThat(get(ACTION, hint)).isEqualTo("404");
        assertThat(get(HINT, hint)).isEqualTo("{\"noticeTime\":\"2017-09-18T08:22:00Z\"}");
        assertThat(get(ACTION, Optional.of(new Notice(true, WHEN))))
                .isEqualTo("{\"action\":\"terminate\",\"time\":\"2017-09-18T08:22:00Z\"}");
    }
}
