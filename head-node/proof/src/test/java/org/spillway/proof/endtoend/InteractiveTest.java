package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;

/** ADR 68: terminals, streams and ports of running jobs, over heads and directors that are killed. */
@Tag("processes")
@Timeout(600)
final class InteractiveTest {
    private static final String STAYS = """
            #!/bin/sh
            echo "$KIND" >kind
            : >%1$s.up
            while [ ! -e %1$s ]; do sleep 0.1; done
            """;

    @TempDir
    static Path given;

    private static HeadFixture head;

    @BeforeAll
    static void start() throws IOException {
        head = new HeadFixture(given);
        Path config = head.folder().resolve("spillway.yaml");
        Files.writeString(config, Files.readString(config) + "interactive: { awayFor: 90s, perUser: 4 }\n");
        head.start();
    }

    @AfterAll
    static void end() throws IOException {
        head.close();
    }

    private static Client client(String name, String... words) throws IOException {
        return new Client(head, Client.words(head, words), name);
    }

    private static Client onTerminal(String name, String behind, String... words) throws IOException {
        return Client.onTerminal(head, name, behind, words);
    }

    private static String job(Path sign) {
        String id = head.submit(JobSubmission.of(asked -> {
            asked.name = "stays";
            asked.script = STAYS.formatted(sign);
            asked.scriptName = "job.sh";
            asked.walltimeSeconds = 500;
            asked.folder = "/tmp";
            asked.environment = Map.of("KIND", "of its own");
        }));
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> Files.exists(Path.of(sign + ".up"))))
                .as(head.tail())
                .isTrue();
        head.await(id, job -> job.state() == JobState.RUNNING);
        return id;
    }

    private static void over(String id, Path sign) throws IOException {
        Files.createFile(sign);
        assertThat(head.awaitEnd(id).job().state()).as(head.tail()).isEqualTo(JobState.DONE);
    }

    @Test
    void aCommandRunsWhereTheJobIs() throws Exception {
        Path sign = head.folder().resolve("where");
        String id = job(sign);
        try (Client client = client(
                "where",
                "ssh",
                id,
                "sh",
                "-c",
                "cat kind; echo \"$KIND $SPILLWAY_JOB_ID\"; grep NoNewPrivs /proc/self/status; tr '\\0' ' ' </proc/1/cmdline;"
                        + " grep -o \"/$SPILLWAY_JOB_ID\\.1$\" /proc/self/cgroup | head -n 1; echo wrong >&2; cat; exit 7")) {
            client.types("to the end");
            client.keys.close();
            assertThat(client.code()).as(client.shown()).isEqualTo(7);
            assertThat(client.shown()).contains("of its own\nof its own " + id, "wrong", "to the end");
            if ("root".equals(System.getProperty("user.name"))) {
                assertThat(client.shown()).contains("NoNewPrivs:\t1", "xargs", "/" + id + ".1\n");
            }
        }
        over(id, sign);
    }

    @Test
    void aTerminalOutlivesItsHeadAndItsDirector() throws Exception {
        Path sign = head.folder().resolve("outlives");
        String id = job(sign);
        try (Client client = onTerminal("outlives", "", "ssh", "--pty", id, "bash", "--norc")) {
            client.types("stty size; x=kept; echo \"a$((40 + 2))\"\n");
            client.shows("30 90.*a42");
            head.kill();
            client.types("echo \"b$((2 * 21)) $x\"\n");
            head.start();
            client.shows("b42 kept");
            List<Long> directors = BadLuckTest.processes(head, "director");
            assertThat(directors).isNotEmpty();
            directors.forEach(Processes::kill);
            client.types("echo \"c$((84 / 2)) $x\"; sh -c 'echo \"sleeps$((1 + 1))\"; exec sleep 100'\n");
            client.shows("c42 kept.*sleeps2");
            client.types("\u001a");
            client.shows("Stopped");
            client.types("echo \"d$((21 + 21))\"; sh -c 'echo \"sleeps$((1 + 2))\"; exec sleep 100'\n");
            client.shows("d42.*sleeps3");
            client.types("\u0003");
            client.types("kill -9 %1; echo \"e$((21 + 21))\"\n");
            client.shows("e42");
            // A shell with a job that it takes for stopped leaves when it is told twice.
            client.types("exit 5\nexit 5\n");
            assertThat(client.code()).as(client.shown()).isEqualTo(5);
        }
        over(id, sign);
    }

    @Test
    void whatRunsOnAJobsNodeEndsWithTheJob() throws Exception {
        Path sign = head.folder().resolve("ends");
        String id = job(sign);
        try (Client client = client("ends", "ssh", id, "sh", "-c", "echo up; sleep 1000")) {
            client.shows("up");
            over(id, sign);
            assertThat(client.code()).as(client.shown()).isGreaterThan(128);
            assertThat(client.shown()).contains("the job has ended");
        }
        try (Client late = client("late", "ssh", id, "true")) {
            assertThat(late.code()).isEqualTo(2);
            assertThat(late.shown()).contains("only a running job can be entered");
        }
    }

    @Test
    void aCommandIsAJobWithPlainStreams() throws Exception {
        try (Client client =
                client("sorts", "run", "--time", "5m", "sh", "-c", "sort; echo \"$SPILLWAY_JOB_ID\" >&2; exit 3")) {
            client.types("b\na\n");
            client.keys.close();
            assertThat(client.code()).as(client.shown()).isEqualTo(3);
            Matcher id = Pattern.compile("spillway: job (\\S+)\n.*a\nb\n.*\\1\n", Pattern.DOTALL)
                    .matcher(client.shown());
            assertThat(id.find()).as(client.shown()).isTrue();
            JobDetail job = head.awaitEnd(id.group(1));
            assertThat(job.job().exitCode()).isEqualTo(3);
        }
    }

    /** After a kill -9 the terminal is as it was, and the job ends when nobody has come for interactive.awayFor. */
    @Test
    void aClientThatIsKilledLeavesItsTerminalAndItsJobEnds() throws Exception {
        String behind = "until stty -a | grep -q ' icanon'; do sleep 0.1; done; echo restored; exit 9";
        try (Client client =
                onTerminal("killed", behind, "run", "--time", "5m", "--pty", "sh", "-c", "echo begun; stty -a; cat")) {
            client.shows("begun.*icanon");
            client.process
                    .descendants()
                    .filter(one -> Processes.commandLine(one.pid()).contains("org.spillway.cli.Main"))
                    .filter(one -> one.info().command().orElse("").endsWith("java"))
                    .forEach(ProcessHandle::destroyForcibly);
            client.shows("restored");
            assertThat(client.code()).isEqualTo(9);
            Matcher id = Pattern.compile("spillway: job (\\S+?)\\s").matcher(client.shown());
            assertThat(id.find()).as(client.shown()).isTrue();
            JobDetail job = head.awaitEnd(id.group(1));
            assertThat(job.job().state()).isEqualTo(JobState.FAILED);
            assertThat(job.job().exitCode()).as(head.tail()).isEqualTo(129);
        }
    }

    private static final String ECHOES = """
            use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0) or die; bind($s, pack_sockaddr_in(0, INADDR_LOOPBACK)) or die;
            listen $s, 100; my ($port) = unpack_sockaddr_in(getsockname $s); open my $f, ">", $ARGV[0]; print $f $port; close $f;
            rename $ARGV[0], $ARGV[0] . ".port"; $SIG{CHLD} = "IGNORE"; while (1) { accept(my $c, $s) or next; next if fork;
            my $all = ""; while (sysread $c, my $b, 65536) { $all .= $b } $all = reverse $all;
            my $at = 0; while ($at < length $all) { $at += syswrite $c, $all, 65536, $at } exit }
            """;

    @Test
    void manyConnectionsReachAPortOfTheJob() throws Exception {
        Path sign = head.folder().resolve("ports");
        String id = job(sign);
        Path port = Path.of(sign + ".port");
        try (Client server = client("serves", "ssh", id, "perl", "-e", ECHOES, sign.toString())) {
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> Files.exists(port)))
                    .as(server.shown())
                    .isTrue();
            String number = Files.readString(port);
            try (Client client = client("forwards", "forward", id, "0:" + number)) {
                client.shows("127.0.0.1:\\d+ is port " + number);
                Matcher local = Pattern.compile("127.0.0.1:(\\d+)").matcher(client.shown());
                assertThat(local.find()).isTrue();
                var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(local.group(1)));
                List<Thread> all = new ArrayList<>();
                List<Long> wrong = new ArrayList<>();
                for (long seed = 0; seed < 20; seed++) {
                    long its = seed;
                    all.add(Thread.ofVirtual().start(() -> {
                        if (!comesBack(its, StandardProtocolFamily.INET, address)) {
                            synchronized (wrong) {
                                wrong.add(its);
                            }
                        }
                    }));
                }
                for (Thread one : all) {
                    one.join();
                }
                assertThat(wrong).as("seeds; " + client.shown()).isEmpty();
            }
            Path socket = head.folder().resolve("s");
            try (Client client = client("socket", "forward", "--at", socket.toString(), id, number)) {
                client.shows("is port " + number);
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                        .isEqualTo("rw-------");
                assertThat(comesBack(77, StandardProtocolFamily.UNIX, UnixDomainSocketAddress.of(socket)))
                        .as(client.shown())
                        .isTrue();
                over(id, sign);
                assertThat(client.code()).as(client.shown()).isZero();
                assertThat(socket).doesNotExist();
            }
        }
    }

    /** Whether what is sent comes back the other way round. */
    private static boolean comesBack(long seed, StandardProtocolFamily family, SocketAddress address) {
        byte[] bytes = new byte[300_000 + (int) seed];
        new Random(seed).nextBytes(bytes);
        try (SocketChannel channel = SocketChannel.open(family)) {
            channel.connect(address);
            ByteBuffer all = ByteBuffer.wrap(bytes);
            while (all.hasRemaining()) {
                channel.write(all);
            }
            channel.shutdownOutput();
            byte[] back = Channels.newInputStream(channel).readAllBytes();
            if (back.length != bytes.length) {
                return false;
            }
            for (int at = 0; at < bytes.length; at++) {
                if (back[at] != bytes[bytes.length - 1 - at]) {
                    return false;
                }
            }
            return true;
        } catch (IOException broken) {
            return false;
        }
    }

    private static boolean hasRoom(String id) {
        try (Client next = client("next", "ssh", id, "echo", "there is room")) {
            return next.code() == 0;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    @Test
    void aUserHasSoManySessionsAndNoMore() throws Exception {
        Path sign = head.folder().resolve("many");
        String id = job(sign);
        List<Client> clients = new ArrayList<>();
        try {
            for (int number = 0; number < 4; number++) {
                Client client = client("many" + number, "ssh", id, "sh", "-c", "echo up; cat");
                clients.add(client);
                client.shows("up");
            }
            try (Client refused = client("refused", "ssh", id, "true")) {
                assertThat(refused.code()).isEqualTo(2);
                assertThat(refused.shown()).contains("has 4 sessions already");
            }
            clients.getFirst().keys.close();
            assertThat(clients.getFirst().code()).isZero();
            // A connection may be counted for a moment longer.
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> hasRoom(id)))
                    .as(head.tail())
                    .isTrue();
        } finally {
            clients.forEach(Client::close);
        }
        over(id, sign);
    }
}
