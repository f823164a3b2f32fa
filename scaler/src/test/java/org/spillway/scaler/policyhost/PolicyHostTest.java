package org.spillway.scaler.policyhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.scaler.Decider;
import org.spillway.scaler.plan.FirstFitPlanner;

/** What administrators do with policies, and what becomes of them; with real children. */
final class PolicyHostTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final List<String> log = new CopyOnWriteArrayList<>();

    @TempDir
    Path folder;

    private Path policies = Path.of("");

    @BeforeEach
    void make() throws IOException {
        policies = Files.createDirectory(folder.resolve("policies.d"));
        Files.setPosixFilePermissions(policies, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private PolicyHost start(String configured) throws IOException {
        QueueDepthPolicy builtin = new QueueDepthPolicy();
        PolicyHostSettings settings = new PolicyHostSettings(
                policies,
                folder.resolve("policies.json"),
                configured,
                Map.of(),
                "queue-depth",
                "test",
                64,
                Duration.ofSeconds(10),
                3,
                Duration.ofMillis(50));
        return PolicyHost.start(
                settings,
                Map.of("queue-depth", new PolicyHost.Builtin<>(builtin, builtin.defaults())),
                Containment.probe(),
                InstantSource.system(),
                new PolicyHost.Listener() {
                    @Override
                    public void info(String sentence) {
                        log.add(sentence);
                    }

                    @Override
                    public void warn(String sentence) {
                        log.add(sentence);
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
            assertThat(decide(host, bad).note()).contains("(failure 3 of 3) and is disabled until its file changes");
            assertThat(one(host, "Dropped.java").state()).isEqualTo(PolicyOverview.State.DISABLED);
            assertThat(decide(host, good).source().policy()).isEqualTo("queue-depth");
            host.enable("thrower");
            await(() -> decide(host, good).source().policy().equals("thrower"));
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
