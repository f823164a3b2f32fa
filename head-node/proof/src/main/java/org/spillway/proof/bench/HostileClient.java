package org.spillway.proof.bench;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A user who wants to keep others from a head's socket, as a program of this one file, so that any user may run it:
 * {@code SOCKET CONNECTIONS}. A connection that is closed is opened again. Prints a line when all have been open, and ends
 * with its standard input.
 */
final class HostileClient {
    private static final long PAUSE_MILLIS = 300;
    private static final int KINDS = 4;
    private static final int ANSWER_BYTES = 64 << 10;

    private HostileClient() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Path socket = Path.of(args[0]);
        int count = Integer.parseInt(args[1]);
        CountDownLatch opened = new CountDownLatch(count);
        for (int number = 0; number < count; number++) {
            int kind = number % KINDS;
            Thread.ofVirtual().start(() -> again(socket, kind, opened));
        }
        System.out.println(opened.await(1, TimeUnit.MINUTES) ? "all are open" : "not all could be opened");
        System.out.flush();
        while (System.in.read() >= 0) {
            continue;
        }
    }

    private static void again(Path socket, int kind, CountDownLatch opened) {
        boolean first = true;
        while (true) {
            try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
                if (first) {
                    first = false;
                    opened.countDown();
                }
                be(channel, kind);
            } catch (IOException closed) {
                // The head has ended it: the next one follows.
                continue;
            } catch (InterruptedException stop) {
                return;
            }
        }
    }

    private static void be(SocketChannel channel, int kind) throws IOException, InterruptedException {
        switch (kind) {
            case 0 -> trickle(channel, "GET /api/v1/jobs HTTP/1.1\r\nHost: x\r\n", "X-More: y\r\n");
            case 1 ->
                trickle(channel, "POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n{", " ");
            case 2 -> readSlowly(channel);
            default -> hammer(channel);
        }
    }

    private static void trickle(SocketChannel channel, String beginning, String more)
            throws IOException, InterruptedException {
        write(channel, beginning);
        while (true) {
            Thread.sleep(PAUSE_MILLIS);
            for (int at = 0; at < more.length(); at++) {
                write(channel, more.substring(at, at + 1));
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    private static void readSlowly(SocketChannel channel) throws IOException, InterruptedException {
        ByteBuffer one = ByteBuffer.allocate(1);
        for (int i = 0; i < 20; i++) {
            write(channel, "GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n");
        }
        while (channel.read(one.clear()) >= 0) {
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private static void hammer(SocketChannel channel) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES);
        do {
            write(channel, "GET /api/v1/jobs HTTP/1.1\r\nHost: x\r\n\r\n");
        } while (channel.read(answer.clear()) >= 0);
    }

    private static void write(SocketChannel channel, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
