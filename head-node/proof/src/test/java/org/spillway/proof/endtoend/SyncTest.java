package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;

/** Checkpoints of a job that runs come home, also over a head that is killed in the midst of it. */
@Tag("processes")
@Timeout(600)
final class SyncTest {
    /** The last checkpoint is large enough for a head to be killed while it comes. */
    private static final String SCRIPT = """
            #!/bin/sh
            mkdir state
            echo 1 >state/step
            while [ ! -e %1$s/second ]; do sleep 0.1; done
            head -c 64000000 /dev/urandom >state/new
            mv state/new state/large
            echo 2 >state/step
            while [ ! -e %1$s/end ]; do sleep 0.1; done
            echo 3 >state/step
            """;

    @TempDir
    Path given;

    private static boolean has(Path file, String text) {
        try {
            return Files.readString(file).equals(text);
        } catch (IOException notYet) {
            return false;
        }
    }

    private static boolean isOnItsWay(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.anyMatch(file -> file.getFileName().toString().contains("-sync.part"));
        } catch (IOException notYet) {
            return false;
        }
    }

    private static void all(Path folder, Consumer<Stream<Path>> look) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            look.accept(files);
        }
    }

    @Test
    void checkpointsComeHomeWhileTheJobRuns() throws Exception {
        try (HeadFixture head = new HeadFixture(given).start()) {
            Path signs = Files.createDirectories(head.folder().resolve("signs"));
            Path home = Files.createDirectories(head.folder().resolve("home"));
            JobSubmission job = JobSubmission.of(asked -> {
                asked.name = "checkpoints";
                asked.script = SCRIPT.formatted(signs);
                asked.scriptName = "job.sh";
                asked.walltimeSeconds = 300;
                asked.folder = home.toString();
                asked.outputs = List.of(new JobSubmission.Output(
                        "state/**", home.resolve("state").toString(), true, false));
                asked.syncSeconds = 5;
            });
            String id = head.submit(job);
            Path step = home.resolve("state/step");
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> has(step, "1\n")))
                    .as(head.tail())
                    .isTrue();
            assertThat(Processes.eventually(
                            HeadFixture.PATIENCE, () -> head.job(id).sync().lastAt() != null))
                    .as(head.tail())
                    .isTrue();
            JobDetail running = head.job(id);
            assertThat(running.job().state()).isEqualTo(JobState.RUNNING);
            assertThat(running.sync().files()).isEqualTo(1);
            assertThat(running.sync().bytes()).isEqualTo(2);

            Files.writeString(signs.resolve("second"), "");
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> isOnItsWay(home)))
                    .as(head.tail())
                    .isTrue();
            head.kill();
            head.start();
            Path large = home.resolve("state/large");
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> Files.exists(large) && has(step, "2\n")))
                    .as(head.tail())
                    .isTrue();
            assertThat(Files.size(large)).isEqualTo(64_000_000);
            byte[] first = Files.readAllBytes(large);
            assertThat(head.job(id).job().state()).isEqualTo(JobState.RUNNING);
            assertThat(head.job(id).job().attempt()).isEqualTo(1);

            Files.writeString(signs.resolve("end"), "");
            JobDetail done = head.awaitEnd(id);
            assertThat(done.job().state()).as(head.tail()).isEqualTo(JobState.DONE);
            assertThat(step).hasContent("3\n");
            assertThat(Files.readAllBytes(large)).isEqualTo(first);
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> !isOnItsWay(home)))
                    .isTrue();
            all(
                    home,
                    files -> assertThat(files.map(file -> file.getFileName().toString()))
                            .noneMatch(name -> name.contains(".part")));
        }
    }

    private static final String GOES_ON = """
            #!/bin/sh
            mkdir state
            if [ -n "${SPILLWAY_CHECKPOINT:-}" ]; then
              echo $(($(cat "$SPILLWAY_CHECKPOINT/state/step") + 1)) >state/step
              exit 0
            fi
            echo 41 >state/step
            while :; do sleep 0.1; done
            """;

    /** A machine goes without a word, and the head with it. */
    @Test
    void theNextAttemptGoesOnFromWhatHadComeHome() throws Exception {
        try (HeadFixture head = new HeadFixture(given).start()) {
            Path home = Files.createDirectories(head.folder().resolve("home"));
            String id = head.submit(JobSubmission.of(asked -> {
                asked.name = "lost";
                asked.script = GOES_ON;
                asked.scriptName = "job.sh";
                asked.walltimeSeconds = 300;
                asked.folder = home.toString();
                asked.outputs = List.of(new JobSubmission.Output(
                        "state/**", home.resolve("state").toString(), true, false));
                asked.syncSeconds = 5;
            }));
            Path step = home.resolve("state/step");
            assertThat(Processes.eventually(
                            HeadFixture.PATIENCE,
                            () -> has(step, "41\n") && head.job(id).sync().lastAt() != null))
                    .as(head.tail())
                    .isTrue();
            String lost = head.job(id).job().nodes().getFirst();
            String machine = head.nodes().stream()
                    .filter(node -> node.id().equals(lost))
                    .findFirst()
                    .orElseThrow()
                    .instance();
            head.cloud().cutPower(machine);
            head.kill();
            head.start();
            JobDetail done = head.awaitEnd(id);
            assertThat(done.job().state()).as(head.tail()).isEqualTo(JobState.DONE);
            assertThat(done.job().attempt()).isEqualTo(2);
            assertThat(step).hasContent("42\n");
            assertThat(done.data().notices().times()).isZero();
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> isClean(home)))
                    .isTrue();
        }
    }

    private static boolean isClean(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.noneMatch(file -> file.getFileName().toString().contains(".spillway"));
        } catch (IOException changing) {
            return false;
        }
    }
}
