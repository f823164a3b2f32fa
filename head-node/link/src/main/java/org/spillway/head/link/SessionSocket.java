package org.spillway.head.link;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * A request and an answer that end with their connection, which the JDK's client does not have: it reads no answer before it
 * has sent all of the request.
 */
final class SessionSocket {
    private static final int OK = 200;
    private static final int CONFLICT = 409;
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
            var answer = StreamAnswer.read(socket.getInputStream());
            if (answer.status() == CONFLICT) {
                throw new SessionRefused(answer.line());
            }
            if (answer.status() != OK) {
                throw new IOException(answer.line().isEmpty() ? "the director answered otherwise" : answer.line());
            }
            socket.setSoTimeout(SILENCE_MILLIS);
            return socket;
        } catch (IOException | SessionRefused | RuntimeException e) {
            plain.close();
            throw e;
        }
    }
}
