package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.ApiException;
import org.spillway.api.CauseView;
import org.spillway.api.RolloutOrder;
import org.spillway.api.RolloutView;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.RolloutsApi;

/** Rollouts as the commands ask for them and show them. */
final class RolloutCommandsTest extends AskedHead {
    private static final Instant AT = Instant.parse("2026-11-28T05:00:00Z");
    private final List<String> told = new ArrayList<>();
    private final List<RolloutOrder> orders = new ArrayList<>();

    @BeforeEach
    void serve() {
        HEAD.rollouts = new RolloutsApi() {
            @Override
            public List<RolloutView> list() {
                return List.of(view("ml", "BATCHES"));
            }

            @Override
            public RolloutView begin(Caller caller, String category, RolloutOrder order) {
                orders.add(order);
                return view(category, "CANARY");
            }

            @Override
            public RolloutView change(Caller caller, String category, String action) {
                if (!category.equals("ml")) {
                    throw new ApiException(ApiException.Code.NOT_FOUND, "no category '" + category + "'", "");
                }
                told.add(action);
                return view(category, "BACK");
            }
        };
    }

    @AfterEach
    void serveNone() {
        HEAD.rollouts = RolloutsApi.NONE;
    }

    private static RolloutView view(String category, String state) {
        String from = "compute@" + "a".repeat(64);
        String to = "compute@" + "b".repeat(64);
        CauseView why = new CauseView("CANARY_PASSED", Map.of(), "the canary has passed");
        var last = new RolloutView.RolloutProgress(
                state,
                false,
                from,
                to,
                why,
                AT,
                2,
                "canary 1, batch 10%, soak 5m, within 1h, at most 0 failures",
                0,
                List.of(
                        new RolloutView.RolloutNodeView("n1", 1, "PASSED", AT, false, CauseView.NONE),
                        new RolloutView.RolloutNodeView("n2", 2, "TURNING", AT, true, CauseView.NONE)));
        return new RolloutView(
                category,
                to,
                from,
                "",
                true,
                last,
                List.of(new RolloutView.RolloutStepView(AT, "CANARY", "the configuration names another version")));
    }

    private int image(String... words) {
        var arguments = new ArrayList<>(List.of(words));
        arguments.addFirst("image");
        arguments.addAll(List.of("--socket", socket.toString()));
        out.getBuffer().setLength(0);
        return run(arguments.toArray(new String[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rollout", "rollout start", "rollout status", "rollout pause", "rollback"})
    void everyCommandExplainsItself(String words) {
        var arguments = new ArrayList<>(List.of(("image " + words).split(" ")));
        arguments.add("--help");
        assertThat(run(arguments.toArray(new String[0]))).isZero();
        golden("help-image-" + words.replace(' ', '-') + ".txt", out.toString());
        assertThat(out.toString()).containsPattern("Examples?:");
    }

    @Test
    void whatIsNotSaidIsAsConfigured() {
        assertThat(image("rollout", "start", "compute:test", "--category", "ml"))
                .isZero();
        assertThat(image(
                        "rollout",
                        "start",
                        "compute@12345678",
                        "--category",
                        "ml",
                        "--canary",
                        "2",
                        "--batch",
                        "20%",
                        "--soak",
                        "10m",
                        "--within",
                        "2h",
                        "--max-failures",
                        "1"))
                .isZero();
        assertThat(orders)
                .containsExactly(
                        new RolloutOrder("compute:test", -1, "", -1, -1, -1),
                        new RolloutOrder("compute@12345678", 2, "20%", 600, 7200, 1));
    }

    @Test
    void mistakesAreToldBeforeTheHeadIsAsked() {
        assertThat(image("rollout", "start", "compute", "--category", "ml", "--batch", "0"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--batch: found '0'").contains("1 to 10000 nodes");
        assertThat(image("rollout", "start", "compute", "--category", "ml", "--canary", "-1"))
                .isEqualTo(2);
        assertThat(image("rollout", "start", "compute", "--category", "ml", "--soak", "soon"))
                .isEqualTo(2);
        assertThat(image("rollout", "start", "compute")).isEqualTo(2);
        assertThat(orders).isEmpty();
    }

    @Test
    void howItIsIsShown() {
        assertThat(image("rollout", "status")).isZero();
        golden("rollouts.txt", out.toString());
        assertThat(image("rollout", "status", "--json")).isZero();
        golden("rollouts.json", out.toString());
    }

    @Test
    void whatIsToldReachesTheHead() {
        List.of("pause", "resume", "abort")
                .forEach(action -> assertThat(image("rollout", action, "ml")).isZero());
        assertThat(image("rollback", "ml")).isZero();
        assertThat(told).containsExactly("pause", "resume", "abort", "rollback");
        assertThat(image("rollback", "bio")).isEqualTo(1);
        assertThat(err.toString()).contains("no category 'bio'");
    }
}
