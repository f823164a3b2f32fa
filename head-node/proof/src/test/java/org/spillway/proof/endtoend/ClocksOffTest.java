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
@Timeout(900)
final class ClocksOffTest {
    /** Each process of an instance has the clock that a file of its type says. */
    private static final String MACHINE = """
            #!/bin/sh
            shift
            export LD_PRELOAD=%s FAKETIME_TIMESTAMP_FILE=%s FAKETIME_CACHE_DURATION=1 FAKETIME_DISABLE_SHM=1
            export FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1
            exec "$@"
            """;

    @TempDir
    Path given;

    private Path folder = Path.of("");
    private int jobs;

    private HeadFixture head() throws IOException {
        folder = given.toRealPath();
        HeadFixture head = new HeadFixture(folder);
        Path config = folder.resolve("spillway.yaml");
        Files.writeString(
                config,
                "lease: 60s\n" + Files.readString(config).replace("director: { type: small", "director: { type: lead"));
        Files.writeString(folder.resolve("cloud.yaml"), """
                types:
                  - { name: small, cpus: 2, memoryGiB: 4, pricePerHour: 0.20, bootSeconds: 0.1, machine: %s }
                  - { name: lead, cpus: 2, memoryGiB: 4, pricePerHour: 0.40, bootSeconds: 0.1, machine: %s }
                """.formatted(machine("nodes"), machine("director")));
        return head;
    }

    private Path machine(String clock) throws IOException {
        Path script = folder.resolve("machine-" + clock);
        Files.writeString(script, MACHINE.formatted(BadLuckTest.FAKETIME, folder.resolve(clock)));
        assertThat(script.toFile().setExecutable(true, false)).isTrue();
        set(clock, "+0");
        return script;
    }

    private void set(String clock, String offset) throws IOException {
        Files.writeString(folder.resolve(clock), offset + "\n");
    }

    private JobPair begin(HeadFixture head) throws IOException {
        return JobPair.begin(head, "/jobs", Integer.toString(++jobs));
    }

    @Test
    void directorsAndNodesAnHourOffInOppositeDirections() throws Exception {
        assumeTrue(Boolean.getBoolean("spillway.luck.all"), "takes minutes: -Dspillway.luck.all=true runs it");
        assumeTrue(Files.exists(BadLuckTest.FAKETIME), "there is no libfaketime here");
        try (HeadFixture head = head()) {
            head.start();
            for (String hour : List.of("+3600", "-3600")) {
                String other = hour.startsWith("+") ? "-3600" : "+3600";
                JobPair pair = begin(head);
                set("director", hour);
                set("nodes", other);
                pair.check("director set by " + hour + ", nodes by " + other);

                JobPair anew = begin(head);
                long director = director();
                assertThat(Processes.commandLine(director)).contains("DirectorMain");
                Processes.kill(director);
                anew.check("the director begins at " + hour);
                ends(head);
                begin(head).check("nodes begin at " + other);
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
