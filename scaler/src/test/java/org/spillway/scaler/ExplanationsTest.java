package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.NodeView;
import org.spillway.policy.Planner;
import org.spillway.policy.Resources;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.scaler.plan.Plan;

/**
 * Explanations that users read when they ask why, word by word. {@code mvn -pl scaler -am test -Dgolden.update=true}
 * writes the files anew; read the diff before it is committed.
 */
class ExplanationsTest {
    private static final Path GOLDEN = Path.of("src/test/resources/org/spillway/scaler/explanations");

    private enum Case {
        BUDGET,
        BUDGET_FOR_SOME,
        SITE_FULL,
        GANG_LARGER_THAN_SITE,
        GANG_SITE_ALMOST_FULL,
        CAPACITY,
        QUOTA,
        PROBE,
        NO_OFFERING_FITS,
        MAX_NODES_PER_TICK,
        STAGE_IN,
        POLICY_FAILED,
        POLICY_ASKED_NOTHING,
        LAUNCH,
        RELEASE
    }

    @ParameterizedTest
    @EnumSource(Case.class)
    void readsAsWritten(Case reason) throws IOException {
        Path file =
                GOLDEN.resolve(reason.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-') + ".txt");
        String text = text(plan(reason));
        if (Boolean.getBoolean("golden.update")) {
            Files.createDirectories(GOLDEN);
            Files.writeString(file, text);
        }
        assertThat(file)
                .as("missing: run with -Dgolden.update=true and read the result")
                .exists();
        assertThat(text).isEqualTo(Files.readString(file));
    }

    private static String text(Plan plan) {
        StringBuilder text = new StringBuilder("plan of policy " + plan.policy() + " at " + plan.at() + "\n");
        plan.steps().forEach(step -> text.append(step).append('\n'));
        return text.toString();
    }

    private static Plan plan(Case reason) {
        return switch (reason) {
            case BUDGET -> Scene.small().budget("0.50").waits("train", 1, 2).plan();
            case BUDGET_FOR_SOME ->
                Scene.small().budget("3.50").waits("train", 1, 5).plan();
            case SITE_FULL ->
                Scene.small()
                        .limit("east", 2)
                        .nodes(NodeView.Phase.ALLOCATED, 2)
                        .waits("train", 1, 1)
                        .plan();
            case GANG_LARGER_THAN_SITE ->
                Scene.small().limit("east", 3).waits("mpi", 4, 1).plan();
            case GANG_SITE_ALMOST_FULL ->
                Scene.small()
                        .limit("east", 5)
                        .nodes(NodeView.Phase.ALLOCATED, 2)
                        .waits("mpi", 4, 1)
                        .plan();
            case CAPACITY -> after(LaunchOutcome.Reason.CAPACITY, 30).plan();
            case QUOTA -> after(LaunchOutcome.Reason.QUOTA, 30).plan();
            case PROBE -> after(LaunchOutcome.Reason.CAPACITY, 200).plan();
            case NO_OFFERING_FITS ->
                Scene.small()
                        .offers(Scene.id("east", "large"), Resources.of(64, 256 * Scene.GIB, 0), "9.00")
                        .waits("cpus", Resources.of(96, Scene.GIB, 0), 1, 1, Duration.ZERO)
                        .waits("gpus", Resources.of(1, Scene.GIB, 4), 1, 1, Duration.ZERO)
                        .waits("memory", Resources.of(1, 300 * Scene.GIB, 0), 1, 1, Duration.ZERO)
                        .plan();
            case MAX_NODES_PER_TICK ->
                Scene.small().waits("mpi", 4, 1).plan(new QueueDepthSettings(Duration.ofSeconds(300), 3));
            case STAGE_IN ->
                Scene.small()
                        .waits("train", Resources.of(8, Scene.GIB, 0), 1, 1, Duration.ofMinutes(5))
                        .plan();
            case POLICY_FAILED ->
                Scene.plan(Scene.small().waits("train", 1, 1).snapshot(), new Failing(), QueueDepthSettings.DEFAULTS);
            case POLICY_ASKED_NOTHING -> Scene.small().waits("train", 1, 1).plan(new Wish[0]);
            case LAUNCH -> Scene.small().waits("train", 1, 3).plan();
            case RELEASE -> Scene.small().nodes(NodeView.Phase.IDLE, 1).plan();
        };
    }

    private static Scene after(LaunchOutcome.Reason reason, long secondsAgo) {
        LaunchRecord record = new LaunchRecord(
                Scene.NOW.minusSeconds(secondsAgo), Scene.SMALL, 3, new LaunchOutcome.Refused(reason, "no"));
        return Scene.small().health(Scene.folded(record)).waits("train", 1, 3);
    }

    private record Failing() implements ScalingPolicy<QueueDepthSettings> {
        @Override
        public String name() {
            return "failing";
        }

        @Override
        public QueueDepthSettings defaults() {
            return QueueDepthSettings.DEFAULTS;
        }

        @Override
        public List<Wish> decide(ClusterSnapshot now, QueueDepthSettings settings, Planner planner) {
            throw new IllegalStateException("division of the undividable");
        }
    }
}
