package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.spillway.api.ApiException;
import org.spillway.api.NodeLogsView;
import org.spillway.head.rest.NodeLogsApi;

/** The words of a dead node, as an administrator reads them. */
final class NodeLogsCommandTest extends AskedHead {
    private static final Instant NOON = Instant.parse("2026-11-27T12:00:00Z");
    private final List<String> asked = new ArrayList<>();

    @BeforeEach
    void serve() {
        HEAD.nodeLogs = (node, boot, sources) -> {
            asked.add(node + " " + boot + " " + sources);
            if (!node.equals("n17")) {
                throw new ApiException(
                        ApiException.Code.NOT_FOUND, "nothing is kept of what node '" + node + "' said", "");
            }
            return new NodeLogsView(
                    node,
                    List.of(
                            new NodeLogsView.BootView(1, "00112233445566aa", NOON, NOON.plusSeconds(60), 40),
                            new NodeLogsView.BootView(
                                    2, "99112233445566bb", NOON.plusSeconds(90), NOON.plusSeconds(180), 90)),
                    2,
                    List.of(
                            new NodeLogsView.SourceView("console", 0, 15, "Kernel panic\u001b[2J\r\n"),
                            new NodeLogsView.SourceView("kernel", 100, 121, "NVRM: Xid 79\tGPU gone")));
        };
    }

    @AfterEach
    void forget() {
        HEAD.nodeLogs = NodeLogsApi.NONE;
    }

    private int logs(String... words) {
        List<String> all = new ArrayList<>(List.of("node", "logs", "--socket", socket.toString()));
        all.addAll(List.of(words));
        return run(all.toArray(String[]::new));
    }

    @Test
    void itsLogsAreAPageThatSteersNoTerminal() {
        assertThat(logs("n17")).isZero();
        golden("node-logs.txt", out.toString());
        assertThat(asked).containsExactly("n17 0 []");
    }

    @Test
    void aBootAndASourceAreAskedForAndProgramsGetJson() {
        assertThat(logs("n17", "--boot", "1", "--source", "kernel", "--json")).isZero();
        assertThat(asked).containsExactly("n17 1 [kernel]");
        assertThat(out.toString()).contains("\"source\" : \"kernel\"").contains("NVRM: Xid 79\\tGPU gone");
    }

    @Test
    void whatIsWrongIsSaid() {
        assertThat(logs("n17", "--source", "syslog")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains("allowed: console, kernel, agent, manager, health");
        assertThat(logs("n17", "--boot", "-1")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(logs("../etc")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(asked).isEmpty();
        assertThat(logs("n18")).isEqualTo(CliFailure.FAILED);
        assertThat(err.toString()).contains("nothing is kept of what node 'n18' said");
    }

    @Test
    void helpTeachesWithAnExample() {
        assertThat(run("node", "logs", "--help")).isZero();
        golden("help-node-logs.txt", out.toString());
    }
}
