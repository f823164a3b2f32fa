package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.api.RecoveryView;

/** A head that is killed under a job and started on a journal that does not know its past. */
@Tag("processes")
@Timeout(600)
final class RestoredJournalTest {
    @TempDir
    Path folder;

    @Test
    void anEmptyJournalIsRefusedAndAnOlderOneEndsNothing() throws Exception {
        try (var head = new HeadFixture(folder)) {
            head.start();
            Path journal = head.state().resolve("journal.db");
            head.stop();
            Files.copy(journal, folder.resolve("older.db"));
            head.start();
            Path goes = folder.resolve("goes-on");
            String job = head.submit(HeadFixture.sized(
                    "", "#!/bin/sh\nwhile :; do date +%s%N > " + goes + "; sleep 0.2; done\n", 1, "", List.of()));
            head.await(job, one -> one.state() == JobState.RUNNING);
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> Files.exists(goes)))
                    .isTrue();
            var bought = ids(head);
            assertThat(bought).hasSize(2);
            head.kill();

            Files.write(journal, new byte[0]);
            Files.deleteIfExists(head.state().resolve("journal.db-wal"));
            Files.deleteIfExists(head.state().resolve("journal.db-shm"));
            Process refused = head.begin(
                    "org.spillway.cli.Main",
                    "serve",
                    "--config",
                    folder.resolve("spillway.yaml").toString());
            assertThat(refused.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(refused.exitValue()).isEqualTo(2);
            assertThat(head.tail()).contains("is empty or missing").contains("instances may be running");
            assertThat(Files.size(journal)).isZero();
            assertThat(ids(head)).isEqualTo(bought);

            Files.copy(folder.resolve("older.db"), journal, StandardCopyOption.REPLACE_EXISTING);
            head.start();
            assertThat(Processes.eventually(
                            HeadFixture.PATIENCE, () -> unknown(head).machines().size() == 2))
                    .isTrue();
            assertThat(head.command("recover"))
                    .contains("Quarantine")
                    .contains("DIRECTOR")
                    .contains("NODE");
            head.command("recover", "--adopt", "all");
            assertThat(Processes.eventually(
                            HeadFixture.PATIENCE,
                            () -> unknown(head).machines().stream()
                                    .anyMatch(one -> !one.adoptable().isEmpty())))
                    .as("its director, adopted, reports the node")
                    .isTrue();
            head.command("recover", "--adopt", "all", "--release");
            assertThat(unknown(head).quarantined()).isFalse();
            assertThat(unknown(head).machines()).isEmpty();
            assertThat(head.nodes())
                    .extracting(node -> node.role() + " " + node.state())
                    .containsExactlyInAnyOrder("director READY", "node DRAINING");
            String next = head.submit(HeadFixture.submission("true", "", Map.of()));
            assertThat(Long.parseLong(next)).isGreaterThan(Long.parseLong(job));
            assertThat(head.awaitEnd(next).job().state()).isEqualTo(JobState.DONE);
            assertThat(head.log()).content().contains("quarantine");
            assertThat(head.nodes().stream().filter(node -> node.role().equals("director")))
                    .as("the adopted director serves on")
                    .hasSize(1);
            assertThat(ids(head)).as(head.tail()).containsAll(bought);
            String then = Files.readString(goes);
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> {
                        try {
                            return !Files.readString(goes).equals(then);
                        } catch (IOException unread) {
                            return false;
                        }
                    }))
                    .as("the job that the journal does not know runs on")
                    .isTrue();
        }
    }

    private static RecoveryView unknown(HeadFixture head) {
        return head.client().get("/recovery", RecoveryView.class);
    }

    private static List<String> ids(HeadFixture head) {
        return head.cloud().live().stream()
                .map(LocalCloudAdmin.Machine::id)
                .sorted()
                .toList();
    }
}
