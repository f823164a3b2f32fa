package org.spillway.head.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;

/** A session's connection over a real socket: both ways at once, and for whom. */
@Timeout(60)
final class SessionRouteTest {
    private static final String SESSION = "0123456789abcdef0123456789abcdef";
    private static final int NOBODY = 65534;

    private final FakeHead head = new FakeHead();
    private final List<String> asked = new ArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final PipedOutputStream fromNode = new PipedOutputStream();
    private final PipedInputStream atNode = new PipedInputStream(64 * 1024);
    private Path directory;
    private Path socket;
    private RestServer server;

    @BeforeEach
    void start() throws IOException {
        directory = Files.createTempDirectory("spw");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        socket = directory.resolve("run/s.sock");
        server = RestServer.start(socket, "666", head);
        var toClient = new PipedInputStream(fromNode, 64 * 1024);
        var toNode = new PipedOutputStream(atNode);
        head.sessions = (caller, job, session, rank) -> {
            asked.add(job + " " + session + " " + rank);
            return new SessionsApi.Line() {
                @Override
                public InputStream in() {
                    return toClient;
                }

                @Override
                public OutputStream out() {
                    return toNode;
                }

                @Override
                public void close() throws IOException {
                    toNode.close();
                    fromNode.close();
                    closed.countDown();
                }
            };
        };
        assertThat(
                        request(
                                "POST /api/v1/jobs HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/json\r\n"
                                        + "Content-Length: 48\r\n\r\n{\"script\":\"echo hi\",\"name\":\"hi\",\"folder\":\"/w\"}  "))
                .startsWith("HTTP/1.1 201");
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        Files.deleteIfExists(socket);
        Files.deleteIfExists(directory.resolve("run"));
        Files.deleteIfExists(directory);
    }

    private String request(String text) throws IOException {
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            Channels.newOutputStream(channel).write(text.getBytes(UTF_8));
            var in = Channels.newInputStream(channel);
            var answer = new StringBuilder();
            int length = 0;
            for (var line = line(in); !line.isEmpty(); line = line(in)) {
                answer.append(line).append('\n');
                if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                    length = Integer.parseInt(
                            line.substring("content-length:".length()).strip());
                }
            }
            // The rest of the request is of no interest to the head, which may keep the connection for a while.
            return answer.append(new String(in.readNBytes(length), UTF_8)).toString();
        }
    }

    private static String head(String job, String session) {
        return "POST /api/v1/jobs/" + job + "/sessions/" + session + "?rank=2 HTTP/1.1\r\nHost: h\r\nContent-Length: "
                + (1L << 60) + "\r\n\r\n";
    }

    private static String line(InputStream in) throws IOException {
        var text = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            text.append((char) next);
        }
        return text.toString().strip();
    }

    @Test
    void bothWaysAreOpenAtOnce() throws Exception {
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            var out = Channels.newOutputStream(channel);
            var in = Channels.newInputStream(channel);
            out.write(head("1", SESSION).getBytes(UTF_8));
            assertThat(line(in)).startsWith("HTTP/1.1 200");
            while (!line(in).isEmpty()) {
                assertThat(closed.getCount()).isOne();
            }
            for (int turn = 0; turn < 3; turn++) {
                out.write(("to the node " + turn + "\n").getBytes(UTF_8));
                assertThat(line(atNode)).isEqualTo("to the node " + turn);
                fromNode.write(("to the client " + turn + "\n").getBytes(UTF_8));
                fromNode.flush();
                assertThat(line(in)).isEqualTo("to the client " + turn);
            }
            assertThat(asked).containsExactly("1 " + SESSION + " 2");
        }
        assertThat(closed.await(30, TimeUnit.SECONDS))
                .as("the client's end is the node's")
                .isTrue();
    }

    @Test
    void theNodesEndIsTheClients() throws Exception {
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            Channels.newOutputStream(channel).write(head("1", SESSION).getBytes(UTF_8));
            var in = Channels.newInputStream(channel);
            assertThat(line(in)).startsWith("HTTP/1.1 200");
            fromNode.close();
            while (in.read() >= 0) {
                assertThat(asked).hasSize(1);
            }
        } catch (IOException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
        assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whatCannotBeIsRefusedWithWords() throws Exception {
        assertThat(request(head("7", SESSION))).startsWith("HTTP/1.1 404").contains("no job '7'");
        assertThat(request(head("1", "short"))).startsWith("HTTP/1.1 400").contains("32 hexadecimal digits");
        head.sessions = (caller, job, session, rank) -> {
            throw new ApiException(Code.CONFLICT, "job 1 is QUEUED", "wait");
        };
        assertThat(request(head("1", SESSION))).startsWith("HTTP/1.1 409").contains("job 1 is QUEUED");
        assertThat(asked).isEmpty();
    }

    @Test
    void anothersJobIsNone() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "not root: nobody else can ask");
        Process other = new ProcessBuilder(
                        "setpriv",
                        "--reuid=" + NOBODY,
                        "--regid=" + NOBODY,
                        "--clear-groups",
                        "curl",
                        "-s",
                        "--max-time",
                        "20",
                        "--unix-socket",
                        socket.toString(),
                        "-d",
                        "x",
                        "http://h/api/v1/jobs/1/sessions/" + SESSION)
                .redirectErrorStream(true)
                .start();
        assertThat(new String(other.getInputStream().readAllBytes(), UTF_8)).contains("no job '1'");
        assertThat(asked).isEmpty();
    }
}
