package org.spillway.head.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.DecisionFile;
import org.spillway.head.journal.DecisionLog;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.PolicyRecord;
import org.spillway.head.journal.SqliteJournalStore;
import org.spillway.head.service.ReplayPolicies;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.SettingTexts;
import org.spillway.policy.builtin.HouseRules;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.policy.check.SnapshotGenerator;
import org.spillway.scaler.BoundPolicy;
import org.spillway.scaler.Decider;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.Alternatives;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.policyhost.Containment;
import org.spillway.scaler.policyhost.PolicyHost;
import org.spillway.scaler.policyhost.PolicyHostSettings;
import org.spillway.scaler.policyhost.PolicyTrial;

/**
 * A thousand decisions of the production planner, through a journal on disk and back: half of them by a built-in policy, half
 * by one of a file in its child process. {@code .ci/run} has the command replay what this leaves.
 */
final class ReplayTest {
    private static final int DECISIONS = 1000;
    private static final QueueDepthPolicy POLICY = new QueueDepthPolicy();
    private static final Replay REPLAY = new Replay(Replay.Policies.builtIn(Map.of(POLICY.name(), POLICY)));
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** As a head's state directory. */
    private static final Path FOLDER = Path.of("target", "replayed").toAbsolutePath();

    private static int decided;

    @BeforeAll
    static void decide() throws Exception {
        Files.createDirectories(FOLDER);
        deleteAll(FOLDER);
        Files.createDirectories(FOLDER);
        try (var store = SqliteJournalStore.open(FOLDER)) {
            Journal journal = new Journal(store, Instant.MIN);
            long seed = 0;
            while (decided < DECISIONS / 2) {
                var settings = new QueueDepthSettings(Duration.ofSeconds(seed % 600), 1 + (int) (seed % 40));
                decide(journal, new BoundPolicy<>(POLICY, settings, "test"), seed++);
            }
            try (PolicyHost host = host()) {
                long until = System.nanoTime() + PATIENCE.toNanos();
                while (!host.overview().deciding().equals("night-shift")) {
                    assertThat(System.nanoTime())
                            .as("%s", host.overview().policies())
                            .isLessThan(until);
                    Thread.sleep(20);
                }
                while (decided < DECISIONS) {
                    decide(journal, host, seed++);
                }
            }
        }
    }

    private static void decide(Journal journal, Decider decider, long seed) {
        ClusterSnapshot snapshot = new SnapshotGenerator(seed).snapshot();
        Scaler.Decided made = Scaler.ofSnapshots("any", decider, ZoneOffset.UTC).decide(snapshot);
        if (made.plan().changesAnything()) {
            decided++;
            Decider.Source source = made.source();
            assertThat(made.note()).isEmpty();
            journal.commit(
                    snapshot.now().plusMillis(decided),
                    new DecisionEntry(
                            "d" + decided,
                            snapshot,
                            made.plan(),
                            PolicyRecord.of(
                                    "test", source.policy(), source.version(), source.settings(), ZoneOffset.UTC),
                            Alternatives.of(snapshot, made.plan()),
                            false));
        }
    }

    /** With one policy of a file, which decides. */
    private static PolicyHost host() throws IOException {
        Path policies = Files.createDirectory(
                FOLDER.resolve("policies.d"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Path file = Files.createFile(
                policies.resolve("NightShift.java"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
        Files.writeString(file, PolicyTrial.example("night-shift"));
        PolicyHostSettings settings = new PolicyHostSettings(
                policies,
                FOLDER.resolve("policies.json"),
                "night-shift",
                Map.of("night-shift", Map.of()),
                SettingTexts.with(HouseRules.NONE, Map.of("neverTerminateNodes", "n2", "ageFactor", "1")),
                POLICY.name(),
                "test",
                64,
                Duration.ofSeconds(10),
                3,
                Duration.ofMillis(50));
        return PolicyHost.start(
                settings,
                Map.of(POLICY.name(), BoundPolicy.of(POLICY, POLICY.defaults())),
                Containment.probe(),
                InstantSource.system(),
                new PolicyHost.Listener() {
                    @Override
                    public void info(String sentence) {}

                    @Override
                    public void warn(String sentence) {
                        System.out.println(sentence);
                    }
                });
    }

    private static void deleteAll(Path place) throws IOException {
        try (Stream<Path> all = Files.walk(place)) {
            for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(one);
            }
        }
    }

    private static ReplayPolicies kept(Path place) {
        return new ReplayPolicies(Map.of(POLICY.name(), POLICY), place, Containment.probe(), 64, said -> {});
    }

    @Test
    void aThousandDecisionsAreIdentical() throws Exception {
        try (DecisionFile file = DecisionFile.open(FOLDER);
                ReplayPolicies policies = kept(FOLDER)) {
            Replay replay = new Replay(policies);
            List<DecisionLog.Line> lines = file.decisions().latest(DECISIONS + 1);
            assertThat(lines).hasSize(DECISIONS);
            assertThat(lines.getFirst().id()).isEqualTo("d" + DECISIONS);
            int ofFiles = 0;
            for (DecisionLog.Line line : lines) {
                DecisionEntry decision = file.decisions().find(line.id()).orElseThrow();
                Replay.Outcome outcome = replay.of(decision);
                ofFiles += decision.made().version().isEmpty() ? 0 : 1;
                assertThat(outcome.verdict())
                        .as("%s: %s", line.id(), outcome.differences())
                        .isEqualTo(Replay.Verdict.IDENTICAL);
            }
            assertThat(ofFiles).isEqualTo(DECISIONS / 2);
        }
    }

    @Test
    void ofAFileOnlyItsOwnVersionReplaysAndItsAbsenceIsSaid() throws Exception {
        DecisionEntry one = first(plan -> plan.policy().equals("night-shift"));
        try (ReplayPolicies nowhere = kept(FOLDER.resolve("policies.d"))) {
            Replay.Outcome outcome = new Replay(nowhere).of(one);
            assertThat(outcome.verdict()).isEqualTo(Replay.Verdict.NOT_REPLAYED);
            assertThat(outcome.differences())
                    .containsExactly(
                            "policy night-shift in version " + one.made().version() + " is not there any more");
        }
        DecisionEntry tampered = new DecisionEntry(
                one.id(),
                one.snapshot(),
                new Plan(one.plan().at(), "night-shift", List.of()),
                one.made(),
                List.of(),
                false);
        try (ReplayPolicies policies = kept(FOLDER)) {
            assertThat(new Replay(policies).of(tampered).verdict()).isEqualTo(Replay.Verdict.DIFFERS);
        }
    }

    @TempDir
    Path elsewhere;

    @Test
    void aCopyOfTheFileWillDo() throws Exception {
        Path copy = Files.copy(FOLDER.resolve("journal.db"), elsewhere.resolve("copy.db"));
        try (DecisionFile file = DecisionFile.open(copy)) {
            assertThat(REPLAY.of(file.decisions().find("d17").orElseThrow()).verdict())
                    .isEqualTo(Replay.Verdict.IDENTICAL);
        }
    }

    @Test
    void whatAnotherReleaseSaidInOtherWordsIsTheSameDecision() {
        DecisionEntry launching = first(plan -> plan.policy().equals(POLICY.name())
                && plan.steps().getFirst() instanceof org.spillway.scaler.plan.Step.Launch);
        var launch =
                (org.spillway.scaler.plan.Step.Launch) launching.plan().steps().getFirst();
        var steps = new java.util.ArrayList<>(launching.plan().steps());
        steps.set(
                0,
                new org.spillway.scaler.plan.Step.Launch(
                        launch.offering(),
                        launch.count(),
                        launch.shapes(),
                        launch.committed(),
                        "jobs wait since 14:05:00",
                        launch.group(),
                        launch.behind()));
        DecisionEntry reworded = new DecisionEntry(
                launching.id(),
                launching.snapshot(),
                new Plan(launching.plan().at(), launching.plan().policy(), steps),
                launching.made(),
                launching.launches(),
                false);
        assertThat(REPLAY.of(reworded).verdict()).isEqualTo(Replay.Verdict.IDENTICAL);
    }

    @Test
    void otherSettingsOrAnotherPlanDiffer() {
        DecisionEntry launching = first(plan -> plan.policy().equals(POLICY.name())
                && plan.steps().getFirst() instanceof org.spillway.scaler.plan.Step.Launch launch
                && launch.count() > 1);
        var tighter = new QueueDepthSettings(Duration.ofSeconds(300), 1);
        DecisionEntry tampered = new DecisionEntry(
                launching.id(),
                launching.snapshot(),
                launching.plan(),
                PolicyRecord.of("test", POLICY.name(), "", tighter, ZoneOffset.UTC),
                launching.launches(),
                false);
        Replay.Outcome outcome = REPLAY.of(tampered);
        assertThat(outcome.verdict()).isEqualTo(Replay.Verdict.DIFFERS);
        assertThat(outcome.differences().getFirst())
                .startsWith("step 1: was Launch[")
                .contains(", is ");
        DecisionEntry less = new DecisionEntry(
                launching.id(),
                launching.snapshot(),
                new Plan(launching.plan().at(), launching.plan().policy(), List.of()),
                launching.made(),
                List.of(),
                false);
        assertThat(REPLAY.of(less).differences().getFirst()).startsWith("step 1: was nothing, is ");
    }

    @Test
    void whatCannotBeDecidedAgainSaysWhy() {
        DecisionEntry one = first(plan -> plan.policy().equals(POLICY.name()));
        DecisionEntry.Made made = one.made();
        assertThat(why(one, DecisionEntry.Made.UNKNOWN)).contains("did not write down");
        assertThat(why(one, new DecisionEntry.Made("1", "own", "sha256:ab", made.settings(), "UTC")))
                .isEqualTo("policy own in version sha256:ab is not there any more");
        assertThat(why(one, new DecisionEntry.Made("1", "queue-depth", "", "{\"idleTime\":\"x\"}", "UTC")))
                .contains("do not fit");
        assertThat(why(one, new DecisionEntry.Made("1", "queue-depth", "", made.settings(), "Mars/Base")))
                .contains("Mars/Base");
        Replay silent = new Replay(found -> new Replay.Again((now, planner) -> {
            throw new Replay.NoAnswer("policy own says nothing");
        }));
        assertThat(silent.of(one).differences()).containsExactly("policy own says nothing");
        assertThat(silent.of(one).verdict()).isEqualTo(Replay.Verdict.NOT_REPLAYED);
    }

    private static String why(DecisionEntry decision, DecisionEntry.Made made) {
        Replay.Outcome outcome = REPLAY.of(with(decision, made));
        assertThat(outcome.verdict()).isEqualTo(Replay.Verdict.NOT_REPLAYED);
        return outcome.differences().getFirst();
    }

    private static DecisionEntry with(DecisionEntry decision, DecisionEntry.Made made) {
        return new DecisionEntry(decision.id(), decision.snapshot(), decision.plan(), made, decision.launches(), false);
    }

    private static DecisionEntry first(java.util.function.Predicate<Plan> plans) {
        try (DecisionFile file = DecisionFile.open(FOLDER)) {
            return file.decisions().latest(DECISIONS).stream()
                    .map(line -> file.decisions().find(line.id()).orElseThrow())
                    .filter(decision -> plans.test(decision.plan()))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
