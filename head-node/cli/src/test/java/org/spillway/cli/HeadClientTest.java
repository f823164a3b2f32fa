package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A request with a key is sent once more when it is not known what became of it; no other is. */
final class HeadClientTest {
    private static final String LATE =
            "{\"error\":{\"code\":\"UNAVAILABLE\",\"message\":\"the head does not answer within 20 s\",\"hint\":\"\"}}";
    private static final String WRONG = "{\"error\":{\"code\":\"INVALID\",\"message\":\"no script\",\"hint\":\"\"}}";

    private final Deque<HeadClient.Answer> answers = new ArrayDeque<>();
    private final List<String> keys = new ArrayList<>();
    private final HeadClient client = HeadClient.over((method, path, headers, body) -> {
        keys.add(headers.getOrDefault("Idempotency-Key", "none"));
        HeadClient.Answer answer = answers.poll();
        if (answer == null) {
            throw new IOException("cut");
        }
        return answer;
    });

    private void answers(int status, String body) {
        answers.add(new HeadClient.Answer(status, body.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aHeadThatIsLateIsAskedOnceMoreWithTheSameKey() {
        answers(503, LATE);
        answers(201, "{\"id\":\"7\"}");
        assertThat(client.post("/jobs", "key", Map.of()))
                .asString(StandardCharsets.UTF_8)
                .contains("7");
        assertThat(keys).containsExactly("key", "key");
    }

    @Test
    void oneThatIsLateAgainIsToldAsItSays() {
        answers(503, LATE);
        answers(503, LATE);
        assertThatThrownBy(() -> client.post("/jobs", "key", Map.of()))
                .isInstanceOf(CliFailure.class)
                .hasMessage("the head does not answer within 20 s");
        assertThat(keys).hasSize(2);
    }

    @Test
    void whatIsRefusedIsNotSentAgain() {
        answers(400, WRONG);
        assertThatThrownBy(() -> client.post("/jobs", "key", Map.of())).hasMessage("no script");
        assertThat(keys).hasSize(1);
    }

    @Test
    void whatHasNoKeyIsNotSentAgain() {
        answers(503, LATE);
        assertThatThrownBy(() -> client.post("/nodes", Map.of())).hasMessageContaining("does not answer");
        assertThat(keys).containsExactly("none");
    }
}
