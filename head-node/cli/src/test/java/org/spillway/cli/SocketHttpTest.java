package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A head's answer is read with every size bounded. */
final class SocketHttpTest {
    private static HeadClient.Answer read(String text) throws IOException {
        return SocketHttp.receive(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void readsLengthsChunksAndTheRest() throws IOException {
        assertThat(read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc").body())
                .asString()
                .isEqualTo("ab");
        assertThat(read("HTTP/1.1 404 No\r\n\r\nabc").body()).asString().isEqualTo("abc");
        var chunked = read("HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
        assertThat(chunked.body()).asString().isEqualTo("abc");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SSH-2.0-x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc"
            })
    void refusesWhatIsNoAnswer(String text) {
        assertThatThrownBy(() -> read(text)).isInstanceOf(IOException.class);
    }

    @Test
    void refusesAnEndlessHead() {
        assertThatThrownBy(() -> read("HTTP/1.1 200 OK\r\nx: " + "y".repeat(70_000)))
                .hasMessageContaining("head is too large");
    }
}
