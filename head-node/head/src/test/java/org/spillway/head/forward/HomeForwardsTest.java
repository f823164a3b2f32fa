package org.spillway.head.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.api.session.Session;
import org.spillway.api.session.SessionChannel;
import org.spillway.api.session.SessionRecord;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.LogPart;
import org.spillway.head.link.RegionPieces;
import org.spillway.stage.transfer.Transfer;

/** The head's ends of lines, with a real server behind them and a played node before them. */
@Timeout(60)
final class HomeForwardsTest {
    private static final String ID = "0123456789abcdef0123456789abcdef";
    private static final DirectorTarget DIRECTOR = new DirectorTarget("east", "d", "i", "127.0.0.1", 22, "127.0.0.1");
    private static final Session.Times QUICK = new Session.Times(
            Duration.ofMillis(100), Duration.ofSeconds(5), Duration.ofMillis(5), Duration.ofSeconds(20));

    private final Far far = new Far();
    private final Map<String, RunningJob> jobs = new ConcurrentHashMap<>();
    private ServerSocket server;
    private HomeForwards forwards;
    private Session node;

    /** A link whose far ends come to a played node; whatever is open breaks when it is cut. */
    private static final class Far implements DirectorLink {
        final BlockingQueue<Socket> lines = new LinkedBlockingQueue<>();
        final BlockingQueue<String> wanted = new LinkedBlockingQueue<>();
        final Set<Socket> open = ConcurrentHashMap.newKeySet();
        volatile boolean cut;

        @Override
        public String forwardsWanted(DirectorTarget director) throws LinkDownException {
            try {
                String found = wanted.poll(20, TimeUnit.MILLISECONDS);
                return found == null ? "" : found;
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new LinkDownException("stopped", stop);
            }
        }

        @Override
        public Socket forward(DirectorTarget director, String name, String id) throws LinkDownException {
            if (cut) {
                throw new LinkDownException("cut");
            }
            try (ServerSocket between = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                Socket head = new Socket(between.getInetAddress(), between.getLocalPort());
                open.add(head);
                lines.add(between.accept());
                return head;
            } catch (IOException failed) {
                throw new LinkDownException("no pair", failed);
            }
        }

        void cut() throws IOException {
            cut = true;
            for (Socket one : open) {
                one.close();
            }
        }

        @Override
        public Report sync(DirectorTarget director, Directive directive) throws LinkDownException {
            throw new LinkDownException("not played");
        }

        @Override
        public Transfer staging(DirectorTarget director) throws LinkDownException {
            throw new LinkDownException("not played");
        }

        @Override
        public RegionPieces pieces(DirectorTarget director) throws LinkDownException {
            throw new LinkDownException("not played");
        }

        @Override
        public Optional<LogPart> log(
                DirectorTarget director, String job, int attempt, String name, String stream, long after) {
            return Optional.empty();
        }

        @Override
        public void forget(String site) {}
    }

    private record Line(Socket socket, InputStream in, OutputStream out) implements Session.Connection {
        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** A connection of a job, as its node sees it. */
    private static final class Client {
        final ByteArrayOutputStream got = new ByteArrayOutputStream();
        final CompletableFuture<String> ended = new CompletableFuture<>();
        final SessionChannel channel;

        Client(Session node, int number, int port) {
            node.say(SessionRecord.port(number, port));
            channel = node.channel(number, got, ended::complete);
        }

        String answer() throws Exception {
            assertThat(ended.get(30, TimeUnit.SECONDS)).isEmpty();
            return got.toString(StandardCharsets.UTF_8);
        }
    }

    @BeforeEach
    void begin() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
        jobs.put("7", new RunningJob("east", 1, List.of("n1"), "ann", List.of("cad")));
    }

    private void begin(int port, HomeForward.Bounds bounds) {
        var service = new HomeForward(
                "licence", "127.0.0.1", List.of(port), "licence.example.org", List.of(27000), List.of("cad"), bounds);
        forwards = new HomeForwards(
                        site -> Optional.of(DIRECTOR),
                        far,
                        new HomeForwards.Jobs() {
                            @Override
                            public boolean anyOf(String site) {
                                return true;
                            }

                            @Override
                            public Optional<RunningJob> running(String id) {
                                return Optional.ofNullable(jobs.get(id));
                            }
                        },
                        Map.of("east", List.of(service)),
                        QUICK)
                .begin();
    }

    /** Answers what it has read to its end, the other way round. */
    private void serve() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Thread.ofVirtual().start(() -> {
                    try (client) {
                        byte[] all = client.getInputStream().readAllBytes();
                        for (int at = 0; at < all.length / 2; at++) {
                            byte kept = all[at];
                            all[at] = all[all.length - 1 - at];
                            all[all.length - 1 - at] = kept;
                        }
                        client.getOutputStream().write(all);
                    } catch (IOException gone) {
                        return; // as the client wanted
                    }
                });
            } catch (IOException closed) {
                return;
            }
        }
    }

    /** A desk that was closed may still take what another one is to hear: there is one for each test. */
    private Session node() {
        if (forwards == null) {
            begin(server.getLocalPort(), new HomeForward.Bounds(2, 10, 10, Duration.ofDays(1)));
        }
        far.wanted.add("n1 7 1 licence " + ID + "\n");
        node = new Session(
                        () -> {
                            try {
                                Socket line = far.lines.poll(1, TimeUnit.SECONDS);
                                if (line == null) {
                                    throw new IOException("nobody comes");
                                }
                                return new Line(line, line.getInputStream(), line.getOutputStream());
                            } catch (InterruptedException stop) {
                                throw new IOException(stop);
                            }
                        },
                        QUICK)
                .start();
        return node;
    }

    @AfterEach
    void end() throws IOException {
        if (node != null) {
            node.close();
        }
        if (forwards != null) {
            forwards.close();
        }
        server.close();
    }

    @Test
    void aJobSpeaksWithTheService() throws Exception {
        Client client = new Client(node(), 16, 27000);
        client.channel.read(new ByteArrayInputStream("hello".getBytes(StandardCharsets.UTF_8)));
        assertThat(client.answer()).isEqualTo("olleh");
        await().until(() -> forwards.connections("east") == 0);
    }

    @Test
    void aCutOfTheLinkLosesNothing() throws Exception {
        Client client = new Client(node(), 16, 27000);
        byte[] all = new byte[1_000_000];
        new Random(5).nextBytes(all);
        assertThat(client.channel.send(all, 1000)).isTrue();
        await().until(() -> forwards.connections("east") == 1);
        far.cut();
        Thread sends = Thread.ofVirtual().start(() -> {
            try {
                client.channel.read(new ByteArrayInputStream(all, 1000, all.length - 1000));
            } catch (IOException | InterruptedException failed) {
                client.ended.completeExceptionally(failed);
            }
        });
        far.cut = false;
        assertThat(client.ended.get(30, TimeUnit.SECONDS)).isEmpty();
        sends.join();
        byte[] got = client.got.toByteArray();
        assertThat(got).hasSize(all.length);
        for (int at = 0; at < all.length; at++) {
            assertThat(got[at]).isEqualTo(all[all.length - 1 - at]);
        }
    }

    @Test
    void aUserOfNoneOfItsGroupsIsRefusedAtEachConnection() throws Exception {
        Client first = new Client(node(), 16, 27000);
        first.channel.read(new ByteArrayInputStream("a".getBytes(StandardCharsets.UTF_8)));
        assertThat(first.answer()).isEqualTo("a");
        jobs.put("7", new RunningJob("east", 1, List.of("n1"), "ann", List.of("users")));
        Client second = new Client(node, 17, 27000);
        assertThat(second.ended.get(30, TimeUnit.SECONDS)).isEqualTo("user ann is in none of its groups (cad)");
    }

    @Test
    void otherPortsAndMoreConnectionsThanItMayAreRefused() throws Exception {
        Client other = new Client(node(), 16, server.getLocalPort());
        assertThat(other.ended.get(30, TimeUnit.SECONDS)).isEqualTo("it has no port " + server.getLocalPort());
        List<Client> open = List.of(new Client(node, 17, 27000), new Client(node, 18, 27000));
        Client third = new Client(node, 19, 27000);
        assertThat(third.ended.get(30, TimeUnit.SECONDS)).isEqualTo("job 7 has 2 connections already (perJob)");
        assertThat(open).noneMatch(one -> one.ended.isDone());
    }

    @Test
    void aServiceThatIsDownIsSaidAtOnce() throws Exception {
        int nobodys;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobodys = free.getLocalPort();
        }
        begin(nobodys, HomeForward.Bounds.USUAL);
        Client client = new Client(node(), 16, 27000);
        assertThat(client.ended.get(30, TimeUnit.SECONDS)).isEqualTo("127.0.0.1:" + nobodys + ": Connection refused");
    }

    @Test
    void theEndOfTheJobEndsItsConnections() throws Exception {
        Client client = new Client(node(), 16, 27000);
        await().until(() -> forwards.connections("east") == 1);
        jobs.clear();
        assertThat(client.ended.get(30, TimeUnit.SECONDS)).isNotEmpty();
        await().until(() -> forwards.connections("east") == 0);
    }

    /** A director speaks of what it likes. */
    @Test
    void aLineOfAJobThatIsNotThereIsNotMade() {
        far.wanted.add("n2 7 1 licence " + ID + "\n");
        far.wanted.add("n1 8 1 licence " + ID + "\n");
        far.wanted.add("n1 7 1 licence\n");
        far.wanted.add("n1 7 1 ../x " + ID + "\n");
        node();
        await().until(() -> !far.open.isEmpty());
        assertThat(far.wanted).isEmpty();
        assertThat(far.open).hasSize(1);
    }

    @Test
    void aConnectionWithoutAByteIsEnded() throws Exception {
        begin(server.getLocalPort(), new HomeForward.Bounds(2, 10, 10, Duration.ofMillis(300)));
        Client client = new Client(node(), 16, 27000);
        assertThat(client.ended.get(30, TimeUnit.SECONDS)).startsWith("no byte passed for");
    }
}
