package org.spillway.head.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.api.JobState;
import org.spillway.api.Json;

/** The API over a real socket. */
final class RestServerTest {
    private static final int MOST_TRIES = 50;
    private static final int NOBODY = 65534;

    private static final String JOB = "{\"script\":\"echo hi\",\"name\":\"hi\",\"folder\":\"/w\"}";

    private final FakeHead head = new FakeHead();
    private Path directory;
    private Path socket;
    private RestServer server;

    @BeforeEach
    void start() throws IOException {
        // Short, for a socket's path may have 106 bytes only, and open, for other users' sake.
        directory = Files.createTempDirectory("spw");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        socket = directory.resolve("run/s.sock");
        server = RestServer.start(socket, "666", head);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        Files.deleteIfExists(socket);
        Files.deleteIfExists(directory.resolve("run"));
        Files.deleteIfExists(directory);
    }

    @Test
    void makesADirectoryThatCanBePassedAndASocketForAll() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.getParent())))
                .isEqualTo("rwx--x--x");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-rw-rw-");
    }

    @Test
    void acceptsAJobUnderTheCallersName() throws IOException {
        assertThat(ask("POST", "/jobs", "", JOB)).startsWith("HTTP/1.1 201");
        int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        assertThat(head.jobs.get("1").uid()).isEqualTo(uid);
        assertThat(head.jobs.get("1").user()).isEqualTo(System.getProperty("user.name"));
        assertThat(ask("GET", "/jobs/1", "", "")).contains("\"timeline\":[{\"state\":\"SUBMITTED\"");
    }

    @Test
    void theSameKeyMakesOneJobAndAnotherBodyIsRefused() throws IOException {
        var key = "Idempotency-Key: k1\r\n";
        assertThat(ask("POST", "/jobs", key, JOB)).contains("\"id\":\"1\"");
        assertThat(ask("POST", "/jobs", key, JOB)).startsWith("HTTP/1.1 201").contains("\"id\":\"1\"");
        assertThat(ask("POST", "/jobs", key, JOB.replace("hi", "ho")))
                .startsWith("HTTP/1.1 409")
                .contains("KEY_REUSED");
        assertThat(head.jobs).hasSize(1);
        assertThat(ask("POST", "/jobs", "Idempotency-Key: a b\r\n", JOB)).startsWith("HTTP/1.1 400");
    }

    @Test
    void bodiesThatAreTooLargeAreRefused() throws IOException {
        var script = "x".repeat(1024 * 1024 + 1);
        assertThat(ask("POST", "/jobs", "", "{\"script\":\"" + script + "\"}"))
                .startsWith("HTTP/1.1 413")
                .contains("script: larger than 1 MiB");
        assertThat(ask("POST", "/jobs", "", "{\"script\":\"" + script + script + "\"}"))
                .startsWith("HTTP/1.1 413")
                .contains("TOO_LARGE");
        assertThat(head.jobs).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[]|the body is not a JSON object",
                "{|the body is not JSON",
                "{\"script\":\"x\",\"script\":\"y\"}|the body is not JSON",
                "{}|script: missing or empty",
                "{\"script\":\"x\",\"uid\":0}|uid: unknown field",
                "{\"script\":\"x\",\"cpus\":0}|cpus: found 0",
                "{\"script\":\"x\",\"cpus\":1.5}|cpus: found 1.5",
                "{\"script\":\"x\",\"memoryBytes\":-1}|memoryBytes: found -1",
                "{\"script\":\"x\",\"gpus\":5000}|gpus: found 5000",
                "{\"script\":\"x\",\"gpuModel\":\"H 100\"}|gpuModel: found",
                "{\"script\":\"x\",\"priority\":1001}|priority: found 1001",
                "{\"script\":\"x\",\"walltimeSeconds\":99999999}|walltimeSeconds: found 99999999",
                "{\"script\":\"x\",\"scriptName\":\"..\"}|scriptName: found '..'",
                "{\"script\":\"x\",\"queue\":\"A b\"}|queue: found",
                "{\"script\":\"x\",\"folder\":\"/w\",\"inputs\":[{\"pattern\":\"data\"}]}|inputs.pattern: found 'data'",
                "{\"script\":\"x\",\"folder\":\"/w\",\"inputs\":[{\"pattern\":\"/a/../b\"}]}|inputs.pattern: found '/a/../b'",
                "{\"script\":\"x\",\"environment\":{\"A=B\":\"c\"}}|environment: found the name 'A=B'",
                "{\"script\":\"x\",\"arguments\":[1]}|arguments: found 1",
                "{\"script\":\"x\",\"folder\":\"/w\",\"outputs\":[{\"pattern\":\"../a\",\"destination\":\"/b\"}]}|outputs.pattern: found '../a'",
                "{\"script\":\"x\",\"folder\":\"/w\",\"outputs\":[{\"pattern\":\"a\",\"destination\":\"b\"}]}|outputs.destination: found 'b'",
                "{\"script\":\"x\",\"folder\":\"w\"}|folder: found 'w'",
                "{\"script\":\"x\",\"nodes\":0}|nodes: found 0",
                "{\"script\":\"x\",\"constraint\":\"moon\"}|constraint: found",
            })
    void aSubmissionOutOfBoundsNamesItsField(String body, String message) throws IOException {
        assertThat(ask("POST", "/jobs", "", body))
                .startsWith("HTTP/1.1 400")
                .contains(Json.write(message).replace("\"", ""));
        assertThat(head.jobs).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/jobs?state=asleep|state: found 'asleep'",
                "/jobs?color=red|color: unknown parameter",
                "/jobs/1/log?stream=both|stream: found 'both'",
                "/jobs/1/log?rank=-1|rank: found '-1'",
                "/jobs/1/log?after=x|after: found 'x'",
            })
    void aQuestionOutOfBoundsNamesItsParameter(String path, String message) throws IOException {
        head.jobs.put("1", FakeHead.job("1", "mine", "root", 0, JobState.QUEUED));
        assertThat(ask("GET", path, "", "")).startsWith("HTTP/1.1 400").contains(message);
    }

    @Test
    void jobsAreFilteredByQueueAndState() throws IOException {
        head.jobs.put("1", FakeHead.job("1", "a", "root", 0, JobState.QUEUED));
        head.jobs.put("2", FakeHead.job("2", "b", "root", 0, JobState.RUNNING));
        assertThat(ask("GET", "/jobs?state=RUNNING", "", ""))
                .contains("\"id\":\"2\"")
                .doesNotContain("\"id\":\"1\"");
        assertThat(ask("GET", "/jobs?queue=west", "", "")).contains("UNKNOWN_QUEUE");
    }

    @Test
    void nodesAreOrderedWithinBounds() throws IOException {
        assertThat(ask("POST", "/nodes", "", "{\"site\":\"east\",\"type\":\"small\"}"))
                .startsWith("HTTP/1.1 201");
        assertThat(ask("POST", "/nodes", "", "{\"site\":\"east\",\"type\":\"small\",\"count\":0}"))
                .startsWith("HTTP/1.1 400")
                .contains("count: found 0");
        assertThat(ask("POST", "/nodes", "", "{\"site\":\"East\",\"type\":\"small\"}"))
                .contains("site: found 'East'");
        assertThat(head.changes)
                .containsExactly("NodeOrder[site=east, type=small, zone=, market=on-demand, count=1, keep=false]");
    }

    @Test
    void whatANodeIsToBeIsReadWithCare() throws IOException {
        assertThat(ask("POST", "/nodes/east-1/repurpose", "", "{\"category\":\"\",\"drain\":true}"))
                .startsWith("HTTP/1.1 200");
        assertThat(ask("POST", "/nodes/east-1/repurpose", "", "{\"overlay\":\"x\"}"))
                .startsWith("HTTP/1.1 400")
                .contains("category: found nothing");
        assertThat(ask("POST", "/nodes/east-1/join", "", "{\"overlay\":\"\"}"))
                .startsWith("HTTP/1.1 400")
                .contains("overlay: found ''");
        assertThat(ask("POST", "/nodes/east-1/leave", "", "{\"overlay\":\"x\",\"drain\":\"yes\"}"))
                .startsWith("HTTP/1.1 400")
                .contains("drain: found 'yes'");
        assertThat(ask("POST", "/nodes/east-1/join", "", "")).startsWith("HTTP/1.1 400");
        assertThat(head.changes).containsExactly("repurpose NodeTurnOrder[category=, overlay=, drain=true] east-1");
    }

    @Test
    void whatIsNotThereIsSaidInJson() throws IOException {
        assertThat(ask("GET", "/jobs/9", "", "")).startsWith("HTTP/1.1 404").contains("no job '9'");
        assertThat(ask("GET", "/nothing", "", "")).startsWith("HTTP/1.1 404").contains("\"code\":\"NOT_FOUND\"");
        assertThat(ask("DELETE", "/jobs", "", "")).startsWith("HTTP/1.1 405").contains("METHOD_NOT_ALLOWED");
        assertThat(ask("GET", "/jobs?limit=0", "", ""))
                .startsWith("HTTP/1.1 400")
                .contains("limit: found '0'");
        assertThat(ask("GET", "/jobs?user=x", "", ""))
                .startsWith("HTTP/1.1 400")
                .contains("user: unknown parameter");
    }

    @Test
    void aFaultOfTheHeadTellsNothingOfItsInside() throws IOException {
        head.broken = true;
        assertThat(ask("GET", "/nodes", "", "")).startsWith("HTTP/1.1 500").doesNotContain("secret");
    }

    @Test
    void rootAndTheHeadsUserMayReleaseAndStop() throws IOException {
        assertThat(ask("POST", "/release", "", "")).startsWith("HTTP/1.1 202");
        assertThat(ask("POST", "/shutdown", "", "")).startsWith("HTTP/1.1 202");
        assertThat(head.released).isTrue();
        await().until(() -> head.stopped);
    }

    /** The request that stops a head takes the socket away: whoever asked for it has been answered by then. */
    @Test
    void aHeadIsStoppedWhenItsAnswerHasLeft() throws IOException {
        var read = new CountDownLatch(1);
        var before = new AtomicBoolean();
        head.stopping = () -> {
            try {
                before.set(read.await(180, TimeUnit.SECONDS));
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        };
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(StandardCharsets.US_ASCII.encode(
                    "POST /api/v1/shutdown HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"));
            var in = Channels.newInputStream(channel);
            var text = new StringBuilder();
            for (int next = in.read(); next >= 0; next = in.read()) {
                text.append((char) next);
                if (next == '}') {
                    break;
                }
            }
            assertThat(text).endsWith("{\"accepted\":true}");
            assertThat(text).startsWith("HTTP/1.1 202");
            read.countDown();
            await().until(() -> head.stopped);
        }
        assertThat(before).isTrue();
    }

    @Test
    void anotherUserSeesItsOwnJobsOnlyAndStopsNothing() throws Exception {
        int own = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        assumeTrue(own == 0, "needs root to become another user");
        head.jobs.put("1", FakeHead.job("1", "mine", "root", 0, JobState.QUEUED));
        head.jobs.put("2", FakeHead.job("2", "theirs", "nobody", 65534, JobState.QUEUED));
        head.jobs.put("7-0", FakeHead.of("7-0", "7", "mine", "root", 0, JobState.QUEUED));
        var answers = asNobody(
                "GET",
                "/jobs",
                "GET",
                "/jobs/1",
                "POST",
                "/jobs/1/cancel",
                "POST",
                "/jobs/2/cancel",
                "POST",
                "/shutdown",
                "POST",
                "/release",
                "GET",
                "/web",
                "GET",
                "/jobs/1/explain",
                "GET",
                "/jobs/1/log",
                "GET",
                "/arrays/7",
                "POST",
                "/arrays/7/cancel",
                "POST",
                "/nodes",
                "POST",
                "/nodes/east-1/drain",
                "GET",
                "/nodes/east-1/logs");
        assertThat(answers).hasSize(14);
        assertThat(answers.get(0)).contains("\"id\":\"2\"").doesNotContain("\"id\":\"1\"");
        assertThat(answers.get(1)).contains(" 404 ").contains("no job '1'");
        assertThat(answers.get(2)).contains(" 404 ");
        assertThat(head.jobs.get("1").state()).isEqualTo(JobState.QUEUED);
        assertThat(answers.get(3)).contains("CANCELLED");
        assertThat(answers.get(4)).contains(" 403 ");
        assertThat(answers.get(5)).contains(" 403 ");
        assertThat(answers.get(6))
                .as("a link of their own")
                .contains("token=of-another")
                .doesNotContain("token=t\"");
        assertThat(answers.subList(7, 11)).allMatch(answer -> answer.contains(" 404 "));
        assertThat(head.jobs.get("7-0").state()).isEqualTo(JobState.QUEUED);
        assertThat(answers.subList(11, 14)).allMatch(answer -> answer.contains(" 403 "));
        assertThat(head.changes.isEmpty() && !head.stopped && !head.released).isTrue();
        assertThat(ask("GET", "/jobs", "", "")).contains("\"id\":\"1\"");
    }

    /** Each of these holds a thread with a body that does not come. */
    @Test
    @Timeout(600)
    void oneUserDoesNotTakeAllThreads() throws Exception {
        int own = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        assumeTrue(own == 0, "needs root to become another user");
        try (var hog = new Hog(socket, directory, NOBODY, UserLane.MOST_REQUESTS)) {
            String answer = hog.ask();
            for (int i = 0; i < MOST_TRIES && !answer.startsWith("HTTP/1.1 429"); i++) {
                // The question may come before the last is under way, and take its place: then that one is refused.
                assertThat(answer).startsWith("HTTP/1.1 200");
                hog.hold();
                answer = hog.ask();
            }
            assertThat(answer)
                    .contains("\"code\":\"TOO_MANY\"")
                    .contains("has 16 requests under way already")
                    .contains("wait for one of them")
                    .contains("Retry-After: 1");
            // The administrator is answered, and the user too when it has let go.
            assertThat(ask("GET", "/health", "", "")).startsWith("HTTP/1.1 200");
            hog.letGo();
            await().until(() -> hog.ask().startsWith("HTTP/1.1 200"));
        }
    }

    /** H1: on 7b3e1e2 the two had all twelve threads, and this waited for half a minute. */
    @Test
    @Timeout(600)
    void twoUsersDoNotSilenceTheSocket() throws Exception {
        int own = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        assumeTrue(own == 0, "needs root to become two other users");
        // The first answer loads classes and asks the name service, for seconds on a busy machine.
        assertThat(ask("GET", "/jobs", "", "")).startsWith("HTTP/1.1 200");
        try (var one = new Hog(socket, directory, NOBODY, 8);
                var other = new Hog(socket, directory, NOBODY - 1, 8)) {
            var first = CompletableFuture.supplyAsync(one::answer);
            var second = CompletableFuture.supplyAsync(other::answer);
            do {
                long begin = System.nanoTime();
                assertThat(ask("GET", "/jobs", "", "")).startsWith("HTTP/1.1 200");
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
            } while (!first.isDone() || !second.isDone());
            assertThat(first.join()).startsWith("HTTP/1.1 200");
            assertThat(second.join()).startsWith("HTTP/1.1 200");
        }
    }

    /** A peer that is not trusted and does not go on loses its place; here to its own user's next connections. */
    @Test
    @Timeout(600)
    void aUsersConnectionsAreBounded() throws Exception {
        int own = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        assumeTrue(own == 0, "needs root to become another user");
        try (var hog = new Hog(socket, directory, NOBODY, 400)) {
            String answer = hog.ask();
            // A connection too many may be closed before its request is read, and its refusal is lost with it.
            assertThat(answer).matches(said -> said.isEmpty() || said.matches("(?s)HTTP/1.1 (200|429).*"));
            await().until(() -> server.connections() <= 33);
            assertThat(ask("GET", "/health", "", "")).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void aSecondHeadIsRefusedAndTheFirstGoesOn() throws IOException {
        assertThatThrownBy(() -> RestServer.start(socket, "666", new FakeHead()))
                .isInstanceOf(SocketInUseException.class)
                .hasMessageContaining("socket in use by another head: " + socket);
        assertThat(ask("GET", "/health", "", "")).contains("\"cluster\":\"demo\"");
    }

    @Test
    void theSocketOfADeadHeadIsReplaced() throws IOException {
        server.close();
        try (var dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(socket));
        }
        assertThat(socket).exists();
        server = RestServer.start(socket, "600", head);
        assertThat(ask("GET", "/health", "", "")).startsWith("HTTP/1.1 200");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-------");
    }

    @Test
    void aFileInTheSocketsPlaceIsLeftAlone() throws IOException {
        server.close();
        Files.deleteIfExists(socket);
        Files.writeString(socket, "precious");
        assertThatThrownBy(() -> RestServer.start(socket, "666", head)).hasMessageContaining("is not a socket");
        assertThat(socket).hasContent("precious");
    }

    private String ask(String method, String path, String headers, String body) throws IOException {
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            var request = method + " /api/v1" + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + headers
                    + "Content-Length: " + bytes.length + "\r\n\r\n" + body;
            var out = ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8));
            while (out.hasRemaining()) {
                channel.write(out);
            }
            return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Method and path pairs, asked by a process with another uid, for the kernel to tell. */
    private List<String> asNobody(String... requests) throws Exception {
        var program = directory.resolve("Client.java");
        Files.writeString(program, """
                import java.nio.*;
                import java.nio.channels.*;
                import java.nio.file.Path;
                void main(String[] args) throws Exception {
                    for (int i = 1; i < args.length; i += 2) {
                        try (var c = SocketChannel.open(java.net.UnixDomainSocketAddress.of(Path.of(args[0])))) {
                            c.write(ByteBuffer.wrap((args[i] + " /api/v1" + args[i + 1] + " HTTP/1.1\\r\\nHost: x\\r\\n"
                                    + "Connection: close\\r\\nContent-Length: 0\\r\\n\\r\\n").getBytes()));
                            System.out.print(new String(Channels.newInputStream(c).readAllBytes()) + "\\f");
                        }
                    }
                }
                """);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rw-r--r--"));
        var command = new ArrayList<>(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        command.addAll(List.of(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(program.toString(), socket.toString()));
        command.addAll(List.of(requests));
        var process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        try {
            var answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
            return List.of(answer.split("\f"));
        } finally {
            process.destroyForcibly();
            Files.delete(program);
        }
    }
}
