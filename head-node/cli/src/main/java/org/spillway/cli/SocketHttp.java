package org.spillway.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.api.session.Session;

/**
 * As much HTTP/1.1 as one request over a UNIX socket needs: the JDK's client has no such sockets, and a server's
 * library would take longer to load than the command to run.
 */
final class SocketHttp {
    private static final int MOST_BODY_BYTES = 64 * 1024 * 1024;
    private static final int MOST_HEAD_BYTES = 64 * 1024;
    private static final int MOST_HEADERS = 100;
    private static final long PATIENCE_MILLIS = 60_000;
    private static final long ENDLESS = 1L << 60;

    private SocketHttp() {}

    /** @throws IOException if nobody answers, the answer is malformed, larger than 64 MiB, or takes over a minute */
    static HeadClient.Answer exchange(Path socket, String method, String path, Map<String, String> headers, byte[] body)
            throws IOException {
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            var watchdog = Thread.ofPlatform().daemon().start(() -> closeLater(channel));
            try {
                send(channel, method, path, headers, body);
                return receive(Channels.newInputStream(channel));
            } finally {
                watchdog.interrupt();
            }
        }
    }

    /**
     * A request and an answer that end with their connection.
     *
     * @return what the head said instead, or the two streams
     * @throws IOException if nobody answers, or the answer is malformed
     */
    static Endless endless(Path socket, String path) throws IOException {
        var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            var head = ("POST " + path + " HTTP/1.1\r\nHost: spillway\r\nContent-Length: " + ENDLESS + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
            var out = Channels.newOutputStream(channel);
            out.write(head);
            var in = new BufferedInputStream(Channels.newInputStream(channel), 64 * 1024);
            in.mark(MOST_HEAD_BYTES);
            var watchdog = Thread.ofPlatform().daemon().start(() -> closeLater(channel));
            try {
                var budget = new int[] {MOST_HEAD_BYTES};
                if (line(in, budget).startsWith("HTTP/1.1 200")) {
                    for (var line = line(in, budget); !line.isEmpty(); line = line(in, budget)) {
                        budget[0]--;
                    }
                    return new Endless(null, new Streams(channel, in, out));
                }
                in.reset();
                var answer = receive(in);
                channel.close();
                return new Endless(answer, null);
            } finally {
                watchdog.interrupt();
            }
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    /** Either of both. */
    record Endless(HeadClient.@Nullable Answer refused, Session.@Nullable Connection streams) {}

    private record Streams(SocketChannel channel, InputStream in, OutputStream out) implements Session.Connection {
        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** A blocking channel has no timeout of its own. */
    private static void closeLater(SocketChannel channel) {
        try {
            Thread.sleep(PATIENCE_MILLIS);
            channel.close();
        } catch (InterruptedException answered) {
            Thread.currentThread().interrupt();
        } catch (IOException closed) {
            throw new UncheckedIOException(closed);
        }
    }

    private static void send(
            SocketChannel channel, String method, String path, Map<String, String> headers, byte[] body)
            throws IOException {
        var head = new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: spillway\r\nConnection: close\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        if (method.equals("POST")) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        var bytes = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        for (var part : new ByteBuffer[] {ByteBuffer.wrap(bytes), ByteBuffer.wrap(body)}) {
            while (part.hasRemaining()) {
                channel.write(part);
            }
        }
    }

    static HeadClient.Answer receive(InputStream raw) throws IOException {
        var in = new BufferedInputStream(raw, 16 * 1024);
        var budget = new int[] {MOST_HEAD_BYTES};
        var status = line(in, budget);
        if (!status.matches("HTTP/1\\.1 \\d{3}( .*)?")) {
            throw new IOException("not HTTP/1.1");
        }
        var headers = new HashMap<String, String>();
        for (var line = line(in, budget); !line.isEmpty(); line = line(in, budget)) {
            int colon = line.indexOf(':');
            if (colon < 1 || headers.size() == MOST_HEADERS) {
                throw new IOException("malformed header");
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return new HeadClient.Answer(Integer.parseInt(status.substring(9, 12)), body(in, headers));
    }

    private static byte[] body(InputStream in, Map<String, String> headers) throws IOException {
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            return chunks(in);
        }
        var length = headers.get("content-length");
        if (length == null) {
            return exactly(in, -1);
        }
        return exactly(in, size(length, 10));
    }

    private static byte[] chunks(InputStream in) throws IOException {
        var out = new ByteArrayOutputStream();
        while (true) {
            var line = line(in, new int[] {1024});
            int size = size(line.replaceFirst(";.*", "").strip(), 16);
            if (size == 0) {
                return out.toByteArray();
            }
            if (out.size() + (long) size > MOST_BODY_BYTES) {
                throw new IOException("the answer is larger than " + MOST_BODY_BYTES + " bytes");
            }
            out.write(exactly(in, size));
            if (!line(in, new int[] {16}).isEmpty()) {
                throw new IOException("malformed chunk");
            }
        }
    }

    /** @param size -1 for all until the end */
    private static byte[] exactly(InputStream in, int size) throws IOException {
        var bytes = in.readNBytes(size < 0 ? MOST_BODY_BYTES + 1 : size);
        if (bytes.length < size) {
            throw new EOFException("the answer ends early");
        }
        if (bytes.length > MOST_BODY_BYTES) {
            throw new IOException("the answer is larger than " + MOST_BODY_BYTES + " bytes");
        }
        return bytes;
    }

    private static int size(String text, int radix) throws IOException {
        try {
            int size = Integer.parseInt(text, radix);
            if (size >= 0 && size <= MOST_BODY_BYTES) {
                return size;
            }
        } catch (NumberFormatException malformed) {
            throw new IOException("malformed length", malformed);
        }
        throw new IOException("the answer is larger than " + MOST_BODY_BYTES + " bytes");
    }

    /** A line without its end, counted against the budget. */
    private static String line(InputStream in, int[] budget) throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the answer ends early");
            }
            if (--budget[0] < 0) {
                throw new IOException("the answer's head is too large");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }
}
