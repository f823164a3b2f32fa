package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.spillway.api.ApiException;
import org.spillway.api.DriftView;
import org.spillway.api.DriftView.DriftedFile;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import org.spillway.api.RolloutOrder;
import org.spillway.api.RolloutView;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.RolloutsApi;

/** Looks at roots of nodes as the command asks for them and shows them. */
final class ImageDriftCommandTest extends AskedHead {
    private static final String VERSION = "compute@" + "a".repeat(64);

    /** How each node's look ends, by its id. */
    private final Map<String, DriftView> ends = new HashMap<>();

    private final Map<String, Integer> asked = new HashMap<>();
    private final Map<String, Set<String>> looks = new HashMap<>();
    private boolean whole;

    @BeforeEach
    void serve() {
        HEAD.nodes =
                List.of(node("n1", "ml", "east", true), node("n2", "ml", "west", true), node("n3", "", "east", false));
        ends.put("n1", view("n1", "SAME", "", List.of()));
        ends.put("n2", view("n2", "SAME", "", List.of()));
        HEAD.rollouts = new RolloutsApi() {
            @Override
            public List<RolloutView> list() {
                return List.of();
            }

            @Override
            public RolloutView begin(Caller caller, String category, RolloutOrder order) {
                throw new AssertionError();
            }

            @Override
            public RolloutView change(Caller caller, String category, String action) {
                throw new AssertionError();
            }

            @Override
            public DriftView drift(String node, String look, boolean all) {
                looks.computeIfAbsent(node, any -> new HashSet<>()).add(look);
                whole = all;
                DriftView end = ends.get(node);
                if (end == null) {
                    throw new ApiException(ApiException.Code.UNAVAILABLE, "no director of site west is up", "");
                }
                return switch (asked.merge(node, 1, Integer::sum)) {
                    case 1 -> new DriftView(node, "east", "", "WAITING", 0, 0, 0, "", 0, List.of());
                    case 2 -> new DriftView(node, "east", "", "RUNNING", 5, 10, 1_000_000, "", 0, List.of());
                    default -> end;
                };
            }
        };
    }

    @AfterEach
    void serveNone() {
        HEAD.rollouts = RolloutsApi.NONE;
        HEAD.nodes = List.of();
    }

    private static NodeView node(String id, String category, String site, boolean versioned) {
        return NodeView.of(view -> {
            view.id = id;
            view.site = site;
            view.category = category;
            view.state = NodeState.READY;
            view.version = versioned ? "a".repeat(64) : "";
        });
    }

    private static DriftView view(String node, String state, String why, List<DriftedFile> files) {
        return new DriftView(node, "east", VERSION, state, 30_012, 30_012, 33_554_432, why, 0, files);
    }

    private int drift(String... words) {
        var arguments = new ArrayList<>(List.of("image", "drift"));
        arguments.addAll(List.of(words));
        arguments.addAll(List.of("--socket", socket.toString()));
        return run(arguments.toArray(new String[0]));
    }

    @Test
    void theCommandExplainsItself() {
        assertThat(run("image", "drift", "--help")).isZero();
        golden("help-image-drift.txt", out.toString());
    }

    @Test
    void allNodesThatLiveInAVersionAreAskedEachByOneLook() {
        assertThat(drift()).isZero();
        assertThat(out.toString()).isEqualTo("""
                        n1 is compute@aaaaaaaaaaaa (30012 files compared, 33.6 MB read)
                        n2 is compute@aaaaaaaaaaaa (30012 files compared, 33.6 MB read)
                        """);
        assertThat(looks.keySet()).containsExactlyInAnyOrder("n1", "n2");
        assertThat(looks.values()).allMatch(ids -> ids.size() == 1);
        assertThat(whole).isFalse();
    }

    @Test
    void whatDiffersIsNamedWithItsOwnerAndTheExitCodeIsOne() {
        ends.put(
                "n2",
                view(
                        "n2",
                        "DIFFERS",
                        "",
                        List.of(new DriftedFile("/usr/bin/x", List.of("content", "mode"), "thing", "other 3 bytes"))));
        assertThat(drift("--whole", "--category", "ml")).isEqualTo(1);
        assertThat(whole).isTrue();
        golden("drift.txt", out.toString());
        out.getBuffer().setLength(0);
        assertThat(drift("n2", "--json")).isEqualTo(1);
        golden("drift.json", out.toString());
    }

    @Test
    void aNodeThatCouldNotBeComparedIsNotTheSame() {
        ends.put("n1", view("n1", "UNKNOWN", "the manifest is not here", List.of()));
        ends.remove("n2");
        assertThat(drift()).isEqualTo(2);
        assertThat(out.toString())
                .contains("n1 was not compared: the manifest is not here")
                .contains("n2 was not compared: no director of site west is up");
        out.getBuffer().setLength(0);
        assertThat(drift("--site", "west")).isEqualTo(2);
        assertThat(out.toString()).doesNotContain("n1");
    }

    @Test
    void mistakesAreTold() {
        assertThat(drift("n9")).isEqualTo(2);
        assertThat(err.toString()).contains("there is no node 'n9'");
        assertThat(drift("n3")).isEqualTo(2);
        assertThat(err.toString()).contains("jobs of n3 live in no version");
        assertThat(drift("--category", "bio")).isEqualTo(2);
        assertThat(err.toString()).contains("no such node lives in a version now");
        assertThat(looks).isEmpty();
    }
}
