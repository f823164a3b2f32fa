package org.spillway.proof.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A line that is as slow as it says. Times have a lower bound only: a busy machine is slower, never faster. */
@Timeout(120)
class SlowLinkTest {
    private static final int BYTES = 3_000_000;

    private ServerSocket echo;
    private ExecutorService threads;

    @BeforeEach
    void open() throws IOException {
        echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        threads = Executors.newVirtualThreadPerTaskExecutor();
        Thread.ofVirtual().start(this::answer);
    }

    private void answer() {
        try {
            while (true) {
                Socket one = echo.accept();
                Thread.ofVirtual().start(() -> echo(one));
            }
        } catch (IOException closed) {
            return;
        }
    }

    private static void echo(Socket one) {
        try (one) {
            one.getInputStream().transferTo(one.getOutputStream());
        } catch (IOException broken) {
            return;
        }
    }

    @AfterEach
    void close() throws IOException {
        echo.close();
        threads.shutdownNow();
    }

    private static InetSocketAddress here(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Sends, ends its side, and reads until the other has ended. */
    private static boolean there(InetSocketAddress gate, byte[] bytes) throws Exception {
        try (Socket socket = new Socket(gate.getAddress(), gate.getPort());
                ExecutorService writer = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> written = writer.submit(() -> {
                socket.getOutputStream().write(bytes);
                socket.shutdownOutput();
                return true;
            });
            InputStream in = socket.getInputStream();
            assertThat(in.readAllBytes()).isEqualTo(bytes);
            return written.get();
        }
    }

    private static byte[] noise(int bytes, long seed) {
        byte[] noise = new byte[bytes];
        new Random(seed).nextBytes(noise);
        return noise;
    }

    @Test
    void aWordThereAndBackTakesTheDelay() throws Exception {
        try (var link = SlowLink.start(LinkShape.of("200ms,1Gbit"))) {
            InetSocketAddress gate = link.gate(here(0), here(echo.getLocalPort()));
            try (Socket socket = new Socket(gate.getAddress(), gate.getPort())) {
                socket.getOutputStream().write(1);
                socket.getInputStream().read();
                long begin = System.nanoTime();
                socket.getOutputStream().write(7);
                assertThat(new DataInputStream(socket.getInputStream()).readByte())
                        .isEqualTo((byte) 7);
                assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(199_000_000L);
            }
        }
    }

    @Test
    void allConnectionsOfAllGatesShareTheRateAndNoByteIsLost() throws Exception {
        try (var link = SlowLink.start(LinkShape.of("10ms,80Mbit"))) {
            InetSocketAddress one = link.gate(here(0), here(echo.getLocalPort()));
            InetSocketAddress other = link.gate(here(0), here(echo.getLocalPort()));
            Callable<Boolean> first = () -> there(one, noise(BYTES, 1));
            Callable<Boolean> second = () -> there(other, noise(BYTES, 2));
            // From before either begins: one that begins late has a part of the time alone, and is done sooner by its
            // own clock.
            long begun = System.nanoTime();
            for (Future<Boolean> each : threads.invokeAll(List.of(first, second))) {
                assertThat(each.get()).isTrue();
            }
            // 6 MB at 10 MB/s.
            assertThat((System.nanoTime() - begun) / 1e9).isGreaterThanOrEqualTo(0.59);
            assertThat(link.carriedBytes()).isEqualTo(4L * BYTES);
        }
    }

    @Test
    void nobodyBehindTheGateIsABrokenConnection() throws Exception {
        int nobody;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = free.getLocalPort();
        }
        try (var link = SlowLink.start(LinkShape.of("1ms,1Gbit"))) {
            InetSocketAddress gate = link.gate(here(0), here(nobody));
            try (Socket socket = new Socket(gate.getAddress(), gate.getPort())) {
                assertThat(endOf(socket)).isTrue();
            }
        }
    }

    private static boolean endOf(Socket socket) {
        try {
            byte[] some = new byte[10];
            int count = socket.getInputStream().read(some);
            return count < 0 || Arrays.equals(some, new byte[10]);
        } catch (IOException reset) {
            return true;
        }
    }
}
