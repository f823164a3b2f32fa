package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.LogView;
import org.spillway.api.NodeView;

/** A spot machine is taken back in the middle of a job, with notice: the job goes on elsewhere from where it was. */
@Tag("processes")
@Timeout(600)
final class SpotNoticeTest {
    private static final String CONFIG = """
            cluster: e2e
            state: ./state
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { name: base, tree: ./image }
            queues: { east: { sites: [east], maxWalltime: 10m, default: true, markets: [spot] } }
            scaler: { tick: 1s, settings: { idleTime: 10m } }
            sites:
              east:
                driver: local
                maxNodes: 2
                director: { type: small, idle: 10m }
                options: { state: '%s', config: '%s', consistencySeconds: '1' }
            """;
    private static final String SCRIPT = """
            #!/bin/sh
            mkdir results
            if [ -n "${SPILLWAY_CHECKPOINT:-}" ]; then
              echo $(($(cat "$SPILLWAY_CHECKPOINT/results/step") + 1)) >results/step
              exit 0
            fi
            trap 'echo 41 >results/step; exit 0' TERM
            echo began
            while :; do sleep 0.1; done
            """;

    @TempDir
    Path folder;

    private HeadFixture head;

    @BeforeEach
    void start() throws IOException {
        head = new HeadFixture(folder);
        Path real = head.folder();
        Files.writeString(
                real.resolve("spillway.yaml"), CONFIG.formatted(real.resolve("cloud"), real.resolve("cloud.yaml")));
        head.start();
    }

    @AfterEach
    void end() throws IOException {
        if (head != null) {
            head.close();
        }
    }

    private NodeView node(String id) {
        return head.nodes().stream()
                .filter(node -> node.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private boolean began(String job) {
        return head.client()
                .get("/jobs/" + job + "/log?stream=stdout&rank=0&after=0", LogView.class)
                .text()
                .contains("began");
    }

    @Test
    void theJobGoesOnElsewhereFromWhereItWas() throws IOException {
        Path step = head.folder().resolve("step");
        String job = head.submit(HeadFixture.submission(SCRIPT, "", Map.of("results/step", step)));
        head.await(job, view -> view.state() == JobState.RUNNING);
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> began(job)))
                .as(head.tail())
                .isTrue();
        String taken = head.job(job).job().nodes().getFirst();
        head.cloud().fault("{\"kind\":\"spot-notice\",\"seconds\":60}");

        JobDetail done = head.awaitEnd(job);
        assertThat(done.job().state()).as(head.tail()).isEqualTo(JobState.DONE);
        assertThat(done.job().attempt()).isEqualTo(2);
        assertThat(done.job().nodes()).doesNotContain(taken);
        assertThat(step).hasContent("42");
        assertThat(done.timeline())
                .extracting(JobDetail.Moment::reason)
                .contains("its node " + taken
                        + " was taken back by its provider; what it had left is there for its next attempt");
        assertThat(done.warnings()).anyMatch(warning -> warning.startsWith("TAKEN_BACK: 1 attempt "));
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> node(taken).state().isTerminal()))
                .as(head.tail())
                .isTrue();
        assertThat(node(taken).reason()).startsWith("its provider takes it back at ");
    }
}
