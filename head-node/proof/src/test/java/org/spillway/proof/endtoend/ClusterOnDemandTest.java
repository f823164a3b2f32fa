package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import org.spillway.api.Submitted;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;
import org.spillway.policy.Money;

/** Clusters on demand on the local cloud: whole processes, with their own state and addresses. */
@Tag("processes")
@Tag("long")
@Timeout(900)
@Execution(ExecutionMode.CONCURRENT)
final class ClusterOnDemandTest {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int MOST_LIVES = 60;
    /** Where a child's head is killed. */
    private static final List<String> CHILD_STAGES = Kills.EVERY
            ? List.of("CREATING head-start", "CREATING nodes", "RUNNING", "STARTING head-start", "STARTING nodes")
            : List.of("CREATING nodes", "STARTING head-start");
    /** Transitions after which a parent is killed, by parts of their names. */
    private static final List<String> PARENT_STAGES = Kills.EVERY
            ? List.of(
                    "REQUESTED>CREATING head-instance",
                    "head-instance>CREATING head-install",
                    "head-install>CREATING head-start",
                    "head-start>CREATING nodes",
                    "nodes>CREATING ready",
                    "ready>RUNNING",
                    "RUNNING>DELETING",
                    "DELETING>DELETED")
            : List.of(
                    "head-instance>CREATING head-install",
                    "delegated CALLED>SETTLED",
                    "nodes>CREATING ready",
                    "RUNNING>DELETING");

    @TempDir
    Path folder;

    private static ClusterOrder order(String name, long ttlSeconds, String budget) {
        return new ClusterOrder(name, "east", 1, 0, "", ttlSeconds, Money.parse(budget), List.of(), "", "", "");
    }

    private static ClusterView view(HeadFixture head, String name) {
        return head.client().get("/clusters/" + name, ClusterView.class);
    }

    /** The site's offerings are known a moment after a head's start: on a busy machine that takes its time. */
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
            runsAJob(head, "demo1", "result.txt");
            scalesAndExtends(head);
            head.client().post("/clusters/demo1/delete");
            var gone = await(head, "demo1", "DELETED");
            assertThat(gone.spent().isMoreThan(Money.ZERO)).isTrue();
            nothingIsLeft(head);
            Redaction.check(head);
        }
    }

    @Test
    void mayHaveAnotherImageThanItsParent() throws IOException {
        try (var head = new HeadFixture(folder)) {
            tool(folder.resolve("image-torch/bin/torch"), "echo torch");
            tool(folder.resolve("image/bin/home"), "echo home");
            Files.writeString(
                    folder.resolve("spillway.yaml"),
                    "clusters: { images: { torch: { tree: ./image-torch } } }\n",
                    StandardOpenOption.APPEND);
            head.start();
            assertThatThrownBy(() -> head.client().post("/clusters", with("other", "tensor")))
                    .isInstanceOfSatisfying(
                            CliFailure.class,
                            refused -> assertThat(refused.hint()).isEqualTo("allowed: base, torch"))
                    .hasMessageContaining("image: found 'tensor'");
            create(head, with("other", "torch"));
            assertThat(await(head, "other", "RUNNING").image()).isEqualTo("torch");
            assertThat(seen(head, "/clusters/other/head/jobs", "there.txt")).isEqualTo("torch\nno home\n");
            assertThat(seen(head, "/jobs", "here.txt")).isEqualTo("no torch\nhome\n");
            head.client().post("/clusters/other/delete");
            await(head, "other", "DELETED");
        }
    }

    private static ClusterOrder with(String name, String image) {
        return new ClusterOrder(name, "east", 1, 0, "", 3600, Money.parse("5"), List.of(), "", image, "");
    }

    private static void tool(Path file, String command) throws IOException {
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, "#!/bin/sh\n" + command + "\n");
        assertThat(file.toFile().setExecutable(true, false)).isTrue();
    }

    /** A job's finds of the programs of both images. */
    private String seen(HeadFixture head, String path, String file) throws IOException {
        Path result = folder.resolve(file);
        String script = "#!/bin/sh\n{ torch || echo no torch; home || echo no home; } >out.txt 2>/dev/null\n";
        String job = submit(head, path, HeadFixture.submission(script, "", Map.of("out.txt", result)));
        awaitJob(head, path + "/" + job, JobState.DONE);
        return Files.readString(result);
    }

    private void runsAJob(HeadFixture head, String cluster, String file) {
        Path result = folder.resolve(file);
        String path = "/clusters/" + cluster + "/head/jobs";
        String job = submit(
                head, path, HeadFixture.submission("#!/bin/sh\necho hello >out.txt\n", "", Map.of("out.txt", result)));
        awaitJob(head, path + "/" + job, JobState.DONE);
        assertThat(result).hasContent("hello\n");
    }

    private static String submit(HeadFixture head, String path, JobSubmission job) {
        return HeadClient.read(head.client().post(path, UUID.randomUUID().toString(), job), Submitted.class)
                .id();
    }

    private static void awaitJob(HeadFixture head, String path, JobState state) {
        Processes.eventually(PATIENCE, () -> jobState(head, path) == state);
        assertThat(jobState(head, path)).as(path + head.tail()).isEqualTo(state);
    }

    /** Null while its head is away. */
    private static @Nullable JobState jobState(HeadFixture head, String path) {
        try {
            return head.client().get(path, JobDetail.class).job().state();
        } catch (CliFailure away) {
            return null;
        }
    }

    private static void scalesAndExtends(HeadFixture head) {
        head.client().post("/clusters/demo1/scale", Map.of("nodes", 2));
        awaitNodes(head, "demo1", 2);
        head.client().post("/clusters/demo1/scale", Map.of("nodes", 1));
        awaitNodes(head, "demo1", 1);
        var before = view(head, "demo1");
        head.client().post("/clusters/demo1/extend", Map.of("ttlSeconds", 7200, "budget", "3"));
        var after = view(head, "demo1");
        assertThat(after.expiresAt()).isEqualTo(before.expiresAt().plusSeconds(7200));
        assertThat(after.budget()).isEqualTo(Money.parse("8"));
        Map.of(
                        "/clusters/demo1/scale", List.of(Map.of("nodes", 3), Map.of("nodes", 0), Map.of()),
                        "/clusters/demo1/extend",
                                List.of(
                                        Map.of("budget", "500"),
                                        Map.of("ttlSeconds", 2592000),
                                        Map.of("ttlSeconds", -1),
                                        Map.of()),
                        "/clusters/demo1/stop", List.of(Map.of("now", "perhaps")),
                        "/clusters/demo1/explode", List.of(Map.of()))
                .forEach((path, bodies) -> bodies.forEach(
                        body -> assertThatThrownBy(() -> head.client().post(path, body))
                                .as(path + body)
                                .isInstanceOf(CliFailure.class)));
        assertThat(view(head, "demo1").nodes()).isEqualTo(1);
        assertThat(view(head, "demo1").budget()).isEqualTo(Money.parse("8"));
    }

    private static void awaitNodes(HeadFixture head, String cluster, int count) {
        assertThat(Processes.eventually(PATIENCE, () -> {
                    try {
                        var nodes =
                                head
                                        .client()
                                        .list("/clusters/" + cluster + "/head/nodes", "nodes", NodeView.class)
                                        .stream()
                                        .filter(node -> node.role().equals("node")
                                                && node.state().mayCost())
                                        .toList();
                        return nodes.size() == count
                                && nodes.stream().allMatch(node -> node.state() == NodeState.READY);
                    } catch (CliFailure away) {
                        return false;
                    }
                }))
                .as(head.tail())
                .isTrue();
    }

    /** The cluster's head is killed once in each state and stage that {@link Kills} names, then its machine is lost. */
    @Test
    @Timeout(1500)
    void survivesAChildThatIsKilledAtEveryStage() throws Exception {
        try (var head = new HeadFixture(folder).start()) {
            create(head, order("kid", 3600, "5"));
            var killed = new TreeSet<String>();
            killing(head, "kid", "RUNNING", killed);
            killChild(head, "RUNNING", killed);
            String path = "/clusters/kid/head/jobs";
            awaitNodes(head, "kid", 1);
            String job = submit(
                    head,
                    path,
                    HeadFixture.submission(
                            "#!/bin/sh\nwhile [ ! -e %s ]; do sleep 0.2; done\n".formatted(folder.resolve("go")),
                            "",
                            Map.of()));
            awaitJob(head, path + "/" + job, JobState.RUNNING);
            assertThatThrownBy(() -> head.client().post("/clusters/kid/stop"))
                    .hasMessageContaining("1 job runs in cluster kid");
            head.client().post("/clusters/kid/stop", Map.of("now", true));
            killing(head, "kid", "STOPPED", killed);
            assertThat(head.cloud().live())
                    .as("the head's machine alone: " + head.tail())
                    .hasSize(1);
            Files.createFile(folder.resolve("go"));
            head.client().post("/clusters/kid/start");
            killing(head, "kid", "RUNNING", killed);
            // The job was queued again, and runs on a new node.
            awaitJob(head, path + "/" + job, JobState.DONE);
            head.cloud()
                    .cutPower(head.cloud().live().stream()
                            .filter(machine -> machine.role().equals("HEAD"))
                            .findFirst()
                            .orElseThrow()
                            .id());
            assertThat(await(head, "kid", "STOPPED").cause().code()).isEqualTo("HEAD_GONE");
            nothingIsLeft(head);
            assertThatThrownBy(() -> head.client().post("/clusters/kid/start"))
                    .hasMessageContaining("head is gone, and its disk with it");
            assertThat(view(head, "kid").state()).isEqualTo("STOPPED");
            head.client().post("/clusters/kid/delete");
            killing(head, "kid", "DELETED", killed);
            System.out.println("a child's head was killed at " + killed);
            assertThat(killed).containsAll(CHILD_STAGES);
            assertThat(Kills.EVERY || killed.equals(Set.copyOf(CHILD_STAGES)))
                    .as("%s", killed)
                    .isTrue();
            nothingIsLeft(head);
        }
    }

    /** Until it is so. */
    private static void killing(HeadFixture head, String name, String state, Set<String> killed) {
        Processes.eventually(PATIENCE, () -> {
            var now = view(head, name);
            boolean staged = now.state().equals("CREATING") || now.state().equals("STARTING");
            String stage = staged ? " " + now.stages().getLast().stage() : "";
            if (!now.state().equals(state)) {
                killChild(head, now.state() + stage, killed);
            }
            return now.state().equals(state) || now.isOver();
        });
        assertThat(view(head, name).state())
                .as(view(head, name).failure().replace(" INFO", "") + "; killed at " + killed + head.tail())
                .isEqualTo(state);
    }

    /** Once at each place. */
    private static void killChild(HeadFixture head, String where, Set<String> killed) {
        if (!killed.contains(where) && (Kills.EVERY || CHILD_STAGES.contains(where))) {
            for (long pid : Processes.ofInstances(head.folder())) {
                if (Processes.commandLine(pid).contains("org.spillway.cli.Main serve")
                        && Processes.workingFolder(pid).endsWith("/spillway-head")) {
                    Processes.kill(pid);
                    killed.add(where);
                }
            }
        }
    }

    private static void refusesNonsense(HeadFixture head) {
        for (var wrong : List.of(
                new ClusterOrder("x", "nowhere", 1, 0, "", 3600, Money.parse("5"), List.of(), "", "", ""),
                new ClusterOrder("x", "east", 100, 0, "", 3600, Money.parse("5"), List.of(), "", "", ""),
                new ClusterOrder("x", "east", 1, 8, "", 3600, Money.parse("5"), List.of(), "", "", ""),
                new ClusterOrder("x", "east", 1, 0, "", 1, Money.parse("5"), List.of(), "", "", ""),
                new ClusterOrder("x", "east", 1, 0, "", 3600, Money.ZERO, List.of(), "", "", ""),
                new ClusterOrder("x", "east", 1, 0, "", 3600, Money.parse("5000"), List.of(), "", "", ""),
                new ClusterOrder(
                        "x", "east", 1, 0, "", 3600, Money.parse("5"), List.of("nobody-of-that-name"), "", "", ""))) {
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
            assertThat(gone.cause().code()).isEqualTo("TIME_OVER");
            nothingIsLeft(head);
        }
    }

    /** Killed after the first write of the kinds that {@link Kills} names: at stages, and between its calls. */
    @Test
    void survivesAParentThatIsKilledAtEveryStage() throws Exception {
        try (var head = new HeadFixture(folder)) {
            Path crashes = head.folder().resolve("crashes");
            List<String> arguments = new ArrayList<>(
                    List.of(head.folder().resolve("spillway.yaml").toString(), crashes.toString(), "AFTER"));
            arguments.addAll(Kills.EVERY ? List.of() : PARENT_STAGES);
            boolean ran = false;
            boolean gone = false;
            String name = "kill" + UUID.randomUUID().toString().substring(0, 4);
            int lives = 0;
            while (!gone && lives < MOST_LIVES) {
                lives++;
                Process life = head.begin(CrashingHead.class.getName(), arguments.toArray(new String[0]));
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
                        // The head comes up, or it has just been killed.
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
            assertThat(kinds.toString()).contains(PARENT_STAGES);
            nothingIsLeft(head);
        }
    }
}
