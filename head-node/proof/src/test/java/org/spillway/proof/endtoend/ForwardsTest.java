package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.api.JobState;

/** ADR 77: a licence server at home answers jobs of its group, over a line that is cut and directors that are killed, and nobody else. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("processes")
final class ForwardsTest {
    private static final int ANN = 64252;
    private static final int BOB = 64253;
    private static final String ASKS = """
            #!/usr/bin/perl
            use Socket; my ($word, $go) = ('%s', '%s');
            my $address = inet_aton 'licence.example.org' or do { print "no such host\\n"; exit };
            socket my $s, PF_INET, SOCK_STREAM, 0; connect $s, pack_sockaddr_in 27000, $address or do { print "$!\\n"; exit };
            syswrite $s, $word or do { print "$!\\n"; exit };
            if ($go) { select undef, undef, undef, 0.1 until -e $go; syswrite $s, '-late' }
            shutdown $s, 1; my $all = '';
            while (1) { my $count = sysread $s, $all, 65536, length $all; last if defined $count && !$count; $count or do { print "$!\\n"; exit } }
            print "$all\\n";
            """;

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private Path folder;
    private HeadFixture head;
    private ServerSocket server;

    @BeforeEach
    void start() throws Exception {
        folder = Files.createTempDirectory("spillway-forwards");
        assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0), "only a root head has several users");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
        head = new HeadFixture(folder, "{ source: file, passwd: passwd, group: group }");
        Files.writeString(
                folder.resolve("passwd"),
                "ann:x:64252:64252:Ann:/home/ann:/bin/sh\nbob:x:64253:64253:Bob:/home/bob:/bin/sh\n");
        Files.writeString(folder.resolve("group"), "ann:x:64252:\nbob:x:64253:\ncad:x:64300:ann\n");
        Path config = folder.resolve("spillway.yaml");
        Files.writeString(
                config,
                Files.readString(config)
                        .replace(
                                "maxNodes: 2",
                                "maxNodes: 1\n    nodes: { isolation: required, forwards: [{ name: licence, to: \"127.0.0.1:"
                                        + server.getLocalPort()
                                        + "\", as: \"licence.example.org:27000\", groups: [cad] }] }"));
        head.start();
    }

    private void serve() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                open.add(client);
                Thread.ofVirtual().start(() -> {
                    try (client) {
                        String word = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                        heard.add(word);
                        client.getOutputStream().write(("a licence for " + word).getBytes(StandardCharsets.UTF_8));
                    } catch (IOException gone) {
                        heard.add(gone.toString());
                    }
                });
            } catch (IOException closed) {
                return;
            }
        }
    }

    @AfterEach
    void end() throws Exception {
        if (head != null) {
            head.close();
            server.close();
        }
        Processes.ofRun(folder).forEach(Processes::kill);
        Installation.delete(folder);
    }

    private String submit(String user, int uid, String go) throws Exception {
        Path own = folder.resolve(user);
        if (!Files.exists(own)) {
            Files.createDirectory(own);
            Files.setAttribute(own, "unix:uid", uid);
            Files.setAttribute(own, "unix:gid", uid);
        }
        Files.writeString(own.resolve("job.pl"), ASKS.formatted(user, go));
        List<String> command = new ArrayList<>(
                List.of("setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups", "--no-new-privs"));
        command.addAll(Installation.shared().java("org.spillway.cli.Main", own.resolve("client.jsa")));
        command.addAll(List.of(
                "submit", "--socket", head.state().resolve("spillway.sock").toString()));
        command.addAll(List.of("--mem", "256MiB", "--stdout", "job.out", "job.pl"));
        Path out = folder.resolve("submitted." + uid);
        Path errors = folder.resolve("refused." + uid);
        var builder = new ProcessBuilder(command)
                .directory(own.toFile())
                .redirectOutput(out.toFile())
                .redirectError(errors.toFile());
        builder.environment().put("SPILLWAY_HOME", Installation.shared().home().toString());
        Process process = builder.start();
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
        return Files.readString(out).strip();
    }

    private void says(String id, String user, String answer) {
        assertThat(head.awaitEnd(id).job().state()).as(head.tail()).isEqualTo(JobState.DONE);
        assertThat(folder.resolve(user).resolve("job.out")).as(head.tail()).hasContent(answer + "\n");
    }

    private void awaitConnections(int count) {
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> open.size() == count))
                .as(head.tail())
                .isTrue();
    }

    /** Processes that carry lines of nodes. */
    private List<Long> lines() {
        return Processes.ofInstances(folder).stream()
                .filter(pid -> Processes.commandLine(pid).startsWith("openssl"))
                .toList();
    }

    private String node() {
        return head.nodes().stream()
                .filter(one -> !one.role().equals("director"))
                .findFirst()
                .orElseThrow()
                .id();
    }

    @Test
    void aLicenceServerAtHomeAnswersItsGroup() throws Exception {
        // The line is cut while a word is on its way.
        String cut = submit("ann", ANN, folder.resolve("go").toString());
        awaitConnections(1);
        List<Long> directors = BadLuckTest.processes(head, "director");
        assertThat(directors).isNotEmpty();
        List<Long> before = lines();
        assertThat(before).isNotEmpty();
        for (long pid : directors) {
            TwoHeadsTest.run("kill", "-STOP", Long.toString(pid));
        }
        Files.createFile(folder.resolve("go"));
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> lines().stream().noneMatch(before::contains)))
                .as("the node gives the line up")
                .isTrue();
        for (long pid : directors) {
            TwoHeadsTest.run("kill", "-CONT", Long.toString(pid));
        }
        says(cut, "ann", "a licence for ann-late");
        Files.delete(folder.resolve("go"));

        // Another director knows nothing of the line, and carries it on.
        String killed = submit("ann", ANN, folder.resolve("go").toString());
        awaitConnections(2);
        BadLuckTest.processes(head, "director").forEach(Processes::kill);
        Files.createFile(folder.resolve("go"));
        says(killed, "ann", "a licence for ann-late");

        String refused = submit("bob", BOB, "");
        says(refused, "bob", "Connection reset by peer");
        String line =
                "job " + refused + ": a connection to licence (licence.example.org) is refused: user bob is in none of"
                        + " its groups (cad)";
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE,
                        () -> head.command("node", "logs", node()).contains(line)))
                .as(() -> head.command("node", "logs", node()))
                .isTrue();
        assertThat(head.command("explain", node())).contains("forwards", "licence licence.example.org");

        server.close();
        String down = submit("ann", ANN, "");
        says(down, "ann", "Connection reset by peer");
        assertThat(Files.readString(head.log()))
                .contains("service licence cannot be reached for job " + down + " of ann on node " + node());

        assertThat(heard).containsExactly("ann-late", "ann-late");
        assertThat(Processes.ofInstances(folder))
                .noneMatch(pid -> Processes.commandLine(pid).contains("forward.program"));
    }
}
