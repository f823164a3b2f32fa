package org.spillway.head.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.DecisionFile;
import org.spillway.head.journal.DecisionLog;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.PolicyRecord;
import org.spillway.head.journal.SqliteJournalStore;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.policy.check.SnapshotGenerator;
import org.spillway.scaler.Fleet;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.Alternatives;
import org.spillway.scaler.plan.Plan;

/** A thousand decisions of the production planner, through a journal on disk and back. */
final class ReplayTest {
    private static final int DECISIONS = 1000;
    private static final QueueDepthPolicy POLICY = new QueueDepthPolicy();
    private static final Replay REPLAY = new Replay(Replay.Policies.builtIn(Map.of(POLICY.name(), POLICY)));

    @TempDir
    static Path folder;

    @BeforeAll
    static void decide() {
        try (var store = SqliteJournalStore.open(folder)) {
            Journal journal = new Journal(store, Instant.MIN);
            int made = 0;
            for (long seed = 0; made < DECISIONS; seed++) {
                var settings = new QueueDepthSettings(Duration.ofSeconds(seed % 600), 1 + (int) (seed % 40));
                ClusterSnapshot snapshot = new SnapshotGenerator(seed).snapshot();
                Plan plan = plan(snapshot, settings);
                if (plan.changesAnything()) {
                    made++;
                    journal.commit(
                            snapshot.now().plusMillis(made),
                            new DecisionEntry(
                                    "d" + made,
                                    snapshot,
                                    plan,
                                    PolicyRecord.of("test", POLICY.name(), "", settings, ZoneOffset.UTC),
                                    Alternatives.of(snapshot, plan)));
                }
            }
        }
    }

    private static Plan plan(ClusterSnapshot snapshot, QueueDepthSettings settings) {
        Fleet none = new Fleet() {
            @Override
            public List<NodeView> nodes() {
                return List.of();
            }

            @Override
            public List<org.spillway.policy.Offering> offerings() {
                return List.of();
            }

            @Override
            public List<org.spillway.policy.LaunchRecord> launches() {
                return List.of();
            }

            @Override
            public Map<String, Integer> maxNodes() {
                return Map.of();
            }
        };
        return new Scaler<>(now -> List.of(), none, now -> Money.ZERO, POLICY, settings, ZoneOffset.UTC).plan(snapshot);
    }

    @Test
    void aThousandDecisionsAreIdentical() {
        try (DecisionFile file = DecisionFile.open(folder)) {
            List<DecisionLog.Line> lines = file.decisions().latest(DECISIONS + 1);
            assertThat(lines).hasSize(DECISIONS);
            assertThat(lines.getFirst().id()).isEqualTo("d" + DECISIONS);
            for (DecisionLog.Line line : lines) {
                Replay.Outcome outcome =
                        REPLAY.of(file.decisions().find(line.id()).orElseThrow());
                assertThat(outcome.verdict())
                        .as("%s: %s", line.id(), outcome.differences())
                        .isEqualTo(Replay.Verdict.IDENTICAL);
            }
        }
    }

    @Test
    void aCopyOfTheFileWillDo() throws Exception {
        Path copy = Files.copy(folder.resolve("journal.db"), folder.resolve("copy.db"));
        try (DecisionFile file = DecisionFile.open(copy)) {
            assertThat(REPLAY.of(file.decisions().find("d17").orElseThrow()).verdict())
                    .isEqualTo(Replay.Verdict.IDENTICAL);
        }
    }

    @Test
    void otherSettingsOrAnotherPlanDiffer() {
        DecisionEntry launching = first(plan ->
                plan.steps().getFirst() instanceof org.spillway.scaler.plan.Step.Launch launch && launch.count() > 1);
        var tighter = new QueueDepthSettings(Duration.ofSeconds(300), 1);
        DecisionEntry tampered = new DecisionEntry(
                launching.id(),
                launching.snapshot(),
                launching.plan(),
                PolicyRecord.of("test", POLICY.name(), "", tighter, ZoneOffset.UTC),
                launching.launches());
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
                List.of());
        assertThat(REPLAY.of(less).differences().getFirst()).startsWith("step 1: was nothing, is ");
    }

    @Test
    void whatCannotBeDecidedAgainSaysWhy() {
        DecisionEntry one = first(plan -> true);
        DecisionEntry.Made made = one.made();
        assertThat(why(one, DecisionEntry.Made.UNKNOWN)).contains("did not write down");
        assertThat(why(one, new DecisionEntry.Made("1", "own", "sha256:ab", made.settings(), "UTC")))
                .isEqualTo("policy own in version sha256:ab is not there any more");
        assertThat(why(one, new DecisionEntry.Made("1", "queue-depth", "", "{\"idleTime\":\"x\"}", "UTC")))
                .contains("do not fit");
        assertThat(why(one, new DecisionEntry.Made("1", "queue-depth", "", made.settings(), "Mars/Base")))
                .contains("Mars/Base");
        ScalingPolicy<?> plugin = POLICY;
        Replay withPlugin = new Replay((name, version) ->
                version.equals("sha256:ab") ? java.util.Optional.of(plugin) : java.util.Optional.empty());
        assertThat(withPlugin
                        .of(with(one, new DecisionEntry.Made("1", "queue-depth", "sha256:ab", made.settings(), "Z")))
                        .verdict())
                .isEqualTo(Replay.Verdict.IDENTICAL);
    }

    private static String why(DecisionEntry decision, DecisionEntry.Made made) {
        Replay.Outcome outcome = REPLAY.of(with(decision, made));
        assertThat(outcome.verdict()).isEqualTo(Replay.Verdict.NOT_REPLAYED);
        return outcome.differences().getFirst();
    }

    private static DecisionEntry with(DecisionEntry decision, DecisionEntry.Made made) {
        return new DecisionEntry(decision.id(), decision.snapshot(), decision.plan(), made, decision.launches());
    }

    private static DecisionEntry first(java.util.function.Predicate<Plan> plans) {
        try (DecisionFile file = DecisionFile.open(folder)) {
            return file.decisions().latest(DECISIONS).stream()
                    .map(line -> file.decisions().find(line.id()).orElseThrow())
                    .filter(decision -> plans.test(decision.plan()))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
