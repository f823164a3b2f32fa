package org.spillway.stage.pull;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * A connection to one server, whose address was looked at by {@link Gate}: the JDK's client would look the name up once
 * more, and a second answer may be another. One thread's.
 */
final class HttpLine implements AutoCloseable {
    private static final int INTERIM_MOST = 5;
    private static final int BUFFER_BYTES = 128 * 1024;

    private final Socket socket;
    private final InputStream in;
    private final String authority;
    private boolean free = true;

    private HttpLine(Socket socket, String authority) throws IOException {
        this.socket = socket;
        this.authority = authority;
        this.in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
    }

    /** How long to wait for a connection, and for the next byte. */
    record Patience(Duration connect, Duration silence) {
        static final Patience OF_A_COPY = new Patience(Duration.ofSeconds(15), Duration.ofSeconds(60));
        static final Patience OF_A_QUESTION = new Patience(Duration.ofSeconds(4), Duration.ofSeconds(8));
    }

    static int port(URI uri) {
        return uri.getPort() >= 0 ? uri.getPort() : uri.getScheme().equals("https") ? 443 : 80;
    }

    /** Scheme, host and port: who gets what is meant for the server. */
    static String authority(URI uri) {
        return uri.getScheme() + "://" + uri.getHost() + ":" + port(uri);
    }

    /** @throws PullRefused UNTRUSTED when the server is not who it should be */
    static HttpLine open(URI uri, InetAddress address, SSLSocketFactory tls, Patience patience) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(address, port(uri)), (int) patience.connect.toMillis());
            socket.setSoTimeout((int) patience.silence.toMillis());
            socket.setTcpNoDelay(true);
            if (uri.getScheme().equals("https")) {
                socket = encrypted(socket, uri, tls);
            }
            return new HttpLine(socket, authority(uri));
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket encrypted(Socket plain, URI uri, SSLSocketFactory tls) throws IOException {
        String host = uri.getHost().replaceAll("[\\[\\]]", "");
        SSLSocket socket = (SSLSocket) tls.createSocket(plain, host, port(uri), true);
        SSLParameters settings = socket.getSSLParameters();
        settings.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(settings);
        try {
            socket.startHandshake();
        } catch (SSLException e) {
            for (Throwable why = e; why != null; why = why.getCause()) {
                if (why instanceof CertificateException) {
                    throw new PullRefused(PullFault.UNTRUSTED, uri.getHost());
                }
            }
            throw e;
        }
        return socket;
    }

    /** Whether another request to that server may go over it. */
    boolean serves(URI uri) {
        return free && authority.equals(authority(uri)) && !socket.isClosed();
    }

    /** @param fields each with a line break at its end */
    HttpReply ask(String method, URI uri, String fields) throws IOException {
        free = false;
        boolean usual = uri.getPort() < 0;
        String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        String request = method + " " + path + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery())
                + " HTTP/1.1\r\nHost: " + uri.getHost() + (usual ? "" : ":" + uri.getPort())
                + "\r\nUser-Agent: spillway\r\nAccept: */*\r\nAccept-Encoding: identity\r\n" + fields + "\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        for (int interim = 0; interim <= INTERIM_MOST; interim++) {
            HttpReply reply = head();
            if (reply.status() >= 200) {
                return reply;
            }
        }
        throw new PullRefused(PullFault.MALFORMED, "interim answers");
    }

    private HttpReply head() throws IOException {
        List<String> lines = new ArrayList<>();
        int left = HttpReply.BYTES_MAX;
        while (true) {
            String line = line(left);
            left -= line.length() + 2;
            if (line.isEmpty()) {
                break;
            }
            lines.add(line);
        }
        try {
            return HttpReply.of(lines);
        } catch (IllegalArgumentException e) {
            throw new PullRefused(PullFault.MALFORMED, String.valueOf(e.getMessage()));
        }
    }

    private String line(int most) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server ended within a line");
            }
            if (line.size() >= most) {
                throw new PullRefused(PullFault.MALFORMED, "a head of more than " + HttpReply.BYTES_MAX + " bytes");
            }
            line.write(next);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    /** The body of the latest answer; it ends where the body ends, and fails when the server ends sooner. */
    InputStream body(HttpReply reply) {
        return reply.isChunked()
                ? new Chunked(reply.keeps())
                : new Sized(reply.bodyBytes().orElse(-1), reply.keeps());
    }

    /** Nothing of the latest answer is read: such as that to HEAD. */
    void bodiless(HttpReply reply) {
        free = reply.keeps();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            free = false; // it is gone all the same
        }
    }

    /** A body of a length that is known, or -1 for one that ends with the connection. */
    private final class Sized extends InputStream {
        private final boolean keeps;
        private long left;

        Sized(long bytes, boolean keeps) {
            this.left = bytes;
            this.keeps = keeps;
            if (left == 0) {
                free = keeps;
            }
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int count = in.read(into, offset, left < 0 ? length : (int) Math.min(length, left));
            if (count < 0 && left > 0) {
                throw new EOFException("the server ended " + left + " bytes too soon");
            }
            if (left > 0) {
                left -= count;
                free = left == 0 && keeps;
            }
            return count;
        }
    }

    /** A body in chunks. */
    private final class Chunked extends InputStream {
        private final boolean keeps;
        private long left;
        private boolean first = true;
        private boolean ended;

        Chunked(boolean keeps) {
            this.keeps = keeps;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (left == 0 && !ended) {
                next();
            }
            if (ended) {
                return -1;
            }
            int count = in.read(into, offset, (int) Math.min(length, left));
            if (count < 0) {
                throw new EOFException("the server ended within a chunk");
            }
            left -= count;
            return count;
        }

        private void next() throws IOException {
            if (!first && !line(100).isEmpty()) {
                throw new PullRefused(PullFault.MALFORMED, "a chunk");
            }
            first = false;
            String size = line(1000).split(";", 2)[0].strip();
            if (!size.matches("[0-9A-Fa-f]{1,15}")) {
                throw new PullRefused(PullFault.MALFORMED, "a chunk");
            }
            left = Long.parseLong(size, 16);
            if (left == 0) {
                ended = true;
                for (int trailer = 0; !line(HttpReply.BYTES_MAX).isEmpty(); trailer++) {
                    if (trailer > 100) {
                        throw new PullRefused(PullFault.MALFORMED, "a chunk");
                    }
                }
                free = keeps;
            }
        }
    }
}
