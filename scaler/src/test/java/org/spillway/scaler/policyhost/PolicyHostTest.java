package org.spillway.scaler.policyhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.NodeView;
import org.spillway.policy.Resources;
import org.spillway.policy.SettingTexts;
import org.spillway.policy.Wish;
import org.spillway.policy.builtin.HouseRules;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.scaler.BoundPolicy;
import org.spillway.scaler.Decider;
import org.spillway.scaler.Scene;
import org.spillway.scaler.plan.FirstFitPlanner;

/** An administrator's work with policies, and what becomes of them; with real children. */
@Execution(ExecutionMode.CONCURRENT)
final class PolicyHostTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final AtomicInteger answered = new AtomicInteger();
    /** Ahead of the machine's clock. */
    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

    @TempDir
    Path folder;

    private Path policies = Path.of("");

    @BeforeEach
    void make() throws IOException {
        policies = Files.createDirectory(folder.resolve("policies.d"));
        Files.setPosixFilePermissions(policies, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private PolicyHost start(String configured) throws IOException {
        return start(configured, Duration.ofSeconds(10), HouseRules.NONE, Containment.probe());
    }

    private PolicyHost start(String configured, Duration deadline, HouseRules rules, Containment containment)
            throws IOException {
        PolicyHostSettings settings = new PolicyHostSettings(
                policies,
                folder.resolve("policies.json"),
                configured,
                Map.of("tuned", Map.of("most", "7")),
                rules,
                "queue-depth",
                "test",
                64,
                deadline,
                3,
                Duration.ofMillis(50));
        return PolicyHost.start(
                settings,
                Map.of("queue-depth", BoundPolicy.of(new QueueDepthPolicy(), new QueueDepthPolicy().defaults())),
                containment,
                () -> Instant.now().plus(ahead.get()),
                new PolicyHost.Listener() {
                    @Override
                    public void info(String sentence) {
                        log.add(sentence);
                    }

                    @Override
                    public void warn(String sentence) {
                        log.add(sentence);
                    }

                    @Override
                    public void answered() {
                        answered.incrementAndGet();
                    }
                });
    }

    private void drop(String name, String source) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), source);
        Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
        Files.deleteIfExists(policies.resolve(name));
        Files.move(next, policies.resolve(name));
    }

    private static PolicyOverview.One one(PolicyHost host, String file) {
        return host.overview().policies().stream()
                .filter(policy -> policy.file().equals(file))
                .findFirst()
                .orElse(new PolicyOverview.One(
                        file, PolicyOverview.State.STARTING, file, "", null, 0, List.of(), List.of()));
    }

    private void await(BooleanSupplier condition) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < until) {
            Thread.sleep(20);
        }
        assertThat(condition.getAsBoolean()).as("%s", log).isTrue();
    }

    private static Decider.Decision decide(PolicyHost host, ClusterSnapshot now) {
        return host.decide(now, new FirstFitPlanner(now));
    }

    @Test
    void aDroppedFileDecidesABadOneDoesNotReplaceItAndItIsRemembered() throws Exception {
        ClusterSnapshot now = NurseryTest.about("east");
        try (PolicyHost host = start("dropped")) {
            assertThat(decide(host, now).note())
                    .contains("there is no such policy")
                    .contains("queue-depth decides");
            drop("Dropped.java", Sources.holding("dropped", "one"));
            await(() -> host.overview().deciding().equals("dropped"));
            Decider.Decision decision = decide(host, now);
            assertThat(decision.source().policy()).isEqualTo("dropped");
            assertThat(decision.source().version())
                    .isEqualTo(one(host, "Dropped.java").digest());
            assertThat(decision.wishes()).allMatch(wish -> wish.reason().equals("one"));

            drop("Dropped.java", Sources.holding("dropped", "two").replace("wishes.add", "wishes.ad"));
            await(() -> log.stream().anyMatch(line -> line.contains("is not taken")));
            assertThat(one(host, "Dropped.java").findings().getFirst())
                    .contains("Dropped.java:29:")
                    .contains("ad");
            assertThat(decide(host, now).wishes())
                    .allMatch(wish -> wish.reason().equals("one"));

            drop("Dropped.java", Sources.holding("dropped", "three"));
            await(() -> decide(host, now).wishes().stream()
                    .allMatch(wish -> wish.reason().equals("three")));
            host.disable("dropped");
            assertThat(decide(host, now).source().policy()).isEqualTo("queue-depth");
        }
        try (PolicyHost again = start("dropped")) {
            assertThat(again.history("dropped"))
                    .extracting(PolicyVersion::taken)
                    .containsExactly(true, false, true);
            assertThat(decide(again, now).source().policy()).isEqualTo("queue-depth");
            await(() -> one(again, "Dropped.java").state() == PolicyOverview.State.DISABLED);
            again.enable("dropped");
            await(() -> decide(again, now).source().policy().equals("dropped"));
            Files.delete(policies.resolve("Dropped.java"));
            await(() -> decide(again, now).note().contains("there is no such policy"));
            assertThat(again.history("dropped").getLast().why()).isEqualTo("its file was removed");
            assertThatThrownBy(() -> again.enable("dusk")).hasMessageContaining("there is no policy 'dusk'");
            assertThatThrownBy(() -> again.disable("queue-depth")).hasMessageContaining("is built in");
        }
    }

    @Test
    void threeFailuresInARowDisableIt() throws Exception {
        ClusterSnapshot good = NurseryTest.about("q");
        ClusterSnapshot bad = NurseryTest.about("bad");
        try (PolicyHost host = start("thrower")) {
            drop(
                    "Dropped.java",
                    Sources.badAbout("thrower", "bad", "if (now != null) throw new IllegalStateException(\"no\");"));
            await(() -> host.overview().deciding().equals("thrower"));
            decide(host, bad);
            decide(host, good);
            assertThat(one(host, "Dropped.java").strikes()).isZero();
            assertThat(decide(host, bad).note()).contains("threw").contains("no (Dropped.java:30) (failure 1 of 3)");
            decide(host, bad);
            assertThat(decide(host, bad).note()).contains("(failure 3 of 3) and is disabled; tried again at ");
            assertThat(one(host, "Dropped.java").state()).isEqualTo(PolicyOverview.State.DISABLED);
            assertThat(decide(host, good).source().policy()).isEqualTo("queue-depth");
            host.enable("thrower");
            await(() -> decide(host, good).source().policy().equals("thrower"));
        }
    }

    /** H5: a policy that was disabled stayed so, whatever had been the reason. */
    @Test
    void aDisabledPolicyIsTriedAgainAfterGrowingPauses() throws Exception {
        ClusterSnapshot good = NurseryTest.about("q");
        ClusterSnapshot bad = NurseryTest.about("bad");
        try (PolicyHost host = start("thrower")) {
            drop(
                    "Dropped.java",
                    Sources.badAbout("thrower", "bad", "if (now != null) throw new IllegalStateException(\"no\");"));
            await(() -> host.overview().deciding().equals("thrower"));
            for (int strike = 0; strike < 3; strike++) {
                decide(host, bad);
            }
            PolicyOverview.One disabled = one(host, "Dropped.java");
            assertThat(disabled.state()).isEqualTo(PolicyOverview.State.DISABLED);
            assertThat(disabled.findings().getFirst())
                    .contains("disabled after 3 failures in a row, tried again at ")
                    .contains("the last time it threw");
            ahead.set(Duration.ofMinutes(2));
            await(() -> decide(host, good).source().policy().equals("thrower"));

            decide(host, bad);
            decide(host, good);
            for (int strike = 0; strike < 3; strike++) {
                decide(host, bad);
            }
            assertThat(one(host, "Dropped.java").state()).isEqualTo(PolicyOverview.State.DISABLED);
            ahead.set(Duration.ofMinutes(3).plusSeconds(30));
            assertThat(decide(host, good).note()).as("twice as long").contains("is disabled");
            ahead.set(Duration.ofMinutes(10));
            await(() -> decide(host, good).source().policy().equals("thrower"));
        }
    }

    /** H5: a file that did not pass was never looked at again, though what kept it from passing was over. */
    @Test
    void aFileThatDidNotPassIsCheckedAgainAsItIs() throws Exception {
        try (PolicyHost host = start("second")) {
            drop("First.java", Sources.holding("second", "one").replace("Dropped", "First"));
            await(() -> host.overview().deciding().equals("second"));
            drop("Second.java", Sources.holding("second", "two").replace("Dropped", "Second"));
            await(() -> !one(host, "Second.java").findings().isEmpty());
            assertThat(one(host, "Second.java").findings().getFirst())
                    .contains("so is that of First.java")
                    .contains("checked again at ");
            Files.delete(policies.resolve("First.java"));
            await(() -> !host.overview().deciding().equals("second"));
            ahead.set(Duration.ofMinutes(2));
            await(() -> host.overview().deciding().equals("second"));
            assertThat(one(host, "Second.java").findings()).isEmpty();
        }
    }

    /** Whoever asks has other things to do; the plugin's time is not his. */
    @Test
    void whoAsksDoesNotWaitForOneThatHangs() throws Exception {
        ClusterSnapshot good = NurseryTest.about("q");
        ClusterSnapshot bad = NurseryTest.about("bad");
        Duration deadline = Duration.ofSeconds(2);
        try (PolicyHost host = start("hanger", deadline, HouseRules.NONE, Containment.probe())) {
            drop(
                    "Dropped.java",
                    Sources.badAbout(
                            "hanger", "bad", "while (now != null) { java.util.concurrent.locks.LockSupport.park(); }"));
            await(() -> host.overview().deciding().equals("hanger"));
            Decider.Question fine = host.ask(good, new FirstFitPlanner(good));
            assertThat(fine.await().source().policy()).isEqualTo("hanger");

            long begin = System.nanoTime();
            Decider.Question stuck = host.ask(bad, new FirstFitPlanner(bad));
            assertThat(stuck.answer()).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(deadline);
            int before = answered.get();
            await(() -> stuck.answer().isPresent());
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(deadline);
            Decider.Decision decision = stuck.answer().orElseThrow();
            assertThat(decision.source().policy()).isEqualTo("queue-depth");
            assertThat(decision.note())
                    .contains("did not answer within 2000 ms of its own time, and was ended: Dropped.java:30: ");
            await(() -> answered.get() > before);

            Decider.Question meanwhile = host.ask(good, new FirstFitPlanner(good));
            assertThat(meanwhile.answer()).as("nobody to wait for").isPresent();
            await(() -> decide(host, good).source().policy().equals("hanger"));
        }
    }

    @Test
    void theLastGoodVersionDecidesAfterARestartToo() throws Exception {
        ClusterSnapshot now = NurseryTest.about("east");
        String digest;
        try (PolicyHost host = start("dropped")) {
            drop("Dropped.java", Sources.holding("dropped", "one"));
            await(() -> host.overview().deciding().equals("dropped"));
            digest = one(host, "Dropped.java").digest();
        }
        drop("Dropped.java", Sources.holding("dropped", "two").replace("wishes.add", "wishes.ad"));
        try (PolicyHost again = start("dropped")) {
            await(() -> decide(again, now).source().version().equals(digest));
            assertThat(decide(again, now).wishes())
                    .allMatch(wish -> wish.reason().equals("one"));
            await(() -> !one(again, "Dropped.java").findings().isEmpty());
            assertThat(again.history("dropped"))
                    .extracting(PolicyVersion::taken)
                    .containsExactly(true, false);
        }
        Files.delete(policies.resolve("Dropped.java"));
        try (PolicyHost without = start("dropped")) {
            await(() -> without.history("dropped").getFirst().why().equals("its file was removed"));
            assertThat(decide(without, now).note()).contains("there is no such policy");
        }
    }

    @Test
    void theRulesOfTheHouseHoldAroundIt() throws Exception {
        ClusterSnapshot idle = new Scene()
                .node(Scene.node("n1", Scene.SMALL, NodeView.Phase.IDLE, Resources.of(8, Scene.GIB, 0), false))
                .node(Scene.node("n2", Scene.SMALL, NodeView.Phase.IDLE, Resources.of(8, Scene.GIB, 0), false))
                .snapshot();
        String releasing =
                "now.nodes().forEach(node -> { if (node.phase() == NodeView.Phase.IDLE) wishes.add(new Wish.Release("
                        + "List.of(node.id()), \"kept: \" + now.nodes().stream().filter(NodeView::keep).count())); });";
        HouseRules rules = SettingTexts.with(HouseRules.NONE, Map.of("neverTerminateNodes", "n1"));
        try (PolicyHost host = start("releaser", Duration.ofSeconds(10), rules, Containment.probe())) {
            drop("Dropped.java", Sources.policy("releaser", "", releasing));
            await(() -> host.overview().deciding().equals("releaser"));
            Decider.Decision decision = decide(host, idle);
            assertThat(decision.wishes()).containsExactly(new Wish.Release(List.of("n2"), "kept: 1"));
            assertThat(decision.source().settings()).isEqualTo(new PluginSettings(Map.of(), rules));
        }
    }

    @Test
    void settingsOfItsNameAreItsOwnAlsoWhenItIsEnabled() throws Exception {
        ClusterSnapshot now = NurseryTest.about("east");
        try (PolicyHost host = start("queue-depth")) {
            drop(
                    "Dropped.java",
                    Sources.policy(
                            "tuned",
                            "",
                            "now.demands().forEach(demand -> wishes.add(new Wish.Hold(demand.shape(), \"most \" + settings.most())));"));
            await(() -> one(host, "Dropped.java").state() == PolicyOverview.State.READY);
            host.enable("tuned");
            await(() -> decide(host, now).source().policy().equals("tuned"));
            assertThat(decide(host, now).wishes())
                    .allMatch(wish -> wish.reason().equals("most 7"));
            assertThat(decide(host, now).source().settings())
                    .isEqualTo(new PluginSettings(Map.of("most", "7"), HouseRules.NONE));
        }
    }

    @Test
    void whatOthersCouldHaveWrittenIsNotRead() throws Exception {
        PolicyFiles files = new PolicyFiles(policies, Containment.uid());
        drop("Dropped.java", Sources.holding("dropped", "x"));
        assertThat(files.read("Dropped.java")).isNotEmpty();
        Files.setPosixFilePermissions(policies.resolve("Dropped.java"), PosixFilePermissions.fromString("rw-rw-r--"));
        assertThatThrownBy(() -> files.read("Dropped.java")).hasMessageContaining("can be written by others");
        Files.createSymbolicLink(policies.resolve("Link.java"), policies.resolve("Dropped.java"));
        assertThatThrownBy(() -> files.read("Link.java")).hasMessageContaining("no plain file");
    }

    @Test
    void theFolderIsGuardedToo() throws Exception {
        drop("Dropped.java", Sources.holding("dropped", "x"));
        Files.setPosixFilePermissions(policies, PosixFilePermissions.fromString("rwxrwxrwx"));
        PolicyFiles files = new PolicyFiles(policies, Containment.uid());
        assertThatThrownBy(() -> files.read("Dropped.java")).hasMessageContaining("can be written by others");
    }
}
