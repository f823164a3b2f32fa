package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openstack4j.core.transport.HttpMethod;
import org.openstack4j.core.transport.HttpRequest;
import org.spillway.cloud.CallMeter;

/** A launch that is sent twice is two launches. */
final class WireTest {
    private final AtomicInteger received = new AtomicInteger();
    private HttpServer server;
    private Wire wire;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.start();
        wire = new Wire(
                null, Duration.ofSeconds(5), org.spillway.cloud.Recorder.NONE, java.time.InstantSource.system());
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

    private Wire.Reply get() {
        return wire.send(HttpRequest.builder()
                .endpoint("http://localhost:" + server.getAddress().getPort())
                .path("/servers")
                .method(HttpMethod.GET)
                .build());
    }

    /** Finding C3: each read had a TLS connection of its own. */
    @Test
    void readsShareAConnectionAndEachIsCounted() {
        Set<InetSocketAddress> callers = ConcurrentHashMap.newKeySet();
        server.createContext("/", exchange -> {
            try (exchange) {
                callers.add(exchange.getRemoteAddress());
                exchange.sendResponseHeaders(200, 2);
                exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
            }
        });
        for (int i = 0; i < 10; i++) {
            assertThat(get()).isInstanceOf(Wire.Reply.Answer.class);
        }
        assertThat(callers).hasSize(1);
        assertThat(wire.calls().total(CallMeter.Kind.READ)).isEqualTo(10);
    }

    /** A kept connection that was closed is no lost answer: a read may be made twice. */
    @Test
    void aReadOnAConnectionThatWasClosedMeanwhileIsMadeOnceMore() {
        server.createContext("/", exchange -> {
            try (exchange) {
                int call = received.incrementAndGet();
                if (call == 2) {
                    return;
                }
                exchange.sendResponseHeaders(200, 2);
                exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
            }
        });
        assertThat(get()).isInstanceOf(Wire.Reply.Answer.class);
        assertThat(get()).isInstanceOf(Wire.Reply.Answer.class);
        assertThat(received).hasValue(3);
    }
}
