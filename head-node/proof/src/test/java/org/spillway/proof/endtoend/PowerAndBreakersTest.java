package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;

/** A node that is stopped when it is idle and started for the next job; and what does not boot is not bought for ever. */
@Tag("processes")
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class PowerAndBreakersTest {
    private static final String CONFIG = """
            cluster: e2e
            state: ./state
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { name: base, tree: ./image }
            queues: { east: { sites: [east], maxWalltime: 10m, default: true } }
            scaler: { tick: 1s, settings: { idleTime: 1s } }
            breakers: { bootFailures: 1 }
            sites:
              east:
                driver: local
                maxNodes: 2
                idle: stop
                registration: 90s
                director: { type: small, idle: 10m }
                options: { state: '%s', config: '%s', consistencySeconds: '1' }
            """;
    /** No budget has room for spot nodes, which are not stopped. */
    private static final String CLOUD = """
            zones: [a]
            types:
              - { name: small, cpus: 2, memoryGiB: 4, pricePerHour: 0.20, spotPricePerHour: 9000, bootSeconds: 0.1 }
              - { name: dud, cpus: 4, memoryGiB: 8, pricePerHour: 0.40, spotPricePerHour: 9000, bootSeconds: 0.1 }
            """;

    @TempDir
    static Path folder;

    private static HeadFixture head;

    @BeforeAll
    static void start() throws IOException {
        head = new HeadFixture(folder);
        Path real = head.folder();
        Files.writeString(real.resolve("cloud.yaml"), CLOUD);
        Files.writeString(
                real.resolve("spillway.yaml"), CONFIG.formatted(real.resolve("cloud"), real.resolve("cloud.yaml")));
        head.start();
    }

    @AfterAll
    static void end() throws IOException {
        if (head != null) {
            head.close();
        }
    }

    private static String submit(int cpus) {
        return head.submit(HeadFixture.sized("east", "#!/bin/sh\nexit 0\n", cpus, "", List.of()));
    }

    private static void done(String job) {
        assertThat(head.awaitEnd(job).job().state()).as(head.tail()).isEqualTo(JobState.DONE);
    }

    private static List<NodeView> nodes() {
        return head.nodes().stream().filter(node -> node.role().equals("node")).toList();
    }

    private static boolean isStopped(NodeView node) {
        return node.state() == NodeState.STOPPED
                && head.cloud().machines().stream()
                        .anyMatch(machine -> machine.id().equals(node.instance())
                                && machine.state().equals("STOPPED"));
    }

    @Test
    @Order(1)
    void anIdleNodeIsStoppedAndTheNextJobRunsOnTheSameMachine() throws IOException {
        done(submit(1));
        NodeView before = nodes().getFirst();
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> isStopped(nodes().getFirst())))
                .as(head.tail())
                .isTrue();
        head.kill();
        head.start();
        assertThat(nodes().getFirst().state()).as("as the journal has it").isEqualTo(NodeState.STOPPED);
        done(submit(1));
        assertThat(nodes())
                .as("nothing else was bought")
                .singleElement()
                .satisfies(node -> assertThat(node.instance()).isEqualTo(before.instance()));
        assertThat(head.cloud().machines())
                .filteredOn(machine -> machine.id().equals(before.instance()))
                .hasSize(1);
    }

    @Test
    @Order(2)
    void aTrippedBreakerSaysWhySinceWhenAndHowToCloseItAndIsClosedForGood() throws IOException {
        head.cloud().fault("{\"kind\":\"mute\",\"type\":\"dud\",\"count\":1}");
        String job = submit(3);
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE.multipliedBy(2),
                        () -> head.command("breaker", "list").contains("OPEN")))
                .as(head.tail())
                .isTrue();
        String open = head.command("breaker", "list");
        String name = open.lines()
                .flatMap(line -> List.of(line.split("\\s+")).stream())
                .filter(word -> word.startsWith("pool:") && word.contains("/dud/"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(open));
        assertThat(open).contains("did not come up").contains("spillway breaker close " + name);
        head.kill();
        head.start();
        assertThat(head.command("breaker", "list"))
                .as("why and since when, too")
                .isEqualTo(open);
        assertThat(head.command("breaker", "close", name)).contains("closed by ");
        done(job);
        String closed = head.command("breaker", "list");
        assertThat(closed).contains("closed by ").doesNotContain("OPEN");
        head.kill();
        head.start();
        assertThat(head.command("breaker", "list")).isEqualTo(closed);
    }
}
