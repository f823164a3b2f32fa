package org.spillway.head.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** No byte behind the head of an answer is taken, and a stranger's refusal is bounded. */
final class StreamAnswerTest {
    private static InputStream of(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void leavesTheStreamToWhoeverIsNext() throws IOException {
        InputStream in = of("HTTP/1.1 200 OK\r\nContent-Length: 1152921504606846976\r\n\r\nHfirst");
        assertThat(StreamAnswer.read(in)).isEqualTo(new StreamAnswer(200, ""));
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("Hfirst");
    }

    @Test
    void aRefusalIsReadAsFarAsItSaysAndIsPlain() throws IOException {
        var answer = StreamAnswer.read(of("HTTP/1.1 409 Conflict\r\ncontent-length: 6\r\n\r\nno\u001b[2more"));
        assertThat(answer).isEqualTo(new StreamAnswer(409, "no\u001b[2m"));
        assertThat(answer.line()).isEqualTo("no [2m");
        assertThat(StreamAnswer.read(of("HTTP/1.1 503 x\r\ncontent-length: 900000\r\n\r\n" + "a".repeat(900_000)))
                        .text())
                .hasSize(4096);
    }

    @Test
    void whatIsNoAnswerIsNone() {
        for (String text : new String[] {"", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\n", "a".repeat(100_000)}) {
            assertThatThrownBy(() -> StreamAnswer.read(of(text))).isInstanceOf(IOException.class);
        }
    }
}
