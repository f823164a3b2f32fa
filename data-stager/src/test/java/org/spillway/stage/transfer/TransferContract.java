package org.spillway.stage.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;

/** Duties of every {@link Transfer}. A backend's test is a near-empty subclass; each test has a fresh space. */
public abstract class TransferContract {
    /** The transfer under test, on an empty space; the same one throughout a test. */
    protected abstract Transfer transfer() throws Exception;

    protected static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    protected static Checksum checksum(byte[] bytes) throws IOException {
        return Sha256.of(new ByteArrayInputStream(bytes), OutputStream.nullOutputStream());
    }

    private static InputStream in(byte[] bytes) {
        return new ByteArrayInputStream(bytes);
    }

    private static byte[] receive(Transfer transfer, String key, long offset) throws IOException {
        ByteArrayOutputStream sink = new ByteArrayOutputStream();
        transfer.receive(key, offset, sink);
        return sink.toByteArray();
    }

    @Test
    void anObjectIsAbsentThenGrowingThenSealed() throws Exception {
        Transfer transfer = transfer();
        byte[] bytes = bytes(700_001, 1);
        assertThat(transfer.received("job-1/in/data.bin")).isZero();
        assertThat(transfer.isSealed("job-1/in/data.bin")).isFalse();

        transfer.send("job-1/in/data.bin", 0, in(bytes));
        assertThat(transfer.received("job-1/in/data.bin")).isEqualTo(bytes.length);
        assertThat(transfer.isSealed("job-1/in/data.bin")).isFalse();
        assertThatThrownBy(() -> receive(transfer, "job-1/in/data.bin", 0)).isInstanceOf(IOException.class);

        transfer.seal("job-1/in/data.bin", checksum(bytes));
        assertThat(transfer.isSealed("job-1/in/data.bin")).isTrue();
        assertThat(transfer.received("job-1/in/data.bin")).isEqualTo(bytes.length);
        assertThat(receive(transfer, "job-1/in/data.bin", 0)).isEqualTo(bytes);
    }

    @Test
    void aSealedObjectHasSeveralKeysUntilAllAreRemoved() throws Exception {
        Transfer transfer = transfer();
        byte[] bytes = bytes(300_001, 9);
        assertThat(transfer.share("jobs/1/in/0", "jobs/2/in/0")).isFalse();
        assertThat(transfer.isSealed("jobs/2/in/0")).isFalse();
        transfer.send("jobs/1/in/0", 0, in(bytes));
        assertThat(transfer.share("jobs/1/in/0", "jobs/2/in/0")).isFalse();
        transfer.seal("jobs/1/in/0", checksum(bytes));
        // Files that another try has left there are in nobody's way.
        transfer.send("jobs/2/in/0", 0, in(bytes(10, 3)));
        assertThat(transfer.share("jobs/1/in/0", "jobs/2/in/0")).isTrue();
        assertThat(transfer.share("jobs/1/in/0", "jobs/2/in/0")).isTrue();
        assertThat(transfer.share("jobs/2/in/0", "jobs/2/in/0")).isTrue();
        assertThat(receive(transfer, "jobs/2/in/0", 0)).isEqualTo(bytes);
        transfer.remove("jobs/1");
        assertThat(transfer.isSealed("jobs/1/in/0")).isFalse();
        assertThat(receive(transfer, "jobs/2/in/0", 7)).isEqualTo(Arrays.copyOfRange(bytes, 7, bytes.length));
        // Nothing of the first try is left to go on with.
        assertThat(transfer.received("jobs/2/in/0")).isEqualTo(bytes.length);
        transfer.remove("jobs/2");
        assertThat(transfer.received("jobs/2/in/0")).isZero();
    }

    @Test
    void aBrokenSendLeavesAPrefixToResumeFrom() throws Exception {
        Transfer transfer = transfer();
        byte[] bytes = bytes(1_500_000, 2);
        assertThatThrownBy(() -> transfer.send("broken", 0, new BreakingStream(bytes, 900_000)))
                .hasMessageContaining("the line broke");

        long received = transfer.received("broken");
        assertThat(received).isBetween(1L, 900_000L);
        assertThat(transfer.isSealed("broken")).isFalse();
        transfer.send("broken", received, in(Arrays.copyOfRange(bytes, (int) received, bytes.length)));
        transfer.seal("broken", checksum(bytes));
        assertThat(receive(transfer, "broken", 0)).isEqualTo(bytes);
    }

    @Test
    void whatLayBehindTheOffsetIsOverwritten() throws Exception {
        Transfer transfer = transfer();
        byte[] wanted = bytes(300_000, 3);
        byte[] first = Arrays.copyOf(wanted, 400_000);
        transfer.send("overlap", 0, in(first));
        transfer.send("overlap", 200_000, in(Arrays.copyOfRange(wanted, 200_000, 300_000)));
        assertThat(transfer.received("overlap")).isEqualTo(300_000);
        transfer.seal("overlap", checksum(wanted));
        assertThat(receive(transfer, "overlap", 0)).isEqualTo(wanted);
    }

    @Test
    void anOffsetBeyondWhatWasReceivedIsRefused() throws Exception {
        Transfer transfer = transfer();
        assertThatThrownBy(() -> transfer.send("hole", 5, in(new byte[3]))).isInstanceOf(IOException.class);
        assertThat(transfer.received("hole")).isZero();
    }

    @Test
    void wrongBytesAreRemovedSoThatTheNextSendStartsAtZero() throws Exception {
        Transfer transfer = transfer();
        byte[] bytes = bytes(5_000, 4);
        byte[] wrong = bytes.clone();
        wrong[2_500] ^= 1;
        transfer.send("wrong", 0, in(wrong));
        assertThatThrownBy(() -> transfer.seal("wrong", checksum(bytes)))
                .isInstanceOf(ChecksumMismatch.class)
                .hasMessageContaining("wrong");
        assertThat(transfer.received("wrong")).isZero();
        assertThat(transfer.isSealed("wrong")).isFalse();
        transfer.send("wrong", 0, in(bytes));
        transfer.seal("wrong", checksum(bytes));
        assertThat(transfer.isSealed("wrong")).isTrue();
    }

    @Test
    void sealingTwiceIsSuccessAndSealedObjectsNeverChange() throws Exception {
        Transfer transfer = transfer();
        byte[] bytes = bytes(5_000, 5);
        transfer.send("twice", 0, in(bytes));
        transfer.seal("twice", checksum(bytes));
        transfer.seal("twice", checksum(bytes));
        assertThatThrownBy(() -> transfer.seal("twice", checksum(bytes(5_000, 6))))
                .isInstanceOf(ChecksumMismatch.class);
        assertThatThrownBy(() -> transfer.send("twice", 0, in(new byte[10]))).isInstanceOf(IOException.class);
        assertThat(receive(transfer, "twice", 0)).isEqualTo(bytes);
    }

    @Test
    void sealingNothingFails() throws Exception {
        Transfer transfer = transfer();
        assertThatThrownBy(() -> transfer.seal("never/sent", checksum(new byte[0])))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("never/sent");
    }

    @Test
    void anEmptyFileTravelsToo() throws Exception {
        Transfer transfer = transfer();
        transfer.send("empty", 0, in(new byte[0]));
        assertThat(transfer.isSealed("empty")).isFalse();
        transfer.seal("empty", checksum(new byte[0]));
        assertThat(transfer.isSealed("empty")).isTrue();
        assertThat(receive(transfer, "empty", 0)).isEmpty();
    }

    @Test
    void receivesFromAnOffset() throws Exception {
        Transfer transfer = transfer();
        byte[] bytes = bytes(500_000, 7);
        transfer.send("tail", 0, in(bytes));
        transfer.seal("tail", checksum(bytes));
        assertThat(receive(transfer, "tail", 123_456)).isEqualTo(Arrays.copyOfRange(bytes, 123_456, bytes.length));
        assertThat(receive(transfer, "tail", bytes.length)).isEmpty();
        assertThatThrownBy(() -> receive(transfer, "tail", bytes.length + 1L)).isInstanceOf(IOException.class);
    }

    @Test
    void removesOneObjectOrAllBelowAPrefix() throws Exception {
        Transfer transfer = transfer();
        for (String key : List.of("j/a", "j/deep/b", "jj/c")) {
            transfer.send(key, 0, in(new byte[] {1}));
            transfer.seal(key, checksum(new byte[] {1}));
        }
        transfer.send("j/growing", 0, in(new byte[] {1, 2}));
        transfer.remove("j/growing");
        assertThat(transfer.received("j/growing")).isZero();
        transfer.send("j/growing", 0, in(new byte[] {1, 2}));
        transfer.remove("j");
        transfer.remove("j");
        transfer.remove("absent/for/ever");
        assertThat(transfer.isSealed("j/a")).isFalse();
        assertThat(transfer.isSealed("j/deep/b")).isFalse();
        assertThat(transfer.received("j/growing")).isZero();
        assertThat(transfer.isSealed("jj/c")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/etc/passwd",
                "..",
                "../x",
                "a/../../x",
                "a/./b",
                "a//b",
                "a/",
                ".",
                "a b",
                "a\nb",
                "a\0b",
                "~/x",
                "a;id",
                "$(id)",
                "a'b",
                "a\\b",
                "ä",
                "x.part",
                "x.part/y",
                "*"
            })
    void keysThatAreNoKeysAreRefused(String key) throws Exception {
        Transfer transfer = transfer();
        List<Callable<Object>> calls = List.of(
                () -> transfer.received(key),
                () -> transfer.isSealed(key),
                () -> receive(transfer, key, 0),
                () -> {
                    transfer.send(key, 0, in(new byte[1]));
                    return "sent";
                },
                () -> {
                    transfer.seal(key, new Checksum(0, "0".repeat(64)));
                    return "sealed";
                },
                () -> {
                    transfer.remove(key);
                    return "removed";
                });
        for (Callable<Object> call : calls) {
            assertThatThrownBy(call::call)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not a key");
        }
    }

    @Test
    void severalKeysTravelInParallel() throws Exception {
        Transfer transfer = transfer();
        List<Future<byte[]>> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 8; i++) {
                byte[] bytes = bytes(300_000 + i, i);
                String key = "parallel/same/folder-" + (i % 2) + "/" + i;
                results.add(threads.submit(() -> {
                    transfer.send(key, 0, in(bytes));
                    transfer.seal(key, checksum(bytes));
                    return receive(transfer, key, 0);
                }));
            }
        }
        for (int i = 0; i < results.size(); i++) {
            assertThat(results.get(i).get()).isEqualTo(bytes(300_000 + i, i));
        }
    }

    @Test
    void tellsItsThroughput() throws Exception {
        Transfer transfer = transfer();
        byte[] bytes = bytes(16 << 20, 8);
        long start = System.nanoTime();
        transfer.send("large", 0, in(bytes));
        long sent = System.nanoTime();
        transfer.seal("large", checksum(bytes));
        long sealed = System.nanoTime();
        transfer.receive("large", 0, OutputStream.nullOutputStream());
        long received = System.nanoTime();
        System.out.printf(
                "%s, 16 MiB: send %.0f MB/s, seal %.0f MB/s, receive %.0f MB/s%n",
                getClass().getSimpleName(),
                rate(bytes, sent - start),
                rate(bytes, sealed - sent),
                rate(bytes, received - sealed));
        assertThat(transfer.received("large")).isEqualTo(bytes.length);
    }

    private static double rate(byte[] bytes, long nanos) {
        return bytes.length * 1e3 / nanos;
    }

    /** Gives some bytes and then fails, like a source whose disk or network goes away. */
    private static final class BreakingStream extends InputStream {
        private final InputStream bytes;
        private int left;

        BreakingStream(byte[] bytes, int left) {
            this.bytes = in(bytes);
            this.left = left;
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException("read in pieces");
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            if (left == 0) {
                throw new IOException("the line broke");
            }
            int n = bytes.read(target, from, Math.min(length, left));
            left -= n;
            return n;
        }
    }
}
