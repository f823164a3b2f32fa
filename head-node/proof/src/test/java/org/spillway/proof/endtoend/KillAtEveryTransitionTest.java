package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.api.SpendView;
import org.spillway.cli.CliFailure;
import org.spillway.policy.Money;

/**
 * A head that dies by SIGKILL at journalled transitions, {@link Kills} says at how many, and is started again each time
 * until its job is done: in one cluster just after a kind of write, in another just before one that remembers what was
 * done to the world.
 */
@Tag("processes")
@Timeout(900)
final class KillAtEveryTransitionTest {
    private static final int MOST_LIVES = 120;
    private static final Duration BOUND = Duration.ofMinutes(10);

    @TempDir
    Path folder;

    @Test
    void theJobIsDoneOnceAndNothingIsLeft() throws Exception {
        // Side by side, since a life mostly waits.
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> runs = new ArrayList<>();
            for (CrashingStore.Moment moment : CrashingStore.Moment.values()) {
                Path own = Files.createDirectory(folder.resolve(moment.name()));
                runs.add(threads.submit(() -> new Lives(own, moment).run()));
            }
            for (Future<String> run : runs) {
                System.out.println(run.get());
            }
        }
    }

    /** A cluster and its heads. */
    private static final class Lives {
        private final Path folder;
        private final CrashingStore.Moment moment;
        private final String key = UUID.randomUUID().toString();
        private String job = "";
        private String published = "";
        private int lives;

        private List<String> places() {
            return switch (moment) {
                case BEFORE -> Kills.of("launch >Launched", "job RUNNING>STAGING_OUT", "job STAGING_OUT>DONE");
                case AFTER ->
                    Kills.of(
                            "job >SUBMITTED",
                            "node REQUESTED>LAUNCHING",
                            "director PROVISIONING>JOINING",
                            "job QUEUED>RUNNING");
            };
        }

        /** Places at which all lives together must have been killed. */
        private List<String> expected() {
            if (!Kills.EVERY) {
                return places();
            }
            List<String> all = new ArrayList<>(List.of(
                    "launch >Launched",
                    "director PROVISIONING>JOINING",
                    "node in BOOTING certified",
                    "job STAGING_IN>QUEUED",
                    "job RUNNING>STAGING_OUT",
                    "job STAGING_OUT>DONE"));
            if (moment == CrashingStore.Moment.AFTER) {
                all.addAll(List.of(
                        "job >SUBMITTED",
                        "job SUBMITTED>STAGING_IN",
                        "job QUEUED>RUNNING",
                        "director REQUESTED>LAUNCHING",
                        "node REQUESTED>LAUNCHING",
                        "JOINING>READY"));
            }
            return all;
        }

        Lives(Path folder, CrashingStore.Moment moment) {
            this.folder = folder;
            this.moment = moment;
        }

        private static Path result(HeadFixture head) {
            return head.folder().resolve("result.txt");
        }

        /** @return what to print */
        String run() throws Exception {
            try (var head = new HeadFixture(folder)) {
                Path input = Files.writeString(head.folder().resolve("in.txt"), "hello\n");
                var submission = HeadFixture.submission(
                        "#!/bin/sh\necho run >>" + head.folder().resolve("runs") + "\ntr a-z A-Z <in.txt >out.txt\n",
                        input.toString(),
                        Map.of("out.txt", result(head)));
                long end = System.nanoTime() + BOUND.toNanos();
                boolean done = false;
                while (!done && lives < MOST_LIVES && System.nanoTime() - end < 0) {
                    lives++;
                    List<String> arguments = new ArrayList<>(List.of(
                            head.folder().resolve("spillway.yaml").toString(),
                            head.folder().resolve("crashes").toString(),
                            moment.name()));
                    arguments.addAll(places());
                    Process life = head.begin(CrashingHead.class.getName(), arguments.toArray(new String[0]));
                    done = live(head, life, submission, end);
                    checkInstances(head);
                }
                List<String> crashes = Files.readAllLines(head.folder().resolve("crashes"));
                assertThat(done)
                        .as("killed %s the write, %s lives, %s; the log: %s", moment, lives, crashes, head.tail())
                        .isTrue();
                assertThat(crashes.toString()).contains(expected());
                String instances = checkEnd(head);
                return "killed " + crashes.size() + " times " + moment + " a write, " + lives + " lives, " + instances;
            }
        }

        /** Until the process dies, or its job is done. */
        private boolean live(HeadFixture head, Process life, JobSubmission submission, long end) throws Exception {
            while (life.isAlive() && System.nanoTime() - end < 0) {
                look(head);
                try {
                    if (job.isEmpty()) {
                        job = head.submit(submission, key);
                    } else if (head.job(job).job().state().isTerminal()) {
                        head.kill();
                        return true;
                    }
                } catch (CliFailure notYetOrNotAnyMore) {
                    // The head comes up, or it has just been killed.
                    continue;
                } finally {
                    life.waitFor(50, TimeUnit.MILLISECONDS);
                }
            }
            if (life.isAlive()) {
                head.kill();
            } else {
                assertThat(life.exitValue()).as(head.tail()).isEqualTo(128 + 9);
            }
            return false;
        }

        /** A published result is never touched again. */
        private void look(HeadFixture head) throws IOException {
            if (Files.exists(result(head))) {
                var facts = Files.readAttributes(result(head), BasicFileAttributes.class);
                String now = facts.fileKey() + " " + facts.lastModifiedTime();
                published = published.isEmpty() ? now : published;
                assertThat(now).isEqualTo(published);
            }
        }

        private static void checkInstances(HeadFixture head) {
            if (head.cloud().exists()) {
                var perIntent = head.cloud().machines().stream()
                        .collect(Collectors.groupingBy(LocalCloudAdmin.Machine::intent, Collectors.counting()));
                assertThat(perIntent.values()).as(perIntent.toString()).allMatch(count -> count == 1);
            }
        }

        private String checkEnd(HeadFixture head) throws IOException {
            head.start();
            JobView end = head.awaitEnd(job).job();
            assertThat(end.state()).as(end.toString()).isEqualTo(JobState.DONE);
            assertThat(result(head)).hasContent("HELLO\n");
            look(head);
            assertThat(head.client().list("/jobs?ended=true", "jobs", JobView.class))
                    .hasSize(1);
            assertThat(Files.readAllLines(head.folder().resolve("runs"))).hasSizeLessThanOrEqualTo(end.attempt());
            SpendView spend = head.client().get("/spend", SpendView.class);
            assertThat(Money.ZERO.isMoreThan(spend.left())).as(spend.toString()).isFalse();
            MainScenario.release(head);
            var roles = head.cloud().machines().stream()
                    .map(LocalCloudAdmin.Machine::role)
                    .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
            return end.attempt() + " attempts, instances " + roles;
        }
    }
}
