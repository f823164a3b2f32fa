package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.LogView;
import org.spillway.api.NodeView;

/**
 * A spot machine is taken back in the middle of a job, with notice in its provider's own form: the job goes on elsewhere from
 * where it was.
 */
@Tag("processes")
@Timeout(600)
final class SpotNoticeTest {
    private static final String CONFIG = """
            cluster: noticed
            state: ./state
            currency: USD
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { name: base, tree: ./image }
            queues: { east: { sites: [good], maxWalltime: 10m, default: true, markets: [spot] } }
            scaler: { tick: 1s, settings: { idleTime: 10m } }
            sites:
              good: { maxNodes: 2, %s }
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
    Path given;

    private interface Opening {
        Account in(Path folder) throws Exception;
    }

    @Test
    void ofTheLocalCloud() throws Exception {
        theJobGoesOnElsewhere(Account::local);
    }

    @Test
    void byInstanceMetadataOfAmazon() throws Exception {
        theJobGoesOnElsewhere(Account::ec2);
    }

    @Test
    void byScheduledEventsOfAzure() throws Exception {
        theJobGoesOnElsewhere(Account::arm);
    }

    private static NodeView node(HeadFixture head, String id) {
        return head.nodes().stream()
                .filter(node -> node.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static boolean began(HeadFixture head, String job) {
        String printed = head.client()
                .get("/jobs/" + job + "/log?stream=stdout&rank=0&after=0", LogView.class)
                .text();
        return printed.contains("began");
    }

    private void theJobGoesOnElsewhere(Opening opening) throws Exception {
        Path folder = given.toRealPath();
        try (Account account = opening.in(folder);
                HeadFixture head = HeadFixture.complete(folder)) {
            Files.writeString(
                    folder.resolve("spillway.yaml"),
                    CONFIG.formatted(account.sites().get("good")));
            head.start();
            Path step = folder.resolve("step");
            String job = head.submit(HeadFixture.submission(SCRIPT, "", Map.of("results/step", step)));
            head.await(job, view -> view.state() == JobState.RUNNING);
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> began(head, job)))
                    .as(head.tail())
                    .isTrue();
            String taken = head.job(job).job().nodes().getFirst();
            account.cloud().fault(Map.of("kind", "spot-notice", "seconds", 60));

            JobDetail done = head.awaitEnd(job);
            assertThat(done.job().state()).as(head.tail()).isEqualTo(JobState.DONE);
            assertThat(done.job().attempt()).isEqualTo(2);
            assertThat(done.job().nodes()).doesNotContain(taken);
            assertThat(Files.readString(step)).isEqualTo("42\n");
            assertThat(done.timeline())
                    .extracting(JobDetail.Moment::reason)
                    .contains("its node " + taken
                            + " was taken back by its provider; what it had left is there for its next attempt");
            assertThat(done.warnings()).anyMatch(warning -> warning.startsWith("TAKEN_BACK: 1 attempt "));
            assertThat(Processes.eventually(
                            HeadFixture.PATIENCE,
                            () -> node(head, taken).state().isTerminal()))
                    .as(head.tail())
                    .isTrue();
            assertThat(node(head, taken).cause().code()).isEqualTo("RECLAIMED");
        }
    }
}
