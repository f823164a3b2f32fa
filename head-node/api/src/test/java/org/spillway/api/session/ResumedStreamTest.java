package org.spillway.api.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cuts at drawn places lose and double no byte. The seed that failed is in the message. */
final class ResumedStreamTest {
    private static final int SEEDS = 100;
    private static final int GREETING_BYTES = 12;

    /** An end with what it has heard; frames on their way to the other. */
    private static final class End {
        final ByteArrayOutputStream heard = new ByteArrayOutputStream();
        final ByteArrayOutputStream said = new ByteArrayOutputStream();
        final ByteArrayOutputStream onItsWay = new ByteArrayOutputStream();
        final ResumedStream stream = new ResumedStream(heard::writeBytes);

        void speak(Random random) {
            byte[] bytes = new byte[random.nextInt(40_000)];
            random.nextBytes(bytes);
            said.writeBytes(bytes);
            stream.say(bytes);
        }
    }

    @Test
    void noByteIsLostOrDoubled() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            End one = new End();
            End other = new End();
            for (int connection = 0; connection < 12; connection++) {
                // The last one stays.
                live(random, one, other, connection == 11 ? Integer.MAX_VALUE : random.nextInt(40));
            }
            assertThat(other.heard.toByteArray()).as("seed " + seed).isEqualTo(one.said.toByteArray());
            assertThat(one.heard.toByteArray()).as("seed " + seed).isEqualTo(other.said.toByteArray());
            assertThat(again(one, other))
                    .as("seed " + seed + ": all is acknowledged")
                    .isEmpty();
        }
    }

    /** Bytes that are sent once more on another connection. */
    private static byte[] again(End one, End other) {
        one.stream.connected();
        other.stream.connected();
        byte[] greeting = one.stream.next(1000);
        one.stream.heard(other.stream.next(1000), GREETING_BYTES);
        other.stream.heard(greeting, GREETING_BYTES);
        byte[] first = one.stream.next(1000);
        return first.length == 0 ? other.stream.next(1000) : first;
    }

    /** @param steps after which the connection is cut, with whatever is on its way */
    private static void live(Random random, End one, End other, int steps) {
        one.stream.connected();
        other.stream.connected();
        one.onItsWay.reset();
        other.onItsWay.reset();
        int idle = 0;
        for (int step = 0; step < steps && idle < 20; step++) {
            End from = random.nextBoolean() ? one : other;
            End to = from == one ? other : one;
            if (step < 30 && random.nextInt(4) == 0 && from.said.size() < 300_000) {
                from.speak(random);
            }
            if (random.nextInt(10) == 0) {
                from.stream.ping();
            }
            from.onItsWay.writeBytes(from.stream.next(1 + random.nextInt(60_000)));
            byte[] bytes = from.onItsWay.toByteArray();
            int count = steps == Integer.MAX_VALUE ? bytes.length : random.nextInt(bytes.length + 1);
            to.stream.heard(bytes, count);
            from.onItsWay.reset();
            from.onItsWay.write(bytes, count, bytes.length - count);
            idle = bytes.length == 0 ? idle + 1 : 0;
        }
        one.stream.cut();
        other.stream.cut();
    }

    @Test
    void nothingIsSentBeforeBothHaveGreeted() {
        End one = new End();
        one.stream.say(new byte[10]);
        assertThat(one.stream.next(100)).isEmpty();
        one.stream.connected();
        assertThat(one.stream.next(100)).hasSize(12).startsWith('H');
        assertThat(one.stream.next(100)).isEmpty();
        hears(one, 'H', number(0));
        assertThat(one.stream.next(100)).startsWith('D').hasSize(14);
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    private static void hears(End end, char type, byte[] body) {
        byte[] frame = ByteBuffer.allocate(4 + body.length)
                .putInt((type << 24) | body.length)
                .put(body)
                .array();
        end.stream.heard(frame, frame.length);
    }

    @Test
    void anEndThatHasForgottenIsAFault() {
        End one = new End();
        one.stream.say(new byte[10]);
        one.stream.connected();
        hears(one, 'H', number(0));
        one.stream.next(100);
        hears(one, 'A', number(6));
        one.stream.connected();
        assertThatThrownBy(() -> hears(one, 'H', number(0)))
                .isInstanceOf(SessionFault.class)
                .hasMessageContaining("forgotten");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Z", "D"})
    void whatNobodySaysIsAFault(String type) {
        End one = new End();
        one.stream.connected();
        assertThatThrownBy(() -> hears(one, type.charAt(0), new byte[1])).isInstanceOf(SessionFault.class);
    }

    @Test
    void lengthsAndOffsetsThatCannotBeAreFaults() {
        End one = new End();
        one.stream.connected();
        assertThatThrownBy(() -> one.stream.heard(new byte[] {'D', 1, 0, 1}, 4)).isInstanceOf(SessionFault.class);
        End other = new End();
        other.stream.connected();
        assertThatThrownBy(() -> hears(other, 'H', number(1))).isInstanceOf(SessionFault.class);
        End third = new End();
        third.stream.connected();
        assertThatThrownBy(() -> hears(third, 'A', new byte[3])).isInstanceOf(SessionFault.class);
    }

    @Test
    void drawnBytesAreNeverMoreThanAFault() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            byte[] bytes = new byte[random.nextInt(2000)];
            random.nextBytes(bytes);
            End one = new End();
            one.stream.connected();
            try {
                one.stream.heard(bytes, bytes.length);
            } catch (SessionFault fault) {
                assertThat(one.heard.size()).as("seed " + seed).isZero();
            }
        }
    }
}
