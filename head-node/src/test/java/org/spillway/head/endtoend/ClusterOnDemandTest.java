package org.spillway.head.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.head.cli.CliFailure;
import org.spillway.head.cli.HeadClient;
import org.spillway.head.lifecycle.JobState;
import org.spillway.head.rest.ClusterOrder;
import org.spillway.head.rest.ClusterView;
import org.spillway.head.rest.JobDetail;
import org.spillway.head.rest.Submitted;
import org.spillway.policy.Money;

/** Clusters on demand on the local cloud: whole processes, with their own state and addresses. */
@Timeout(600)
final class ClusterOnDemandTest {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int MOST_LIVES = 60;

    @TempDir
    Path folder;

    private static ClusterOrder order(String name, long ttlSeconds, String budget) {
        return new ClusterOrder(name, "east", 1, 0, "", ttlSeconds, Money.parse(budget), List.of());
    }

    private static ClusterView view(HeadFixture head, String name) {
        return head.client().get("/clusters/" + name, ClusterView.class);
    }

    /** What its site offers is known a moment after a head's start: on a busy machine that takes its time. */
    private static void create(HeadFixture head, ClusterOrder order) {
        assertThat(Processes.eventually(PATIENCE, () -> {
                    try {
                        head.client().post("/clusters", order);
                        return true;
                    } catch (CliFailure notYet) {
                        assertThat(notYet).hasMessageContaining("not known");
                        return false;
                    }
                }))
                .isTrue();
    }

    private static ClusterView await(HeadFixture head, String name, String state) {
        Processes.eventually(PATIENCE, () -> {
            var now = view(head, name);
            return now.state().equals(state) || now.isOver();
        });
        var end = view(head, name);
        assertThat(end.state()).as(end + "; " + head.tail()).isEqualTo(state);
        return end;
    }

    private static void nothingIsLeft(HeadFixture head) {
        assertThat(head.cloud().live()).as(head.tail()).isEmpty();
    }

    @Test
    void isMadeUsedAndDeletedAndLeavesNothing() throws IOException {
        try (var head = new HeadFixture(folder).start()) {
            refusesNonsense(head);
            create(head, order("demo1", 3600, "5"));
            var made = await(head, "demo1", "RUNNING");
            assertThat(made.stages().stream().map(ClusterView.StageView::stage))
                    .containsExactly("head-instance", "head-install", "head-start", "nodes", "ready");
            assertThat(made.stages()).allMatch(stage -> stage.endedAt() != null);
            assertThatThrownBy(() -> head.client().post("/clusters", order("demo1", 3600, "5")))
                    .isInstanceOf(CliFailure.class)
                    .hasMessageContaining("already");
            Path result = folder.resolve("result.txt");
            var job = HeadClient.read(
                    head.client()
                            .post(
                                    "/clusters/demo1/head/jobs",
                                    UUID.randomUUID().toString(),
                                    HeadFixture.submission(
                                            "#!/bin/sh\necho hello >out.txt\n", "", Map.of("out.txt", result))),
                    Submitted.class);
            String path = "/clusters/demo1/head/jobs/" + job.id();
            Processes.eventually(
                    PATIENCE,
                    () -> head.client().get(path, JobDetail.class).job().state().isTerminal());
            assertThat(head.client().get(path, JobDetail.class).job().state()).isEqualTo(JobState.DONE);
            assertThat(result).hasContent("hello\n");
            head.client().post("/clusters/demo1/delete");
            var gone = await(head, "demo1", "DELETED");
            assertThat(gone.spent().isMoreThan(Money.ZERO)).isTrue();
            nothingIsLeft(head);
            Redaction.check(head);
        }
    }

    private static void refusesNonsense(HeadFixture head) {
        for (var wrong : List.of(
                new ClusterOrder("x", "nowhere", 1, 0, "", 3600, Money.parse("5"), List.of()),
                new ClusterOrder("x", "east", 100, 0, "", 3600, Money.parse("5"), List.of()),
                new ClusterOrder("x", "east", 1, 8, "", 3600, Money.parse("5"), List.of()),
                new ClusterOrder("x", "east", 1, 0, "", 1, Money.parse("5"), List.of()),
                new ClusterOrder("x", "east", 1, 0, "", 3600, Money.ZERO, List.of()),
                new ClusterOrder("x", "east", 1, 0, "", 3600, Money.parse("5000"), List.of()),
                new ClusterOrder("x", "east", 1, 0, "", 3600, Money.parse("5"), List.of("nobody-of-that-name")))) {
            assertThatThrownBy(() -> head.client().post("/clusters", wrong))
                    .as(wrong.toString())
                    .isInstanceOf(CliFailure.class);
        }
        assertThat(head.client().list("/clusters", "clusters", ClusterView.class))
                .isEmpty();
    }

    @Test
    void endsByItselfWhenItsTimeIsOver() throws IOException {
        try (var head = new HeadFixture(folder).start()) {
            create(head, order("short", 30, "5"));
            var gone = await(head, "short", "DELETED");
            assertThat(gone.reason()).isEqualTo("its time is over");
            nothingIsLeft(head);
        }
    }

    /** Killed after the first write of each kind: at each stage, and between its calls. */
    @Test
    void survivesAParentThatIsKilledAtEveryStage() throws Exception {
        try (var head = new HeadFixture(folder)) {
            String config = head.folder().resolve("spillway.yaml").toString();
            Path crashes = head.folder().resolve("crashes");
            boolean ran = false;
            boolean gone = false;
            String name = "kill" + UUID.randomUUID().toString().substring(0, 4);
            int lives = 0;
            while (!gone && lives < MOST_LIVES) {
                lives++;
                Process life = head.begin(CrashingHead.class.getName(), config, crashes.toString(), "AFTER");
                while (life.isAlive() && !gone) {
                    try {
                        var all = head.client().list("/clusters", "clusters", ClusterView.class);
                        if (all.isEmpty()) {
                            head.client().post("/clusters", order(name, 3600, "5"));
                        } else {
                            assertThat(all).hasSize(1);
                            var state = all.getFirst().state();
                            assertThat(state).as(all.toString()).isNotEqualTo("FAILED");
                            if (state.equals("RUNNING")) {
                                ran = true;
                                head.client().post("/clusters/" + name + "/delete");
                            }
                            gone = state.equals("DELETED");
                        }
                    } catch (CliFailure notYetOrNotAnyMore) {
                        // It comes up, or it has just been killed.
                        continue;
                    } finally {
                        life.waitFor(50, TimeUnit.MILLISECONDS);
                    }
                }
            }
            List<String> kinds = Files.readAllLines(crashes);
            System.out.println(lives + " lives: " + kinds);
            assertThat(gone).as("lives " + lives + ", " + kinds + head.tail()).isTrue();
            assertThat(ran).isTrue();
            assertThat(kinds.toString())
                    .contains(
                            "REQUESTED>CREATING head-instance",
                            "head-instance>CREATING head-install",
                            "head-install>CREATING head-start",
                            "head-start>CREATING nodes",
                            "nodes>CREATING ready",
                            "ready>RUNNING",
                            "RUNNING>DELETING",
                            "DELETING>DELETED");
            nothingIsLeft(head);
        }
    }
}
