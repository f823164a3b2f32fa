package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Forwards;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.head.forward.HomeForward;
import org.spillway.head.forward.HomeForwards;
import org.spillway.head.forward.RunningJob;
import org.spillway.head.link.DirectorTarget;

/** ADR 77: jobs on a node reach a server at home by its name, those of the group and no others. */
@Tag("processes")
final class NodeForwardTest extends OnNodes {
    private static final int BOB = TestNodes.UID + 1;
    private static final DirectorTarget DIRECTOR = new DirectorTarget("site", "d", "i", "127.0.0.1", 22, "127.0.0.1");

    /** Asks a server by its name: says a word, waits for a file where one is named, says its end, and tells the answer. */
    private static final String ASKS = """
            cat >ask <<'END'
            use Socket; my ($host, $port, $word, $file) = @ARGV;
            my $address = inet_aton $host or do { print "no such host\\n"; exit };
            socket my $s, PF_INET, SOCK_STREAM, 0; connect $s, pack_sockaddr_in $port, $address or do { print "$!\\n"; exit };
            syswrite $s, $word or do { print "$!\\n"; exit };
            if ($file) { open my $up, '>', 'up'; close $up; select undef, undef, undef, 0.1 until -e $file; syswrite $s, '-late' }
            shutdown $s, 1; my $all = '';
            while (1) { my $count = sysread $s, $all, 65536, length $all; last if defined $count && !$count; $count or do { print "$!\\n"; exit } }
            print "$all\\n";
            END
            """;

    private PlayedLink link;
    private ServerSocket server;
    private HomeForwards home;
    private final Map<String, RunningJob> jobs = new ConcurrentHashMap<>();
    private final Set<String> heard = ConcurrentHashMap.newKeySet();

    @BeforeEach
    void home() throws Exception {
        assumeTrue(TestNodes.ROOT, "rooms are for root: not looked at");
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
        int down;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            down = free.getLocalPort();
        }
        site.addUser("bob", BOB);
        site.addGroup("cad", 59_900, "ann");
        site.untilDirectoryIsThere();
        HomeForward licence = service("licence", server.getLocalPort(), 27_000);
        HomeForward away = service("away", down, 27_001);
        site.forwards = new Forwards(List.of(licence.told(), away.told()));
        link = new PlayedLink(site);
        home = new HomeForwards(
                        any -> Optional.of(DIRECTOR),
                        link,
                        new HomeForwards.Jobs() {
                            @Override
                            public boolean anyOf(String any) {
                                return true;
                            }

                            @Override
                            public Optional<RunningJob> running(String id) {
                                return Optional.ofNullable(jobs.get(id));
                            }
                        },
                        Map.of("site", List.of(licence, away)))
                .begin();
    }

    private static HomeForward service(String name, int to, int port) {
        return new HomeForward(
                name,
                "127.0.0.1",
                List.of(to),
                "licence.example.org",
                List.of(port),
                List.of("cad"),
                HomeForward.Bounds.USUAL);
    }

    private void serve() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
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
    void close() throws IOException {
        if (home != null) {
            home.close();
            server.close();
        }
    }

    /** The director hears of an order, and the head knows that job. */
    private void order(String job, TestInstance instance, String user, int uid, String script) {
        var draft = new OrderDraft(job, "n-" + instance.id, uid, ASKS + script);
        draft.user = user;
        jobs.put(
                job,
                new RunningJob(
                        "site", 1, List.of("n-" + instance.id), user, user.equals("ann") ? List.of("cad") : List.of()));
        site.jobs.put(job, draft.order());
    }

    private String ended(String job, TestInstance instance) throws Exception {
        var report = site.untilPhase(job, Phase.ENDED);
        assertThat(report.exitCode()).as(report.message() + instance.console()).isZero();
        return nodes.stdout(job, instance);
    }

    private TestInstance ready(String id) throws Exception {
        TestInstance instance = nodes.ready(id);
        var check = site.sync().nodes().stream()
                .filter(node -> node.node().equals("n-" + instance.id))
                .flatMap(node -> node.gate().stream())
                .filter(each -> each.name().equals("forwards"))
                .findFirst()
                .orElseThrow();
        assumeTrue(!check.detail().contains("jobs here have no names"), check.detail());
        assertThat(check.detail()).isEqualTo("licence licence.example.org, away licence.example.org");
        assertThat(check.passed()).isTrue();
        return instance;
    }

    @Test
    void aMemberOfTheGroupIsAnsweredAndAnotherUserIsNot() throws Exception {
        TestInstance instance = ready("who");
        order("a", instance, "ann", TestNodes.UID, "perl ask licence.example.org 27000 ann\n");
        order("b", instance, "bob", BOB, "perl ask licence.example.org 27000 bob\n");
        assertThat(ended("a", instance)).as(instance.console()).isEqualTo("a licence for ann\n");
        assertThat(ended("b", instance)).isEqualTo("Connection reset by peer\n");
        assertThat(heard).containsExactly("ann");
        assertThat(instance.console())
                .contains("job b: a connection to licence (licence.example.org) is refused: user bob is in none of its"
                        + " groups (cad)");
        // With the job goes what listened for it.
        TestNodes.await("nothing is left", () -> !TestNodes.runs(instance.id + "/spillway/jobs/a.1/forward.program"));
        TestNodes.await("nothing is left", () -> !TestNodes.runs(instance.id + "/spillway/jobs/b.1/forward.program"));
    }

    /** The head trusts neither node nor director: what they let pass it judges by its own directory. */
    @Test
    void theHeadJudgesForItself() throws Exception {
        TestInstance instance = ready("head");
        order("a", instance, "ann", TestNodes.UID, "perl ask licence.example.org 27000 ann\n");
        jobs.put("a", new RunningJob("site", 1, List.of("n-" + instance.id), "ann", List.of("users")));
        assertThat(ended("a", instance)).isEqualTo("Connection reset by peer\n");
        assertThat(heard).isEmpty();
        assertThat(instance.console()).contains("is refused: user ann is in none of its groups (cad)");
    }

    @Test
    void aServiceThatIsDownIsRefusedAtOnceAndSaid() throws Exception {
        TestInstance instance = ready("down");
        order("a", instance, "ann", TestNodes.UID, "perl ask licence.example.org 27001 ann\n");
        assertThat(ended("a", instance)).isEqualTo("Connection reset by peer\n");
        assertThat(instance.console())
                .containsPattern(
                        "job a: a connection to away \\(licence.example.org\\) is refused: 127.0.0.1:\\d+: Connection refused");
    }

    /** Whoever learns the address that another's job was told is not its user, whatever group they are in. */
    @Test
    void theAddressOfAnothersJobIsOfNoUse() throws Exception {
        TestInstance instance = ready("whose");
        order("a", instance, "ann", TestNodes.UID, """
                perl ask licence.example.org 27000 ann go
                """);
        site.untilPhase("a", Phase.RUNNING);
        Path place = instance.disk.resolve("work/a.1");
        TestNodes.await("it is up", () -> Files.exists(place.resolve("up")));
        String address = Files.readString(instance.disk.resolve("spillway/jobs/a.1/forwards"))
                .split(" ", -1)[0];
        assertThat(address).startsWith("127.");
        order("b", instance, "bob", BOB, "perl ask " + address + " 27000 bob\n");
        assertThat(ended("b", instance)).isEqualTo("Connection reset by peer\n");
        assertThat(instance.console()).contains("is refused: it is of uid " + BOB + ", and not of the job's user");
        Files.createFile(place.resolve("go"));
        assertThat(ended("a", instance)).isEqualTo("a licence for ann-late\n");
        assertThat(heard).containsExactly("ann-late");
    }

    @Test
    void aCutOfTheLinkAndAnotherDirectorLoseNothing() throws Exception {
        TestInstance instance = ready("cut");
        order("a", instance, "ann", TestNodes.UID, """
                perl ask licence.example.org 27000 ann go
                """);
        site.untilPhase("a", Phase.RUNNING);
        Path place = instance.disk.resolve("work/a.1");
        TestNodes.await("it is up", () -> Files.exists(place.resolve("up")));
        TestNodes.await("it stands", () -> home.connections("site") == 1);
        link.cut();
        Files.createFile(place.resolve("go"));
        site.restartDirector();
        link.mend();
        assertThat(ended("a", instance)).as(instance.console()).isEqualTo("a licence for ann-late\n");
        assertThat(heard).containsExactly("ann-late");
    }
}
