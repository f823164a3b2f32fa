package org.spillway.head.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.spillway.head.rest.Caller;

final class EventStreamsTest {
    private static final Caller ADMIN = new Caller("root", 0, 0, true);

    private static final Duration SOON = Duration.ofMillis(1);

    /** Breaks after so many writes, as a connection does whose reader is gone. */
    private static final class Wire extends OutputStream {
        private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        private int left;

        Wire(int writes) {
            left = writes;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            if (left-- == 0) {
                throw new IOException("broken pipe");
            }
            sent.write(bytes, from, count);
        }

        String text() {
            return sent.toString(StandardCharsets.UTF_8);
        }
    }

    @Test
    void sendsEachPartOnceAndThenWhatHasChanged() {
        var streams = new EventStreams(SOON, Duration.ofDays(1));
        var round = new AtomicInteger();
        var wire = new Wire(4);
        streams.send(
                streams.take(ADMIN).orElseThrow(),
                wire,
                "v1",
                () -> true,
                () -> Map.of("still", "<p>", "moving", "n" + Math.max(3, round.incrementAndGet())));
        assertThat(wire.text())
                .startsWith("retry: 3000\nevent: hello\ndata: {\"version\":\"v1\"}\n\n")
                .containsOnlyOnce("\"still\"")
                .containsOnlyOnce("\"n3\"")
                .containsOnlyOnce("\"n4\"");
        assertThat(streams.open()).isZero();
    }

    @Test
    void aReaderWhoIsGoneIsFoundByTheCommentThatKeepsAlive() {
        var streams = new EventStreams(SOON, SOON);
        var wire = new Wire(4);
        streams.send(streams.take(ADMIN).orElseThrow(), wire, "v1", () -> true, () -> Map.of("still", "<p>"));
        assertThat(wire.text()).endsWith(": still here\n\n: still here\n\n");
        assertThat(streams.open()).isZero();
    }

    @Test
    void aHeadThatCannotAnswerNowEndsNoStream() {
        var streams = new EventStreams(SOON, Duration.ofDays(1));
        var round = new AtomicInteger();
        var wire = new Wire(2);
        streams.send(streams.take(ADMIN).orElseThrow(), wire, "v1", () -> true, () -> {
            if (round.incrementAndGet() < 3) {
                throw new IllegalStateException("starting");
            }
            return Map.of("part", "n" + round.get());
        });
        assertThat(wire.text()).contains("\"n3\"");
    }

    @Test
    void thereIsRoomForSoManyAndNoneAfterTheEnd() {
        var streams = new EventStreams(SOON, SOON);
        for (int i = 0; i < EventStreams.MOST; i++) {
            assertThat(streams.take(ADMIN)).isPresent();
        }
        assertThat(streams.take(ADMIN)).isEmpty();
        var ended = new EventStreams(SOON, SOON);
        ended.end();
        assertThat(ended.take(ADMIN)).isEmpty();
    }

    @Test
    void aUserHasAFewAndAdministratorsHaveSomeForThemselves() {
        var streams = new EventStreams(SOON, SOON);
        var users = IntStream.range(1, 100)
                .mapToObj(uid -> new Caller("u" + uid, uid, uid, false))
                .toList();
        for (int i = 0; i < 2 * EventStreams.MOST_OF_ONE; i++) {
            assertThat(streams.take(users.getFirst())).isPresent();
        }
        assertThat(streams.open()).isEqualTo(EventStreams.MOST_OF_ONE);
        users.forEach(streams::take);
        assertThat(streams.take(users.getLast())).isEmpty();
        assertThat(streams.take(ADMIN)).isPresent();
    }

    @Test
    void aUsersNextPageTakesThePlaceOfTheFirst() throws Exception {
        var streams = new EventStreams(SOON, Duration.ofHours(1));
        var user = new Caller("ada", 1001, 1001, false);
        var first = streams.take(user).orElseThrow();
        for (int i = 0; i < EventStreams.MOST_OF_ONE; i++) {
            assertThat(streams.take(user)).isPresent();
        }
        var wire = new Wire(1000);
        streams.send(first, wire, "v1", () -> true, () -> Map.of("still", "<p>"));
        assertThat(wire.text()).endsWith("retry: 60000\n\n");
        assertThat(streams.open()).isEqualTo(EventStreams.MOST_OF_ONE);
    }
}
