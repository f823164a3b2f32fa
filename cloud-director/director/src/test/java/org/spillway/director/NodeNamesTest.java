package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Report.GateCheck;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;

/** Nodes of one job find each other by name, there and back, and the job's machine bears its node's name. */
@Tag("processes")
final class NodeNamesTest extends OnNodes {
    /** Addresses that are this machine's, as all of 127/8 are. */
    private static final List<String> PEERS = List.of("127.79.0.1", "127.79.0.2");

    private static final Path MACHINE = Path.of("/proc/sys/kernel/hostname");

    private static final String HELLO = """
            echo "$SPILLWAY_NAMES"
            uname -n
            for each in $(echo "$SPILLWAY_NAMES" | tr , ' ') rank-0 rank-1 127.79.0.1 127.79.0.2 spillway-director; do
              set -- $(getent hosts "$each") && echo "$each: $*"
            done
            if [ "$SPILLWAY_RANK" = 0 ]; then
              python3 - <<'END'
            import socket
            door = socket.create_server(("rank-0", 7979), reuse_port=True)
            door.settimeout(120)
            peer, address = door.accept()
            peer.sendall(("hello from " + socket.gethostname() + " to " + socket.gethostbyaddr(address[0])[0]).encode())
            END
            else
              python3 - <<'END'
            import socket, time
            for each in range(1200):
                try:
                    peer = socket.create_connection(("rank-0", 7979), 120, ("rank-1", 0))
                    break
                except ConnectionRefusedError:
                    time.sleep(0.1)
            print(peer.recv(1000).decode())
            END
            fi
            """;

    private TestInstance named(String id) throws Exception {
        assumeTrue(TestNodes.ROOT, "rooms are for root: not looked at");
        TestInstance instance = nodes.ready(id);
        GateCheck names = site.sync().nodes().stream()
                .filter(node -> node.node().equals("n-" + instance.id))
                .flatMap(node -> node.gate().stream())
                .filter(check -> check.name().equals("names"))
                .findFirst()
                .orElseThrow();
        assumeTrue(!names.detail().startsWith("jobs have none"), names.detail());
        assertThat(names).isEqualTo(new GateCheck("names", true, "n-" + instance.id + ", spillway-director"));
        return instance;
    }

    @Test
    void aGangSaysHelloByNames() throws Exception {
        assumeTrue(
                new ProcessBuilder("sh", "-c", "command -v python3").start().waitFor() == 0,
                "no python3 to speak by sockets");
        List<String> ids = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            // The first hears of its order before there is one for the second.
            TestInstance instance = named("rank" + rank);
            OrderDraft draft = nodes.draft("g", instance, HELLO);
            draft.rank = rank;
            draft.peers = PEERS;
            site.jobs.put("rank " + rank, draft.order());
            ids.add("n-" + instance.id);
        }
        site.until(
                "both have ended",
                told -> told.jobs().stream()
                                .filter(job -> job.phase() == Phase.ENDED)
                                .count()
                        == 2);
        String first = ids.getFirst();
        String second = ids.getLast();
        String known = first + ": 127.79.0.1 " + first + " rank-0\n" + second + ": 127.79.0.2 " + second + " rank-1\n"
                + "rank-0: 127.79.0.1 " + first + " rank-0\nrank-1: 127.79.0.2 " + second + " rank-1\n"
                + "127.79.0.1: 127.79.0.1 " + first + " rank-0\n127.79.0.2: 127.79.0.2 " + second + " rank-1\n"
                + "spillway-director: " + site.address + " spillway-director\n";
        String names = first + "," + second + "\n";
        assertThat(site.results("g", first)).containsEntry(".spillway/stdout", names + first + "\n" + known);
        assertThat(site.results("g", second))
                .containsEntry(
                        ".spillway/stdout",
                        names + second + "\n" + known + "hello from " + first + " to " + second + "\n");
    }

    @Test
    void aJobOfOneNodeFindsItselfAndTheMachineKeepsItsName() throws Exception {
        String before = Files.readString(MACHINE);
        TestInstance instance = named("one");
        String id = "n-" + instance.id;
        nodes.order(
                "a",
                instance,
                "getent hosts " + id + " | tr -s ' '; uname -n; echo x 2>/dev/null >>/etc/hosts || echo shut\n");
        JobReport ended = site.untilPhase("a", Phase.ENDED);
        assertThat(ended.exitCode()).as(ended.message()).isZero();
        // Also behind the packing of results, which is in a room, too.
        assertThat(Files.readString(MACHINE)).isEqualTo(before);
        assertThat(nodes.stdout("a", instance)).isEqualTo(site.address + " " + id + " rank-0\n" + id + "\nshut\n");
    }
}
