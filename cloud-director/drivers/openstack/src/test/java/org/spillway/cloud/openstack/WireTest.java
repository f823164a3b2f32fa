package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openstack4j.core.transport.HttpMethod;
import org.openstack4j.core.transport.HttpRequest;

/** A launch that is sent twice is two launches. */
final class WireTest {
    private final AtomicInteger received = new AtomicInteger();
    private HttpServer server;
    private Wire wire;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.start();
        wire = new Wire(null, Duration.ofSeconds(5), java.time.InstantSource.system());
    }

    @AfterEach
    void stop() {
        wire.close();
        server.stop(0);
    }

    private Wire.Reply post(int status, String header, String value) {
        server.createContext("/", exchange -> answer(exchange, status, header, value));
        return wire.send(HttpRequest.builder()
                .endpoint("http://localhost:" + server.getAddress().getPort())
                .path("/servers")
                .method(HttpMethod.POST)
                .json("{}")
                .build());
    }

    private void answer(HttpExchange exchange, int status, String header, String value) throws IOException {
        try (exchange) {
            received.incrementAndGet();
            if (status > 0) {
                exchange.getResponseHeaders().set(header, value);
                exchange.sendResponseHeaders(status, -1);
            }
        }
    }

    @Test
    void aBrokenAnswerIsUnclearAndNothingIsSentAgain() {
        assertThat(post(0, "", "")).isInstanceOf(Wire.Reply.Unclear.class);
        assertThat(received).hasValue(1);
    }

    @Test
    void noInvitationToRepeatIsFollowed() {
        assertThat(post(503, "Retry-After", "0"))
                .isInstanceOfSatisfying(
                        Wire.Reply.Answer.class,
                        answer -> assertThat(answer.status()).isEqualTo(503));
        assertThat(received).hasValue(1);
    }

    @Test
    void noRedirectionIsFollowedWithTheToken() {
        assertThat(post(307, "Location", "http://127.0.0.1:1/elsewhere"))
                .isInstanceOfSatisfying(
                        Wire.Reply.Answer.class,
                        answer -> assertThat(answer.status()).isEqualTo(307));
        assertThat(received).hasValue(1);
    }

    @Test
    void nobodyThereIsUnsent() {
        assertThat(wire.send(HttpRequest.builder()
                        .endpoint("http://127.0.0.1:1")
                        .path("/servers")
                        .method(HttpMethod.POST)
                        .json("{}")
                        .build()))
                .isInstanceOf(Wire.Reply.Unsent.class);
    }
}
