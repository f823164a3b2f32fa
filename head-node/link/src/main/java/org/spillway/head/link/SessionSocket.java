package org.spillway.head.link;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * A request and an answer that end with their connection, which the JDK's client does not have: it reads no answer before it
 * has sent all of the request.
 */
final class SessionSocket {
    private static final int MOST_HEAD_BYTES = 8 * 1024;
    private static final int MOST_REASON_BYTES = 500;
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d{1,6})\r\n");
    /** A forward accepts also where nobody listens behind it, and may keep silent then. */
    private static final int HANDSHAKE_MILLIS = 5_000;

    /** Longer than the director waits for a node. */
    private static final int ANSWER_MILLIS = 30_000;
    /** Both ends give signs of life far more often. */
    private static final int SILENCE_MILLIS = 60_000;

    private SessionSocket() {}

    /** @throws SessionRefused as the director says, with status 409 @throws IOException for all else */
    static Socket open(SSLContext tls, int port, Duration connect, String path) throws IOException, SessionRefused {
        var plain = new Socket();
        try {
            plain.connect(
                    new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port),
                    Math.toIntExact(connect.toMillis()));
            plain.setTcpNoDelay(true);
            plain.setSoTimeout(HANDSHAKE_MILLIS);
            var socket = (SSLSocket) tls.getSocketFactory().createSocket(plain, "127.0.0.1", port, true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            socket.setSoTimeout(ANSWER_MILLIS);
            socket.getOutputStream()
                    .write(("POST " + path + " HTTP/1.1\r\nHost: director\r\nContent-Length: " + (1L << 60)
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            InputStream in = socket.getInputStream();
            String head = head(in);
            if (!head.startsWith("HTTP/1.1 200")) {
                throw refused(head, in);
            }
            socket.setSoTimeout(SILENCE_MILLIS);
            return socket;
        } catch (IOException | SessionRefused | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    private static SessionRefused refused(String head, InputStream in) throws IOException {
        // The connection stays open until either side closes it.
        var length = LENGTH.matcher(head);
        int bytes = length.find() ? Integer.parseInt(length.group(1)) : 0;
        String reason = new String(in.readNBytes(Math.min(bytes, MOST_REASON_BYTES)), StandardCharsets.UTF_8)
                .replaceAll("[^\\x20-\\x7e]", " ")
                .strip();
        if (head.startsWith("HTTP/1.1 409")) {
            return new SessionRefused(reason);
        }
        throw new IOException(reason.isEmpty() ? "the director answered otherwise" : reason);
    }

    /** Up to the empty line, byte by byte: what follows is the node's. */
    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.length() < MOST_HEAD_BYTES) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            head.append((char) next);
            if (head.length() >= 4 && head.substring(head.length() - 4).equals("\r\n\r\n")) {
                return head.toString();
            }
        }
        throw new IOException("the director's answer ends early");
    }
}
