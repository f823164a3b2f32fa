package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.NodeState;

/**
 * Directors and nodes whose clocks are set by an hour, each in its own direction, while a job runs and the next one's input
 * and node are on their way; then others that begin with such a clock. The head's own clock is {@link BadLuckTest}'s.
 */
@Tag("processes")
@Tag("long")
@Timeout(900)
final class ClocksOffTest {
    /** Each process of an instance has the clock of its type. */
    private static final String MACHINE = """
            #!/bin/sh
            shift
            export LD_PRELOAD=%s MACHINE_CLOCK=%s
            exec "$@"
            """;

    @TempDir
    Path given;

    private Path folder = Path.of("");
    private int jobs;

    private HeadFixture head(OddClock directors, OddClock nodes) throws IOException {
        HeadFixture head = new HeadFixture(folder);
        Path config = folder.resolve("spillway.yaml");
        Files.writeString(
                config,
                "lease: 60s\n" + Files.readString(config).replace("director: { type: small", "director: { type: lead"));
        Files.writeString(folder.resolve("cloud.yaml"), """
                types:
                  - { name: small, cpus: 2, memoryGiB: 4, pricePerHour: 0.20, bootSeconds: 0.1, machine: %s }
                  - { name: lead, cpus: 2, memoryGiB: 4, pricePerHour: 0.40, bootSeconds: 0.1, machine: %s }
                """.formatted(machine(nodes), machine(directors)));
        return head;
    }

    private Path machine(OddClock clock) throws IOException {
        Path script = folder.resolve("machine-" + clock.seconds().getFileName());
        Files.writeString(script, MACHINE.formatted(clock.library(), clock.seconds()));
        assertThat(script.toFile().setExecutable(true, false)).isTrue();
        return script;
    }

    private JobPair begin(HeadFixture head) throws IOException {
        return JobPair.begin(head, "/jobs", Integer.toString(++jobs));
    }

    @Test
    @Tag("luck")
    void directorsAndNodesAnHourOffInOppositeDirections() throws Exception {
        assumeTrue(Boolean.getBoolean("spillway.luck.all"), "takes minutes: -Dspillway.luck.all=true runs it");
        folder = given.toRealPath();
        OddClock directors = OddClock.make(folder, "directors");
        OddClock nodes = OddClock.make(folder, "nodes");
        try (HeadFixture head = head(directors, nodes)) {
            head.start();
            for (long hour : List.of(3600L, -3600L)) {
                JobPair pair = begin(head);
                directors.set(hour);
                nodes.set(-hour);
                pair.check("director set by " + hour + ", nodes by the other");

                JobPair anew = begin(head);
                long director = director();
                assertThat(Processes.commandLine(director)).contains("DirectorMain");
                Processes.kill(director);
                anew.check("the director begins at " + hour);
                ends(head);
                begin(head).check("nodes begin at " + -hour);
            }
            assertThat(head.log()).content().doesNotContain("not heard from for longer");
            assertThat(head.nodes())
                    .as(head.tail())
                    .allSatisfy(node -> assertThat(node.state()).isNotIn(NodeState.FAILED, NodeState.UNREACHABLE));
        }
    }

    private long director() {
        long[] found = new long[1];
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> {
                    found[0] = Processes.ofInstances(folder).stream()
                            .filter(pid -> Processes.commandLine(pid).contains("DirectorMain"))
                            .findFirst()
                            .orElse(0L);
                    return found[0] != 0;
                }))
                .isTrue();
        return found[0];
    }

    /** The nodes go, so that the next jobs have new ones. */
    private static void ends(HeadFixture head) {
        head.nodes().stream()
                .filter(node -> node.role().equals("node") && node.state() == NodeState.READY)
                .forEach(node -> head.command("node", "remove", node.id()));
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE,
                        () -> head.cloud().live().stream()
                                .noneMatch(one -> one.role().equals("NODE"))))
                .as(head.tail() + head.cloud().live())
                .isTrue();
    }
}
