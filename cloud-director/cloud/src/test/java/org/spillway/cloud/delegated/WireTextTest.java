package org.spillway.cloud.delegated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Look;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

final class WireTextTest {
    private static final OfferingId AT_HOME = new OfferingId("east", "a", "small", Market.SPOT);
    private static final OfferingId AT_CHILD = new OfferingId("mine", "a", "small", Market.SPOT);

    @Test
    void aRequestIsTheSameAtTheParentButForItsSiteAndTagsThatAreNotTheChilds() throws Exception {
        LaunchRequest request = new LaunchRequest(
                "i7",
                2,
                AT_CHILD,
                3,
                "debian",
                "#!/bin/sh\n",
                Map.of("colour", "blue", Instance.TAG_CLUSTER, "somebody-else"),
                List.of(new OfferingId("mine", "b", "medium", Market.SPOT)),
                new LaunchRequest.Placement("gang-1", ""));
        Wire.Launch read =
                WireText.read(WireText.write(WireForms.launch(request, Duration.ofSeconds(9))), Wire.Launch.class);
        assertThat(read.patienceMillis()).isEqualTo(9000);
        assertThat(WireForms.request("east", read))
                .isEqualTo(new LaunchRequest(
                        "i7",
                        2,
                        AT_HOME,
                        3,
                        "debian",
                        "#!/bin/sh\n",
                        Map.of("colour", "blue"),
                        List.of(new OfferingId("east", "b", "medium", Market.SPOT)),
                        new LaunchRequest.Placement("gang-1", "")));
        assertThat(read.toString()).doesNotContain("/bin/sh");
    }

    @Test
    void anAnswerIsTheSameAtTheChildButForItsSite() throws Exception {
        LaunchOutcome.Refused failure = new LaunchOutcome.Refused(Reason.CAPACITY, "no host");
        Instance made = new Instance(
                "m-1",
                AT_HOME,
                Instance.State.STOPPED,
                "10.1.1.1",
                22,
                Instant.parse("2026-11-22T08:00:00.123456Z"),
                Map.of(Instance.TAG_SITE, "east", "colour", "blue"),
                failure,
                "10.9.9.9",
                "");
        LaunchOutcome partial = new LaunchOutcome.Partial(1, Reason.CAPACITY, "no more");
        LaunchAnswer answer =
                new LaunchAnswer(partial, List.of(made), List.of(new LaunchAnswer.Part(AT_HOME, partial)));
        LaunchAnswer heard = WireForms.answer(
                "mine",
                WireText.read(WireText.write(WireForms.launched(answer, Duration.ofSeconds(5))), Wire.Launched.class));
        assertThat(heard.outcome()).isEqualTo(partial);
        assertThat(heard.parts()).containsExactly(new LaunchAnswer.Part(AT_CHILD, partial));
        assertThat(heard.instances())
                .containsExactly(new Instance(
                        "m-1",
                        AT_CHILD,
                        Instance.State.STOPPED,
                        "10.1.1.1",
                        22,
                        made.launchedAt(),
                        Map.of(Instance.TAG_SITE, "mine", "colour", "blue"),
                        failure,
                        "10.9.9.9",
                        ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"schema\":2,\"ids\":[]}",
                "{\"schema\":1}",
                "{\"schema\":1,\"ids\":null}",
                "{\"schema\":1,\"ids\":[null]}",
                "{\"schema\":1,\"ids\":[]} more"
            })
    void whatIsNotTheRecordIsMalformed(String text) {
        assertThatThrownBy(() -> WireText.read(text.getBytes(StandardCharsets.UTF_8), Wire.Ids.class))
                .isInstanceOf(WireText.Malformed.class);
    }

    @Test
    void whatIsSaidOfAnIdComesAcross() throws Exception {
        Instance made = Instance.of(
                        "m-1",
                        new OfferingId("east", "a", "small", Market.ON_DEMAND),
                        Instance.State.RUNNING,
                        Instant.parse("2026-01-05T08:00:00Z"),
                        Map.of())
                .at("10.1.1.1", 22);
        for (Look look : List.of(
                new Look.Found(made), new Look.Denied("InvalidInstanceID.NotFound"), new Look.Unsure("who knows"))) {
            Wire.Looks sent = new Wire.Looks(Wire.SCHEMA, List.of(WireForms.looked("m-1", look)));
            Wire.Looked read = WireText.read(WireText.write(sent), Wire.Looks.class)
                    .looks()
                    .getFirst();
            assertThat(read.id()).isEqualTo("m-1");
            assertThat(WireForms.look("east", read)).isEqualTo(look);
        }
        // A verdict of next year's parent proves nothing.
        assertThat(WireForms.look("east", new Wire.Looked("m-1", "vanished", "why", List.of())))
                .isEqualTo(new Look.Unsure("why"));
    }

    @Test
    void unknownFieldsAreIgnored() throws Exception {
        byte[] text = "{\"schema\":1,\"ids\":[\"a\"],\"later\":{}}".getBytes(StandardCharsets.UTF_8);
        assertThat(WireText.read(text, Wire.Ids.class).ids()).containsExactly("a");
    }
}
