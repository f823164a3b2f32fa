package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.NodePageView;
import org.spillway.head.rest.NodePagesApi;
import org.spillway.head.service.ShownNodes;

/** Each kind of node on its page. */
final class NodeShowCommandTest extends AskedHead {
    private static final Map<String, NodePageView> KINDS = Map.of(
            "home", ShownNodes.home(),
            "ready", ShownNodes.ready(),
            "refused", ShownNodes.refused(),
            "sick", ShownNodes.sick(),
            "slurm", ShownNodes.slurm(),
            "gone", ShownNodes.gone());

    @BeforeEach
    void serve() {
        HEAD.nodePages = node -> Optional.ofNullable(KINDS.get(node));
    }

    @AfterEach
    void forget() {
        HEAD.nodePages = NodePagesApi.NONE;
    }

    @ParameterizedTest
    @ValueSource(strings = {"home", "ready", "refused", "sick", "slurm", "gone"})
    void eachKindIsAPageAndJson(String kind) {
        assertThat(run("node", "show", "--socket", socket.toString(), kind)).isZero();
        golden("node-show-" + kind + ".txt", out.toString());
        out.getBuffer().setLength(0);
        assertThat(run("node", "show", "--socket", socket.toString(), kind, "--json"))
                .isZero();
        golden("node-show-" + kind + ".json", out.toString());
    }

    @Test
    void oneThatIsNotKnownIsSaidAndHelpTeachesWithAnExample() {
        assertThat(run("node", "show", "--socket", socket.toString(), "n99")).isEqualTo(CliFailure.FAILED);
        assertThat(err.toString()).contains("no node 'n99'", "spillway nodes --all");
        assertThat(run("node", "show", "--help")).isZero();
        golden("help-node-show.txt", out.toString());
    }
}
